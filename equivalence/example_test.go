package equivalence_test

import (
	"context"
	"fmt"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/equivalence"
)

// A binding is checked without a test by wiring it up.
func ExampleCheck() {
	wire := func(agent binding.Agent) (binding.Agent, func(), error) {
		client := inproc.Dial(agent, equivalence.OptionsFor(agent))
		return client, func() { _ = client.Close() }, nil
	}
	for _, s := range equivalence.Scenarios() {
		if s.Name == "errors/TASK_NOT_FOUND" {
			fmt.Printf("%s: %s: %d differences\n", s.Name, s.Rule, len(equivalence.Check(context.Background(), s, wire)))
		}
	}
	// Output: errors/TASK_NOT_FOUND: an error keeps its code, whether it answers a call or ends a stream, at once or later: 0 differences
}
