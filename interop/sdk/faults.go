//go:build interop

package sdk

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/interop/matrix"
)

// Fault is where an SDK does not do as the specification says, or has no means
// for what a step wants. It must still be there.
type Fault struct {
	Held       Conversations
	Transports []string // of the SDK's side; all if empty
	Steps      []string
	// Does is what the steps come to instead; nil if the SDK cannot hold them.
	Does Check
	Why  string
}

// meets reports whether two entries are of one step, held in one way over one transport.
func (f Fault) meets(other Fault) bool {
	common := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	return f.Held&other.Held != 0 && common(f.Steps, other.Steps) &&
		(len(f.Transports) == 0 || len(other.Transports) == 0 || common(f.Transports, other.Transports))
}

func (r *routes) faultOf(held Conversations, transport, name string) (Fault, bool) {
	for _, f := range r.sdk.Faults {
		if f.Held&held != 0 && slices.Contains(f.Steps, name) && (len(f.Transports) == 0 || slices.Contains(f.Transports, transport)) {
			return f, true
		}
	}
	return Fault{}, false
}

func (r *routes) faulty(held Conversations, transport, name string) bool {
	_, known := r.faultOf(held, transport, name)
	return known
}

// judge holds a conversation's outcomes against the tables, and takes them down.
func (r *routes) judge(t *testing.T, held Conversations, route matrix.Route, outcomes []Outcome) {
	t.Helper()
	got := map[string]Outcome{}
	for _, o := range outcomes {
		require.NotContains(t, got, o.Step, "a step was held twice")
		o.transport = route.Transport
		got[o.Step] = o
	}
	for _, s := range steps {
		if s.held&held == 0 {
			continue
		}
		o, ok := got[s.name]
		delete(got, s.name)
		f, known := r.faultOf(held, route.Transport, s.name)
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			switch {
			case !known:
				require.True(t, ok, "was not held")
				s.is(t, o)
			case f.Does == nil:
				require.False(t, ok, "is held now: remove the known fault %q", f.Why)
			default:
				require.True(t, ok, "was not held")
				require.NotEmpty(t, leg.Problems(s.is, o), "this is right now: remove the known fault %q", f.Why)
				f.Does(t, o)
			}
		})
		r.matrix.Add(route, s.op, s.name, f.Why)
	}
	assert.Empty(t, got, "steps that are not in the table")
}
