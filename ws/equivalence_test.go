package ws_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/schema"
	"github.com/a2awire/a2awire/ws"
)

// maker serves and dials with some options. All frames are held against the
// JSON Schema, if there is one.
func maker(defs *schema.Schema, edit func(*ws.Options)) equivalence.Maker {
	return func(t testing.TB, agent binding.Agent) binding.Agent {
		o := &ws.Options{Options: *equivalence.OptionsFor(agent)}
		if edit != nil {
			edit(o)
		}
		h := ws.NewHandler(agent, o)
		s := httptest.NewUnstartedServer(h)
		if defs != nil {
			s.Listener = watched{s.Listener, schema.NewWatch(t, defs)}
		}
		s.Start()
		t.Cleanup(func() { require.NoError(t, h.Close()); s.Close() })
		c, err := ws.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return c
	}
}

func TestEquivalenceWebSocket(t *testing.T) { equivalence.Run(t, maker(definitions(t), nil)) }

// The dialect of the proposal, which has no flow control.
func TestEquivalenceWebSocketProposal(t *testing.T) {
	equivalence.Run(t, maker(definitions(t), func(o *ws.Options) { o.Proposal = true }))
}

// A window of one item is the slowest there is, and changes nothing else.
func TestEquivalenceWebSocketSmallWindow(t *testing.T) {
	equivalence.Run(t, maker(definitions(t), func(o *ws.Options) { o.Window = 1 }))
}

func BenchmarkWebSocket(b *testing.B) { equivalence.RunBenchmarks(b, maker(nil, nil)) }
