package ws_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/ws"
)

// maker serves and dials with some options.
func maker(edit func(*ws.Options)) equivalence.Maker {
	return func(t testing.TB, agent binding.Agent) binding.Agent {
		o := &ws.Options{Options: *equivalence.OptionsFor(agent)}
		if edit != nil {
			edit(o)
		}
		h := ws.NewHandler(agent, o)
		s := httptest.NewServer(h)
		t.Cleanup(func() { require.NoError(t, h.Close()); s.Close() })
		c, err := ws.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return c
	}
}

func TestEquivalenceWebSocket(t *testing.T) { equivalence.Run(t, maker(nil)) }

// The dialect of the proposal, which has no flow control.
func TestEquivalenceWebSocketProposal(t *testing.T) {
	equivalence.Run(t, maker(func(o *ws.Options) { o.Proposal = true }))
}

// A window of one item is the slowest there is, and changes nothing else.
func TestEquivalenceWebSocketSmallWindow(t *testing.T) {
	equivalence.Run(t, maker(func(o *ws.Options) { o.Window = 1 }))
}

func BenchmarkWebSocket(b *testing.B) { equivalence.RunBenchmarks(b, maker(nil)) }
