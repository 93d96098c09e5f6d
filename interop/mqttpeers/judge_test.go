//go:build interop

package mqttpeers_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
			require.NotEmpty(t, problems(s.is, o), "this is right now: remove the known fault %q", faults[i].why)
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

// problems are what a check finds.
func problems[O any](is func(require.TestingT, O), o O) (found []string) {
	r := new(recorder)
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
		found = r.found
	}()
	is(r, o)
	return r.found
}

// recorder takes note of what a test would fail with.
type recorder struct{ found []string }

func (r *recorder) Errorf(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

// FailNow leaves the check, to be recovered by who made the recorder.
func (r *recorder) FailNow() { panic(r) }

// What a check finds is found whether it goes on or not.
func TestProblems(t *testing.T) {
	assert.Empty(t, problems(func(t require.TestingT, n int) { assert.Equal(t, 1, n) }, 1))
	assert.Len(t, problems(func(t require.TestingT, n int) { assert.Equal(t, 1, n); assert.Equal(t, 3, n) }, 2), 2)
	assert.Len(t, problems(func(t require.TestingT, n int) { require.Equal(t, 1, n); assert.Equal(t, 3, n) }, 2), 1)
	assert.Panics(t, func() { problems(func(require.TestingT, int) { panic("no check") }, 1) })
}
