//go:build interop

package js_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

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
var knownFaults = []knownFault{
	{
		sdkVersion, ourFull, "jsonrpc rest grpc", "missing parts", fails(binding.InvalidAgentResponse),
		"it takes a message without parts (spec 4.1.4), and answers with a task that has it in its history," +
			" which our client refuses",
	},
	{
		sdkVersion, ourStrict | viaStrict, "jsonrpc rest", "strict large", fails(binding.ResourceExhausted),
		"it reads bodies of up to 100 kB, unless whoever mounts it reads them before; its client and its gRPC server take 4 MiB",
	},
	{
		sdkVersion, ourStrict, "jsonrpc rest grpc", "strict push inline", completed("echo: echo hello"),
		"it drops a push notification configuration without a word where it has no push notifications" +
			" (spec 3.3.2; 3.3.4 names the four operations alone)",
	},
}

// Entries that no step comes to would never be missed, and those of another
// version may be none.
func TestKnownFaults(t *testing.T) {
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	assert.Contains(t, string(text), `"@a2a-js/sdk": "`+sdkVersion+`"`)
	for _, f := range knownFaults {
		i := slices.IndexFunc(steps, func(s step) bool { return s.name == f.step })
		if assert.GreaterOrEqual(t, i, 0, "no step %q", f.step) {
			assert.Equal(t, f.held, steps[i].held&f.held, "%s is not held so", f.step)
		}
		for _, name := range strings.Fields(f.transports) {
			assert.True(t, slices.ContainsFunc(wires, func(w wire) bool { return w.name == name }), "no transport %q", name)
		}
		assert.Equal(t, sdkVersion, f.version, "%s: is it still so?", f.step)
	}
}

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
			require.NotEmpty(t, leg.Problems(s.is, o), "this is right now: remove the known fault %q", f.why)
			f.does(t, o)
		})
	}
	assert.Empty(t, got, "steps that are not in the table")
}
