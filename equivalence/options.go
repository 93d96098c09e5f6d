package equivalence

import (
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/binding"
)

// MaxMessageBytes is the message limit that makers serve and dial with: 2 MiB.
// A payload of 1 MiB passes, and what is over the limit is cheap to make.
const MaxMessageBytes = 2 << 20

// Options change what Run, RunPairs and Check do. Nil and the zero value are fine.
type Options struct {
	// Exempt holds why a scenario may fail, by its name, or in RunPairs also by
	// pair: "front-to-back/group/name". It runs all the same, and must fail.
	Exempt map[string]string
	// Only chooses the scenarios to run. Nil is all.
	Only func(Scenario) bool
	// Timeout is the watchdog's for scenarios without one of their own. 0 is
	// DefaultTimeout.
	Timeout time.Duration
	// Relay is what stands between the two bindings of a pair: it is given the
	// agent that the back dialed, and the front serves what it returns. Nil
	// passes everything but the credential.
	Relay func(binding.Agent) binding.Agent
	// Relayed says that what is tested is a relay, so that a credential must
	// not arrive. RunPairs sets it.
	Relayed bool
	// IgnoreGoroutines are functions whose goroutines may be there after a
	// scenario, as goleak names them: of a library that starts them once for
	// the whole process.
	IgnoreGoroutines []string
}

func (o *Options) timeout(s Scenario) time.Duration {
	switch {
	case s.Timeout > 0:
		return s.Timeout
	case o.Timeout > 0:
		return o.Timeout
	}
	return DefaultTimeout
}

func (o *Options) ignored(before goleak.Option) []goleak.Option {
	out := []goleak.Option{before}
	for _, f := range o.IgnoreGoroutines {
		out = append(out, goleak.IgnoreAnyFunction(f))
	}
	return out
}

// OptionsFor are the options to serve and to dial an agent of this package
// with: its card, and MaxMessageBytes. Makers may add to them.
func OptionsFor(agent binding.Agent) *binding.Options {
	return &binding.Options{Card: CardOf(agent), MaxMessageBytes: MaxMessageBytes}
}

// carded is what an agent of this package is, or its Conn: it knows the card
// to be served with.
type carded interface{ Card() *pb.AgentCard }

// CardOf is the card that an agent wants to be served with, for
// binding.Options.Card: what its method Card returns, or that of the Conn
// below it. It is nil, which checks nothing, for any other agent.
func CardOf(agent binding.Agent) func() *pb.AgentCard {
	if a, ok := agent.(carded); ok {
		return a.Card
	}
	if agent == nil {
		return nil
	}
	if c, ok := binding.Local(agent).(carded); ok {
		return c.Card
	}
	return nil
}
