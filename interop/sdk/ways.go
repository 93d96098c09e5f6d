//go:build interop

package sdk

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/interop/matrix"
)

// EachWay runs a test of a client that is no SDK's with the reference agent
// that can do everything, on one of our bindings: directly, and through the
// bridge from each. The card shows that binding alone.
func EachWay(t *testing.T, transport string, test func(t *testing.T, way string, card *pb.AgentCard)) {
	broker := newBroker(t)
	front := wires(broker, transport)[0]
	t.Run(matrix.Direct, func(t *testing.T) {
		test(t, matrix.Direct, reference(t, modes[0], newHooks(), front))
	})
	for _, upstream := range wires(broker) {
		t.Run(upstream.name, func(t *testing.T) {
			test(t, upstream.name, bridged(t, reference(t, modes[0], newHooks(), upstream), front))
		})
	}
}
