//go:build interop

package mqttpeers_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// step is one step of a conversation, and says what is wrong with what it came to.
type step[O any] struct {
	name string
	is   func(require.TestingT, O)
}

// knownFault is a step that a peer does not take as the specification says.
type knownFault[O any] struct {
	version string // of the peer
	step    string
	does    func(require.TestingT, O) // what it comes to instead
	why     string
}

// judge checks outcomes by the tables: each step once, and none missing. A known
// fault must still be there.
func judge[O any](t *testing.T, steps []step[O], faults []knownFault[O], got map[string]O) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			o, ok := got[s.name]
			require.True(t, ok, "the step is missing")
			i := slices.IndexFunc(faults, func(f knownFault[O]) bool { return f.step == s.name })
			if i < 0 {
				s.is(t, o)
				return
			}
			require.NotEmpty(t, leg.Problems(s.is, o), "this is right now: remove the known fault %q", faults[i].why)
			faults[i].does(t, o)
		})
	}
	for name := range got {
		known := slices.ContainsFunc(steps, func(s step[O]) bool { return s.name == name })
		assert.True(t, known, "the step %q is not in the table", name)
	}
	for _, f := range faults {
		known := slices.ContainsFunc(steps, func(s step[O]) bool { return s.name == f.step })
		assert.True(t, known, "the step %q of a known fault is not in the table", f.step)
		assert.Equal(t, sdkVersion, f.version, "%s: is it still so?", f.step)
	}
}
