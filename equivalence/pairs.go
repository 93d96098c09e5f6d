package equivalence

import (
	"context"
	"iter"
	"maps"
	"slices"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// RunPairs runs all scenarios over every ordered pair of bindings, as subtests
// front-to-back/group/name: the client speaks the front's wire to a relay, and
// the relay the back's wire to the agent. At most one Options is used.
func RunPairs(t *testing.T, makers map[string]Maker, opts ...*Options) {
	t.Helper()
	su := newSuite(opts)
	su.o.Relayed = true
	names := slices.Sorted(maps.Keys(makers))
	var pairs []string
	for _, front := range names {
		for _, back := range names {
			pairs = append(pairs, front+"-to-"+back)
		}
	}
	su.exemptionsExist(t, pairs...)
	for _, front := range names {
		for _, back := range names {
			pair := front + "-to-" + back
			t.Run(pair, func(t *testing.T) {
				su.run(t, pair, bridge(makers[front], makers[back], su.o.Relay))
			})
		}
	}
}

// Bridge is two bindings and a relay between them, as one: the front serves
// what the back dialed. The relay passes everything but the credential. Set
// Options.Relayed when it is run.
func Bridge(front, back Maker) Maker { return bridge(front, back, nil) }

func bridge(front, back Maker, relay func(binding.Agent) binding.Agent) Maker {
	if relay == nil {
		relay = withoutCredential
	}
	return func(tb testing.TB, agent binding.Agent) binding.Agent {
		var card *pb.AgentCard
		if c := CardOf(agent); c != nil {
			card = c()
		}
		middle := relay(back(tb, agent))
		return front(tb, binding.Remote(&middleConn{binding.Local(middle), card}))
	}
}

// middleConn is a relay's Conn that knows the card to be served with. It stays
// a Conn, so that payloads pass as they came.
type middleConn struct {
	binding.Conn
	card *pb.AgentCard
}

// Card is the card to serve the relay with. It may be nil.
func (m *middleConn) Card() *pb.AgentCard { return m.card }

// withoutCredential is the least relay there is.
func withoutCredential(a binding.Agent) binding.Agent {
	return binding.Remote(dropCredential{binding.Local(a)})
}

type dropCredential struct{ binding.Conn }

func (d dropCredential) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	onward := &binding.Call{Params: call.Params}
	defer func() { call.Reply = onward.Reply }()
	return d.Conn.Invoke(ctx, op, onward, p)
}

func (d dropCredential) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		onward := &binding.Call{Params: call.Params}
		for ev, err := range d.Conn.Stream(ctx, op, onward, p) {
			call.Reply = onward.Reply
			if !yield(ev, err) {
				return
			}
		}
		call.Reply = onward.Reply
	}
}
