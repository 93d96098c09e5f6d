package equivalence_test

import (
	"context"
	"iter"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/equivalence"
)

// dialed is the short door of the in-process binding.
func dialed(tb testing.TB, agent binding.Agent) binding.Agent {
	c := inproc.Dial(agent, equivalence.OptionsFor(agent))
	tb.Cleanup(func() { assert.NoError(tb, c.Close()) })
	return c
}

// served is its uniform door.
func served(tb testing.TB, agent binding.Agent) binding.Agent {
	b := inproc.New(equivalence.OptionsFor(agent))
	s, err := b.Serve(tb.Context(), &pb.AgentInterface{}, agent)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, s.Close()) })
	c, err := b.Dial(tb.Context(), s.Interface())
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, c.Close()) })
	return c
}

func TestEquivalenceInproc(t *testing.T) { equivalence.Run(t, dialed) }

func TestEquivalencePairsInproc(t *testing.T) {
	equivalence.RunPairs(t, map[string]equivalence.Maker{"dialed": dialed, "served": served})
}

func TestEquivalenceBridge(t *testing.T) {
	equivalence.Run(t, equivalence.Bridge(served, dialed), &equivalence.Options{
		Relayed: true,
		Only:    func(s equivalence.Scenario) bool { return s.Group() == "parameters" || s.Group() == "capabilities" },
	})
}

func BenchmarkInproc(b *testing.B) { equivalence.RunBenchmarks(b, dialed) }

// A relay of the caller's own stands between the two.
func TestEquivalencePairsWithRelay(t *testing.T) {
	relayed := 0
	equivalence.RunPairs(t, map[string]equivalence.Maker{"inproc": dialed}, &equivalence.Options{
		Relay: func(a binding.Agent) binding.Agent {
			relayed++
			return discreet{a}
		},
		Only: func(s equivalence.Scenario) bool {
			return s.Name == "operations/GetTask" || s.Name == "parameters/credential"
		},
	})
	assert.Equal(t, 2, relayed)
}

// discreet is a relay as middleware, for the two operations that it is tested with.
type discreet struct{ binding.Agent }

func (d discreet) GetTask(ctx context.Context, call *binding.Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	return d.Agent.GetTask(ctx, &binding.Call{Params: call.Params}, req)
}

func (d discreet) SubscribeToTask(ctx context.Context, call *binding.Call, req *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return d.Agent.SubscribeToTask(ctx, &binding.Call{Params: call.Params}, req)
}

// wire is a maker as Check wants it.
func wire(wrap func(binding.Agent) binding.Agent) equivalence.Wire {
	return func(agent binding.Agent) (binding.Agent, func(), error) {
		c := inproc.Dial(agent, equivalence.OptionsFor(agent))
		return wrap(c), func() { _ = c.Close() }, nil
	}
}

func TestEquivalenceOfCorrectWrapper(t *testing.T) {
	for _, s := range equivalence.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			diffs := equivalence.Check(context.Background(), s, wire(func(a binding.Agent) binding.Agent {
				return binding.Remote(&through{binding.Local(a)})
			}))
			assert.Empty(t, diffs)
		})
	}
}

// through is a Conn around another that changes nothing.
type through struct{ binding.Conn }
