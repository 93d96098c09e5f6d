//go:build interop

package js_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sdkVersion is the version that the faults are of.
const sdkVersion = "1.3.0"

// knownFault is a step that the SDK does not take as the specification says.
type knownFault struct {
	version    string
	held       conversations
	transports string // of the SDK's side, separated by spaces
	step       string
	does       check // what it comes to instead
	why        string
}

// knownFaults are the faults of the peer. Each must still be there.
var knownFaults = []knownFault{}

func faultOf(held conversations, transport, name string) (knownFault, bool) {
	for _, f := range knownFaults {
		if f.held&held != 0 && f.step == name && strings.Contains(" "+f.transports+" ", " "+transport+" ") {
			return f, true
		}
	}
	return knownFault{}, false
}

// judge holds a conversation's outcomes against the tables. The transport is
// the one that the SDK spoke.
func judge(t *testing.T, held conversations, transport string, outcomes []outcome) {
	t.Helper()
	got := map[string]outcome{}
	for _, o := range outcomes {
		require.NotContains(t, got, o.Step, "a step was held twice")
		o.transport = transport
		got[o.Step] = o
	}
	for _, s := range steps {
		if s.held&held == 0 {
			continue
		}
		o, ok := got[s.name]
		if !assert.True(t, ok, "%s was not held", s.name) {
			continue
		}
		delete(got, s.name)
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			f, known := faultOf(held, transport, s.name)
			if !known {
				s.is(t, o)
				return
			}
			require.NotEmpty(t, problems(s.is, o), "the SDK does this right now: remove the known fault %q", f.why)
			f.does(t, o)
		})
	}
	assert.Empty(t, got, "steps that are not in the table")
}

// problems are what a check finds.
func problems(is check, o outcome) (found []string) {
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
