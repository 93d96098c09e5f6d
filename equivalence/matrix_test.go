package equivalence_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// catalogued are the bindings of the catalogue and in-process, by name, each
// through its uniform door, and at one broker where it needs one.
func catalogued(t *testing.T) map[string]equivalence.Maker {
	makers := map[string]equivalence.Maker{
		"inproc": func(t testing.TB, agent binding.Agent) binding.Agent {
			return uniform(t, inproc.New(equivalence.OptionsFor(agent)), "", agent)
		},
	}
	for _, e := range catalogue.Entries() {
		url, stop, err := e.Loopback()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, stop()) })
		makers[e.Name] = func(t testing.TB, agent binding.Agent) binding.Agent {
			return uniform(t, e.Make(*equivalence.OptionsFor(agent)), url, agent)
		}
	}
	return makers
}

func uniform(t testing.TB, b binding.Binding, url string, agent binding.Agent) binding.Agent {
	s, err := b.Serve(t.Context(), &pb.AgentInterface{Url: url}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	c, err := b.Dial(t.Context(), s.Interface())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// Every binding of the catalogue, alone.
func TestEquivalenceBindings(t *testing.T) {
	for name, mk := range catalogued(t) {
		t.Run(name, func(t *testing.T) { equivalence.Run(t, mk) })
	}
}

// Every ordered pair, with the bridge's relay between the two.
func TestEquivalencePairs(t *testing.T) {
	equivalence.RunPairs(t, catalogued(t), &equivalence.Options{
		Relay: func(a binding.Agent) binding.Agent { return bridge.Relay(a.(binding.Client), nil) },
	})
}
