// Package equivalence proves that a binding cannot be told from the agent it
// carries (spec 5.1). Whoever writes a binding has one test:
//
//	func TestEquivalence(t *testing.T) {
//		equivalence.Run(t, func(tb testing.TB, agent binding.Agent) binding.Agent {
//			o := equivalence.OptionsFor(agent)
//			// Serve agent with o, dial it with o, tear both down in tb.Cleanup.
//			return client
//		})
//	}
//
// [RunPairs] runs the same over every pair of bindings with a relay between,
// [Check] without a test, and [RunBenchmarks] measures.
//
// A [Scenario] is a scripted agent and a client's conversation with it. Both
// write a log of what they saw: requests, service parameters, order, events,
// errors with their details. The same scenario runs over the binding in this
// process, whose logs are what is expected of every wire. Assertions inside
// the scenarios, each under a section of the specification, hold the reference
// itself, so that all bindings cannot be wrong alike.
//
// Field presence is kept in the logs: an optional field set to its default is
// not an unset one. Left out is what may differ between correct wires: time,
// addresses, the text of errors that this side made up, and service parameters
// other than a2a-* and eq-*.
//
// After every scenario, when the client is closed and the server torn down,
// the goroutines must be those of before. So the tests of a process that run
// scenarios must not run in parallel.
package equivalence
