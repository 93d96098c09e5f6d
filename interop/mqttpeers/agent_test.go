//go:build interop

package mqttpeers_test

import (
	"net/http"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/refagent"
)

// address is where our agent is at every broker.
var address = mqtt.Address{Org: "acme", Unit: "edge", Agent: "a2"}

// agents are ours, at once and behind a bridge.
var agents = []struct {
	name string
	make func(testing.TB) binding.Agent
}{
	{"direct", func(t testing.TB) binding.Agent { return reference(t) }},
	{"bridge", bridged},
}

// reference is the reference agent, with an extended card.
func reference(t testing.TB) *refagent.Agent {
	agent := refagent.New(&refagent.Options{Extensions: []string{leg.ExtensionGeo}, WebhookClient: &http.Client{Transport: nobody{}}})
	agent.Card(&pb.AgentInterface{Url: "mqtts://broker.example/" + address.String(), ProtocolBinding: mqtt.Protocol, ProtocolVersion: binding.Version})
	t.Cleanup(func() { assert.NoError(t, agent.Close()) })
	return agent
}

// bridged is a relay to the reference agent, which is served on JSON-RPC.
func bridged(t testing.TB) binding.Agent {
	agent := reference(t)
	server, err := jsonrpc.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0/a2a"}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	upstream, err := jsonrpc.Binding{}.Dial(t.Context(), server.Interface())
	require.NoError(t, err)
	relay := bridge.Relay(upstream, &bridge.Options{Card: binding.StaticCard(agent.Card(server.Interface()))})
	t.Cleanup(func() { assert.NoError(t, relay.Close()) })
	return relay
}

// nobody takes the place of the network for an agent's webhooks.
type nobody struct{}

func (nobody) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// serve serves an agent at the address until the test ends.
func serve(t testing.TB, broker string, agent binding.Agent) binding.Server {
	t.Helper()
	s, err := mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: broker + "/" + address.String()}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}
