package a2asdk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/equivalence"
)

// untold is what the SDK's types have no place for.
var untold = map[string]string{
	"presence/ListTasks-includeArtifacts-false": "a2a.ListTasksRequest.IncludeArtifacts is a bool",
	"presence/card-streaming-false":             "a2a.AgentCapabilities.Streaming is a bool",
	"presence/card-iconUrl-empty":               "a2a.AgentCard.IconURL is a string",
}

// There and back: an agent as the SDK's handler, and that as an agent.
func TestEquivalenceOfHandler(t *testing.T) {
	equivalence.Run(t, func(tb testing.TB, agent binding.Agent) binding.Agent {
		return dialed(tb, a2asdk.FromHandler(a2asdk.ToHandler(agent, equivalence.OptionsFor(agent))), agent)
	}, &equivalence.Options{Exempt: untold})
}

// The same, with the SDK's transport between the two.
func TestEquivalenceOfTransport(t *testing.T) {
	exempt := map[string]string{
		"operations/ListTaskPushNotificationConfigs": "a2aclient.Transport has no place for the token of the next page",
		"operations/SendStreamingMessage":            "a handler that ToHandler did not make is asked for the message's task first",
	}
	for name, why := range untold {
		exempt[name] = why
	}
	equivalence.Run(t, func(tb testing.TB, agent binding.Agent) binding.Agent {
		transport := a2asdk.ToTransport(dialed(tb, agent, agent))
		return dialed(tb, a2asdk.FromHandler(relay{transport}), agent)
	}, &equivalence.Options{Exempt: exempt})
}

// dialed is an agent in this process, served with the card of another.
func dialed(tb testing.TB, agent, of binding.Agent) binding.Client {
	c := inproc.Dial(agent, equivalence.OptionsFor(of))
	tb.Cleanup(func() { assert.NoError(tb, c.Close()) })
	return c
}
