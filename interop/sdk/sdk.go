//go:build interop

package sdk

import (
	"slices"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/interop/matrix"
)

// patience is how long one conversation may take, unless an SDK needs more.
const patience = time.Minute

// SDK is an official SDK, in one version.
type SDK struct {
	// Name is what readers know it by, Package what installs it.
	Name, Package, Version string
	// Client and Server are the commands of its programs.
	Client, Server []string
	// Transports are those it has, of "jsonrpc", "rest" and "grpc"; all if empty.
	Transports []string
	// Faults are where it goes wrong.
	Faults []Fault
	// Patience is how long one conversation may take, if that is more than a minute.
	Patience time.Duration
}

// Test holds all conversations, and compares the matrix of what they came to
// with the file matrix.json.
func (s *SDK) Test(t *testing.T) {
	if s.Patience == 0 {
		s.Patience = patience
	}
	s.checkFaults(t)
	r := &routes{sdk: s, matrix: matrix.New(s.Name, s.Package, s.Version), broker: newBroker(t)}
	t.Run("client", r.client)
	t.Run("server", r.server)
	r.matrix.Compare(t, "matrix.json")
}

// routes are an SDK on its ways to our agents, and of our client to its.
type routes struct {
	sdk    *SDK
	broker string
	matrix *matrix.Matrix
}

// transports are the wires that the SDK has.
func (r *routes) transports() []wire {
	return slices.DeleteFunc(wires("", "jsonrpc", "rest", "grpc"), func(w wire) bool {
		return len(r.sdk.Transports) > 0 && !slices.Contains(r.sdk.Transports, w.name)
	})
}

// every is all of our bindings.
func (r *routes) every() []wire { return wires(r.broker) }

// client is the SDK's client with our agent, and with the same behind a bridge.
func (r *routes) client(t *testing.T) {
	for _, w := range r.transports() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r.theirClient(t, w, matrix.Direct, func(t *testing.T, m mode, h hooks) *pb.AgentCard {
				return reference(t, m, h, r.transports()...)
			})
		})
		for _, upstream := range r.every() {
			t.Run(w.name+"/"+upstream.name, func(t *testing.T) {
				t.Parallel()
				r.theirClient(t, w, upstream.name, func(t *testing.T, m mode, h hooks) *pb.AgentCard {
					return bridged(t, reference(t, m, h, upstream), w)
				})
			})
		}
	}
}

// reference serves the reference agent of a mode.
func reference(t *testing.T, m mode, h hooks, on ...wire) *pb.AgentCard {
	o := m.agent
	o.WebhookClient, o.AllowPrivateWebhooks = h.client(), true
	return serveReference(t, o, on...)
}

// theirClient holds both conversations of the SDK's client over one wire.
func (r *routes) theirClient(t *testing.T, w wire, way string, serve func(*testing.T, mode, hooks) *pb.AgentCard) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			h := newHooks()
			url := show(t, serve(t, m, h))
			command := append(slices.Clone(r.sdk.Client), url, w.name, m.name)
			outcomes := leg.Run[Outcome](t, r.sdk.Patience, command[0], command[1:]...)
			r.judge(t, m.their, matrix.Route{Role: matrix.Client, Transport: w.name, Way: way}, outcomes)
			if m.their == TheirFull && !r.faulty(TheirFull, w.name, "push inline") {
				h.delivered(t, "inline-token")
			}
		})
	}
}

// server is our client with the SDK's server, and with the same behind a bridge.
func (r *routes) server(t *testing.T) {
	urls := map[string]string{}
	leg.Start(t, 10*r.sdk.Patience, r.sdk.Server[0], r.sdk.Server[1:]...).Next(t, &urls)
	f := agentcard.NewFetcher(nil)
	t.Cleanup(f.Close)
	for _, w := range r.transports() {
		for _, m := range modes {
			card, err := f.Fetch(t.Context(), urls[m.name])
			require.NoError(t, err)
			upstream := restricted(t, card, w)
			t.Run(w.name+"/"+m.name, func(t *testing.T) {
				outcomes := conversed(t, r.sdk.Patience, upstream, card, m)
				r.judge(t, m.ours, matrix.Route{Role: matrix.Server, Transport: w.name, Way: matrix.Direct}, outcomes)
			})
			for _, front := range r.every() {
				t.Run(w.name+"/"+front.name+"/"+m.name, func(t *testing.T) {
					shown := bridged(t, upstream, front)
					outcomes := conversed(t, r.sdk.Patience, shown, shown, m)
					r.judge(t, m.via, matrix.Route{Role: matrix.Server, Transport: w.name, Way: front.name}, outcomes)
				})
			}
		}
	}
}

// restricted is a card with the interface of one wire alone.
func restricted(t *testing.T, card *pb.AgentCard, w wire) *pb.AgentCard {
	t.Helper()
	out := proto.Clone(card).(*pb.AgentCard)
	out.SupportedInterfaces = slices.DeleteFunc(out.SupportedInterfaces, func(i *pb.AgentInterface) bool {
		return i.GetProtocolBinding() != w.protocol() || i.GetProtocolVersion() != "1.0"
	})
	require.Len(t, out.SupportedInterfaces, 1, "the SDK's server is not on %s", w.name)
	return out
}

// checkFaults looks for entries that no step comes to, and for two of one step:
// they would never be missed.
func (s *SDK) checkFaults(t require.TestingT) {
	transports := s.Transports
	if len(transports) == 0 {
		transports = []string{"jsonrpc", "rest", "grpc"}
	}
	for i, f := range s.Faults {
		for _, other := range s.Faults[:i] {
			assert.False(t, f.meets(other), "two entries are of one step: %q and %q", other.Why, f.Why)
		}
		assert.NotEmpty(t, f.Steps, "%q is of no step", f.Why)
		for _, name := range f.Steps {
			i := slices.IndexFunc(steps, func(s step) bool { return s.name == name })
			if assert.GreaterOrEqual(t, i, 0, "no step %q", name) {
				assert.NotZero(t, steps[i].held&f.Held, "%s is not held so", name)
			}
		}
		for _, name := range f.Transports {
			assert.Contains(t, transports, name)
		}
	}
}
