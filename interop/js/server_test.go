//go:build interop

package js_test

import (
	"slices"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/agentcard"
)

// Our client with their server.
func TestOurClient(t *testing.T) {
	ourClient(t, func(t *testing.T, m int, w wire, card *pb.AgentCard) {
		judge(t, modes[m].ours, w.name, conversed(t, restricted(t, card, w), card, talks[modes[m].name]))
	})
}

// Our client with their server behind a bridge.
func TestOurClientThroughBridge(t *testing.T) {
	ourClient(t, func(t *testing.T, m int, w wire, card *pb.AgentCard) {
		front := bridged(t, restricted(t, card, w), wires[0])
		judge(t, modes[m].via, w.name, conversed(t, front, front, talks[modes[m].name]))
	})
}

// talks are our conversations by mode.
var talks = map[string]func(*talk){"full": fullTalk, "strict": strictTalk}

// ourClient runs a test with each transport and each agent of the SDK's server.
func ourClient(t *testing.T, test func(t *testing.T, mode int, w wire, card *pb.AgentCard)) {
	urls := sdkServer(t)
	f := agentcard.NewFetcher(nil)
	t.Cleanup(f.Close)
	for _, w := range wires {
		for i, m := range modes {
			t.Run(w.name+"/"+m.name, func(t *testing.T) {
				card, err := f.Fetch(t.Context(), urls[m.name])
				require.NoError(t, err)
				test(t, i, w, card)
			})
		}
	}
}

// restricted is a card with the interface of one wire alone.
func restricted(t *testing.T, card *pb.AgentCard, w wire) *pb.AgentCard {
	t.Helper()
	out := proto.Clone(card).(*pb.AgentCard)
	out.SupportedInterfaces = slices.DeleteFunc(out.SupportedInterfaces, func(i *pb.AgentInterface) bool {
		return i.GetProtocolBinding() != w.protocol()
	})
	require.Len(t, out.SupportedInterfaces, 1, "the SDK's server is not on %s", w.name)
	return out
}
