//go:build interop

package sdk

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every operation has steps in every full conversation, and each step a name of its own.
func TestSteps(t *testing.T) {
	names := map[string]bool{}
	held := map[string]Conversations{}
	for _, s := range steps {
		assert.False(t, names[s.name], "two steps %q", s.name)
		names[s.name] = true
		held[s.op] |= s.held
	}
	for _, op := range binding.Ops() {
		assert.Equal(t, full, held[op.Name]&full, "%s", op.Name)
		delete(held, op.Name)
	}
	assert.Empty(t, held, "operations that the specification does not have")
}

// Both ends of our own, so that a step that no SDK could pass is found here,
// and what a check lets pass is what it should.
func TestOurselves(t *testing.T) {
	broker := newBroker(t)
	for _, m := range modes {
		for _, w := range wires(broker) {
			t.Run(m.name+"/"+w.name, func(t *testing.T) {
				card := reference(t, m, newHooks(), w)
				got := map[string]Outcome{}
				for _, o := range conversed(t, patience, card, card, m) {
					o.transport = w.name
					got[o.Step] = o
				}
				for _, s := range steps {
					if s.held&m.ours == 0 {
						continue
					}
					o, ok := got[s.name]
					if assert.True(t, ok, "%s was not held", s.name) {
						s.is(t, o)
						assert.NotEmpty(t, leg.Problems(s.is, Outcome{Error: new(Failure)}), "%s takes anything", s.name)
					}
				}
			})
		}
	}
}

// Each of these entries would never be missed.
func TestFaultsAreChecked(t *testing.T) {
	right := Fault{Held: TheirFull, Transports: []string{"rest"}, Steps: []string{"get"}}
	check := func(t require.TestingT, s *SDK) { s.checkFaults(t) }
	assert.Empty(t, leg.Problems(check, &SDK{Faults: []Fault{right, {Held: OurFull, Steps: []string{"get"}}}}))
	for name, wrong := range map[string]Fault{
		"no step":           {Held: TheirFull},
		"no such step":      {Held: TheirFull, Steps: []string{"no such step"}},
		"not held so":       {Held: OurStrict, Steps: []string{"get"}},
		"no such transport": {Held: OurFull, Transports: []string{"grpc"}, Steps: []string{"get"}},
		"shadowed":          {Held: TheirFull, Steps: []string{"list", "get"}},
	} {
		s := &SDK{Transports: []string{"jsonrpc", "rest"}, Faults: []Fault{right, wrong}}
		assert.Len(t, leg.Problems(check, s), 1, name)
	}
}

func TestFaultsOfOneStep(t *testing.T) {
	a := Fault{Held: TheirFull, Transports: []string{"rest"}, Steps: []string{"x", "y"}}
	for _, c := range []struct {
		other Fault
		want  bool
	}{
		{Fault{Held: TheirFull, Steps: []string{"y"}}, true},
		{Fault{Held: TheirFull | OurFull, Transports: []string{"grpc", "rest"}, Steps: []string{"x"}}, true},
		{Fault{Held: OurFull, Steps: []string{"y"}}, false},
		{Fault{Held: TheirFull, Transports: []string{"grpc"}, Steps: []string{"y"}}, false},
		{Fault{Held: TheirFull, Steps: []string{"z"}}, false},
	} {
		assert.Equal(t, c.want, a.meets(c.other), "%+v", c.other)
		assert.Equal(t, c.want, c.other.meets(a), "%+v", c.other)
	}
}
