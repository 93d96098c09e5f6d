package jsonrpc_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/schema"
	"github.com/a2awire/a2awire/jsonrpc"
)

func maker(t testing.TB, agent binding.Agent) binding.Agent { return through(t, agent, nil) }

// through serves an agent and dials it through a transport.
func through(t testing.TB, agent binding.Agent, rt http.RoundTripper) binding.Agent {
	o := &jsonrpc.Options{Options: *equivalence.OptionsFor(agent), Transport: rt}
	s := httptest.NewServer(jsonrpc.Handler(agent, o))
	t.Cleanup(s.Close)
	c, err := jsonrpc.Dial(t.Context(), s.URL, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// All that crosses is held against the JSON Schema.
func TestEquivalenceJSONRPC(t *testing.T) {
	s, err := schema.Model().JSONRPC(schema.Wire{}).Compile()
	require.NoError(t, err)
	equivalence.Run(t, func(t testing.TB, agent binding.Agent) binding.Agent {
		w := schema.NewWatch(t, s)
		rt := &schema.Transport{Next: new(http.Transport), Request: func(_ *http.Request, body []byte) func(*http.Response, []byte) {
			w.Call("", body)
			return func(_ *http.Response, text []byte) { w.Answer("", text) }
		}}
		t.Cleanup(rt.CloseIdleConnections)
		return through(t, agent, rt)
	})
}

func BenchmarkJSONRPC(b *testing.B) { equivalence.RunBenchmarks(b, maker) }
