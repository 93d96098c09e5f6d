package rest

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
)

// wire serves an agent and dials it.
func wire(tb testing.TB, agent binding.Agent) binding.Agent {
	b := Binding{Options{Options: *equivalence.OptionsFor(agent)}}
	srv, err := b.Serve(tb.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0"}, agent)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, srv.Close()) })
	c, err := b.Dial(tb.Context(), srv.Interface())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

func TestEquivalenceREST(t *testing.T) { equivalence.Run(t, wire) }

func BenchmarkEquivalence(b *testing.B) { equivalence.RunBenchmarks(b, wire) }
