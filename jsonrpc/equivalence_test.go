package jsonrpc_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/jsonrpc"
)

func maker(t testing.TB, agent binding.Agent) binding.Agent {
	o := &jsonrpc.Options{Options: *equivalence.OptionsFor(agent)}
	s := httptest.NewServer(jsonrpc.Handler(agent, o))
	t.Cleanup(s.Close)
	c, err := jsonrpc.Dial(t.Context(), s.URL, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestEquivalenceJSONRPC(t *testing.T) { equivalence.Run(t, maker) }

func BenchmarkJSONRPC(b *testing.B) { equivalence.RunBenchmarks(b, maker) }
