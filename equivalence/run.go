package equivalence

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a2awire/a2awire/binding"
)

// Maker wires an agent up: it serves it, with OptionsFor the agent, and
// returns the client that dialed it. It registers the teardown with Cleanup;
// when that has run, nothing that the maker started may be left. The client
// must be an io.Closer, as every [binding.Client] is. A maker is called once
// for each scenario, never twice at the same time, and not always on the test's
// own goroutine. It may fail the test; it may not skip it.
type Maker func(tb testing.TB, agent binding.Agent) binding.Agent

// Run runs all scenarios over a binding, as subtests group/name. At most one
// Options is used. It must not run in parallel with other tests.
func Run(t *testing.T, mk Maker, opts ...*Options) {
	t.Helper()
	su := newSuite(opts)
	su.exemptionsExist(t)
	su.run(t, "", mk)
}

func (su *suite) run(t *testing.T, pair string, mk Maker) {
	t.Helper()
	for _, group := range groups() {
		t.Run(group.name, func(t *testing.T) {
			for _, s := range group.scenarios {
				if su.o.Only != nil && !su.o.Only(s) {
					continue
				}
				t.Run(strings.TrimPrefix(s.Name, group.name+"/"), func(t *testing.T) {
					judge(t, su.reason(pair, s.Name), su.check(t.Context(), s, wireOf(t, mk)))
				})
			}
		})
	}
}

type group struct {
	name      string
	scenarios []Scenario
}

// groups are the scenarios by group, in order.
func groups() []group {
	var out []group
	for _, s := range Scenarios() {
		i := slices.IndexFunc(out, func(g group) bool { return g.name == s.Group() })
		if i < 0 {
			i, out = len(out), append(out, group{name: s.Group()})
		}
		out[i].scenarios = append(out[i].scenarios, s)
	}
	return out
}

// reason is why a scenario is exempted, "" when it is not.
func (su *suite) reason(pair, scenario string) string {
	if r := su.o.Exempt[pair+"/"+scenario]; pair != "" && r != "" {
		return r
	}
	return su.o.Exempt[scenario]
}

// exemptionsExist fails the test for exemptions that name no scenario, nor one of a pair.
func (su *suite) exemptionsExist(tb testing.TB, pairs ...string) {
	tb.Helper()
	known := map[string]bool{}
	for _, s := range Scenarios() {
		known[s.Name] = true
		for _, p := range pairs {
			known[p+"/"+s.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(su.o.Exempt)) {
		if !known[name] {
			tb.Errorf("exempted, and no scenario: %s", name)
		}
	}
}

// judge fails a test whose scenario shows differences, or is exempted and
// shows none.
func judge(tb testing.TB, exempt string, diffs []Difference) {
	tb.Helper()
	switch {
	case exempt == "":
		for _, d := range diffs {
			tb.Errorf("%s", d)
		}
	case len(diffs) == 0:
		tb.Errorf("exempted, and passes: take the exemption away (%s)", exempt)
	default:
		tb.Logf("exempted: %s", exempt)
		for _, d := range diffs {
			tb.Logf("%s", d)
		}
	}
}

// wireOf is a maker as a wire: its cleanups run when the scenario is torn
// down, not when the test ends.
func wireOf(tb testing.TB, mk Maker) Wire {
	return func(agent binding.Agent) (binding.Agent, func(), error) {
		sc := &scope{TB: tb}
		sc.ctx, sc.cancel = context.WithCancel(context.Background())
		made := false
		defer func() {
			if !made {
				sc.close()
			}
		}()
		client := mk(sc, agent)
		made = true
		return client, sc.close, nil
	}
}

// scope is a test that ends before the test does.
type scope struct {
	testing.TB
	ctx      context.Context
	cancel   context.CancelFunc
	cleanups []func()
}

// Cleanup registers a function that is called at the end of the scope.
func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

// Context ends just before the cleanups run.
func (s *scope) Context() context.Context { return s.ctx }

// close runs the cleanups, last first, all of them even if one fails the test.
func (s *scope) close() {
	s.cancel()
	if n := len(s.cleanups); n > 0 {
		f := s.cleanups[n-1]
		s.cleanups = s.cleanups[:n-1]
		defer s.close()
		f()
	}
}
