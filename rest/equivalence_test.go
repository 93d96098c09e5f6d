package rest

import (
	"net/http"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/schema"
)

func wire(tb testing.TB, agent binding.Agent) binding.Agent { return through(tb, agent, nil) }

// through serves an agent and dials it through a transport.
func through(tb testing.TB, agent binding.Agent, rt http.RoundTripper) binding.Agent {
	b := Binding{Options{Options: *equivalence.OptionsFor(agent), Transport: rt}}
	srv, err := b.Serve(tb.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0"}, agent)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, srv.Close()) })
	c, err := b.Dial(tb.Context(), srv.Interface())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

// All that crosses is held against the JSON Schema.
func TestEquivalenceREST(t *testing.T) {
	s, err := bodies(schema.Model()).Compile()
	require.NoError(t, err)
	equivalence.Run(t, func(t testing.TB, agent binding.Agent) binding.Agent {
		w := schema.NewWatch(t, s)
		rt := &schema.Transport{Next: new(http.Transport), Request: func(r *http.Request, body []byte) func(*http.Response, []byte) {
			m, _ := find(r.Method, r.URL.EscapedPath())
			if body != nil {
				w.Request(m.route.op.Name+".body", body)
			}
			return func(resp *http.Response, text []byte) {
				def := string(m.route.op.NewResponse().ProtoReflect().Descriptor().Name())
				if resp.StatusCode != http.StatusOK || isError(text) {
					def = "HTTPError"
				}
				w.Check(def, text)
			}
		}}
		t.Cleanup(rt.CloseIdleConnections)
		return through(t, agent, rt)
	})
}

// bodies adds the bodies of requests: the messages without what is in the path.
func bodies(defs schema.Defs) schema.Defs {
	for _, rt := range routes {
		inPath := []string{rt.tenant.name}
		for _, f := range rt.params {
			inPath = append(inPath, f.name)
		}
		defs[rt.op.Name+".body"] = schema.Message(rt.op.NewRequest().ProtoReflect().Descriptor(), inPath...)
	}
	return defs
}

func BenchmarkEquivalence(b *testing.B) { equivalence.RunBenchmarks(b, wire) }
