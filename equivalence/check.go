package equivalence

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
)

// Wire wires an agent up: it serves the agent and dials it. Teardown closes
// the client and the server, and returns when what they started is gone. It is
// called once, and not beside an error.
type Wire func(agent binding.Agent) (client binding.Agent, teardown func(), err error)

// Side is where a difference was seen.
type Side string

// The sides.
const (
	// SideClient is what the client saw.
	SideClient Side = "client"
	// SideAgent is what the agent saw.
	SideAgent Side = "agent"
	// SideAssertion is what the specification says in the scenario's section.
	SideAssertion Side = "specification"
	// SideWire is the wiring up.
	SideWire Side = "wire"
	// SideHang is the watchdog.
	SideHang Side = "hang"
	// SideGoroutines is what was left behind.
	SideGoroutines Side = "goroutines"
)

// Difference is one way in which a binding is not the identity.
type Difference struct {
	// Scenario is the scenario's name, and Section its part of the specification.
	Scenario, Section string
	// Side is where it was seen.
	Side Side
	// Reference is set when it is the in-process reference that fails.
	Reference bool
	// Step is what the conversation was doing, where that is known.
	Step string
	// What was compared, what it had to be, and what it was.
	What, Want, Got string
}

// String is the difference for a person, over some lines.
func (d Difference) String() string {
	var b strings.Builder
	if d.Reference {
		b.WriteString("the in-process reference: ")
	}
	fmt.Fprintf(&b, "%s (spec %s): %s: %s", d.Scenario, d.Section, d.Side, d.What)
	if d.Step != "" {
		fmt.Fprintf(&b, ", step %q", d.Step)
	}
	fmt.Fprintf(&b, "\n\twant %s\n\tgot  %s", d.Want, d.Got)
	return b.String()
}

// Check runs a scenario over a wire and in process, and says how they differ:
// nothing when they do not. At most one Options is used. While it runs, nothing
// else in the process may start goroutines or end them.
func Check(ctx context.Context, s Scenario, w Wire, opts ...*Options) []Difference {
	return newSuite(opts).check(ctx, s, w)
}

// record is what a run left.
type record struct {
	client, agent []string
	failures      []Difference
	hung          bool
}

// reference is the wire that all others are held against.
func reference(agent binding.Agent) (binding.Agent, func(), error) {
	c := inproc.Dial(agent, OptionsFor(agent))
	return c, func() { _ = c.Close() }, nil
}

// suite is one series of checks; it runs the reference of each scenario once.
type suite struct {
	o        Options
	expected map[string]record
}

func newSuite(opts []*Options) *suite {
	s := &suite{expected: map[string]record{}}
	for _, o := range opts {
		if o != nil {
			s.o = *o
		}
	}
	return s
}

func (su *suite) check(ctx context.Context, s Scenario, w Wire) []Difference {
	want, ok := su.expected[s.Name]
	if !ok {
		// The reference waits as long as it takes: a short watchdog is the wire's.
		alone := s
		alone.Timeout = DefaultTimeout
		want = perform(ctx, alone, reference, Options{IgnoreGoroutines: su.o.IgnoreGoroutines})
		for i := range want.failures {
			want.failures[i].Reference = true
		}
		su.expected[s.Name] = want
	}
	got := perform(ctx, s, w, su.o)
	out := append(append([]Difference(nil), want.failures...), got.failures...)
	if got.hung || s.timed {
		return out
	}
	for _, side := range []struct {
		side      Side
		want, got []string
	}{{SideClient, want.client, got.client}, {SideAgent, want.agent, got.agent}} {
		if d, ok := compare(side.want, side.got); ok {
			d.Scenario, d.Section, d.Side = s.Name, s.Section, side.side
			out = append(out, d)
		}
	}
	return out
}

// compare is the first line in which two logs differ.
func compare(want, got []string) (Difference, bool) {
	for i := range max(len(want), len(got)) {
		w, g := line(want, i), line(got, i)
		if w != g {
			return Difference{What: fmt.Sprintf("line %d of %d in the log", i+1, len(want)), Want: w, Got: g}, true
		}
	}
	return Difference{}, false
}

func line(log []string, i int) string {
	if i < len(log) {
		return log[i]
	}
	return "the end of the log"
}

func sprint(v any) string { return clip(fmt.Sprint(v)) }
