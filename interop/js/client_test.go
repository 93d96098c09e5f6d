//go:build interop

package js_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// Their client with our agent.
func TestSDKClient(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			theirClient(t, w, func(t *testing.T, m int, h hooks) *pb.AgentCard {
				return reference(t, m, h, wires...)
			})
		})
	}
}

// Their client with our agent behind a bridge.
func TestSDKClientThroughBridge(t *testing.T) {
	for _, front := range wires {
		for _, upstream := range wires {
			t.Run(front.name+"/"+upstream.name, func(t *testing.T) {
				t.Parallel()
				theirClient(t, front, func(t *testing.T, m int, h hooks) *pb.AgentCard {
					return bridged(t, reference(t, m, h, upstream), front)
				})
			})
		}
	}
}

// reference serves the reference agent of a mode.
func reference(t *testing.T, m int, h hooks, on ...wire) *pb.AgentCard {
	o := modes[m].agent
	o.WebhookClient, o.AllowPrivateWebhooks = h.client(), true
	return serveReference(t, o, on...)
}

// theirClient holds both conversations of the SDK's client over one wire.
func theirClient(t *testing.T, w wire, serve func(*testing.T, int, hooks) *pb.AgentCard) {
	for i, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			h := newHooks()
			card := serve(t, i, h)
			judge(t, m.their, w.name, converse(t, show(t, card), w.name, m.name))
			if m.their == theirFull {
				h.delivered(t, "inline-token")
			}
		})
	}
}
