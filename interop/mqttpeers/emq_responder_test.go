//go:build interop

package mqttpeers_test

import (
	"context"
	"iter"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/mqtt"
)

// emq is where the SDK's agent is.
var emq = mqtt.Address{Org: "acme", Unit: "edge", Agent: "emq"}

// Our client with EMQ's responder.
func TestEMQResponder(t *testing.T) {
	url := startMosquitto(t)
	host, port := hostPort(t, url)
	agent := leg.Start(t, patience, python, "responder.py", host, port, emq.Org, emq.Unit, emq.Agent)
	conn, err := mqtt.Connect(t.Context(), url, nil)
	require.NoError(t, err)
	defer conn.Close()
	cards, stop := iter.Pull2(mqtt.Discover(within(t, patience), conn, mqtt.Filter{Agent: emq.Agent}))
	defer stop()
	found := discovered(t, cards)
	require.True(t, found.Online)
	assert.Equal(t, emq, found.Address)

	client, err := mqtt.Binding{}.Dial(t.Context(), &pb.AgentInterface{Url: url + "/" + found.Address.String()})
	require.NoError(t, err)
	defer client.Close()
	t.Run("direct", func(t *testing.T) { talk(t, client, found.Card) })
	t.Run("bridge", func(t *testing.T) { talk(t, inFront(t, client, found.Card), found.Card) })

	agent.End(t)
	gone := discovered(t, cards)
	assert.False(t, gone.Online)
	assert.Equal(t, "agent", gone.Source)
	_, err = client.SendMessage(within(t, time.Second), nil, say("echo hello"))
	require.ErrorIs(t, err, binding.ErrUnavailable, "at once")
}

// discovered is the next that is told of an agent.
func discovered(t *testing.T, next func() (mqtt.Found, error, bool)) mqtt.Found {
	t.Helper()
	found, err, ok := next()
	require.NoError(t, err)
	require.True(t, ok)
	return found
}

// inFront is a client, on JSON-RPC, of a bridge to an agent.
func inFront(t *testing.T, upstream binding.Client, card *pb.AgentCard) binding.Client {
	t.Helper()
	relay := bridge.Relay(upstream, &bridge.Options{Card: binding.StaticCard(card)})
	server, err := jsonrpc.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0/a2a"}, relay)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	client, err := jsonrpc.Binding{}.Dial(t.Context(), server.Interface())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return client
}

// talk holds a conversation with responder.py.
func talk(t *testing.T, client binding.Client, card *pb.AgentCard) {
	got := map[string]answer{"card": {card: card}}
	steps := []step[answer]{{"card", func(t require.TestingT, a answer) { assert.NotEmpty(t, a.card.GetSkills()[0].GetTags()) }}}
	for _, q := range questions {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		a := q.ask(&asker{ctx, client})
		cancel()
		require.NotContains(t, got, q.name)
		got[q.name] = a
		steps = append(steps, step[answer]{q.name, q.is})
	}
	judge(t, steps, responderFaults, got)
}
