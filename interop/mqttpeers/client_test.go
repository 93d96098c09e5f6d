//go:build interop

package mqttpeers_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// Their client with our agent, at once and behind a bridge.
func TestForeignClient(t *testing.T) {
	for _, agent := range agents {
		for _, broker := range brokers {
			t.Run(agent.name+"/"+broker.name, func(t *testing.T) {
				t.Parallel()
				url := broker.start(t)
				serve(t, url, agent.make(t))
				said := leg.Run[outcome](t, patience, "node", "client.mjs", "talk", url, mqtt.DefaultRoot, address.String())
				judge(t, steps(), nil, byStep(t, said))
			})
		}
	}
}

// Their client sees an agent come, and go.
func TestForeignDiscovery(t *testing.T) {
	for _, broker := range brokers {
		t.Run(broker.name, func(t *testing.T) {
			t.Parallel()
			url := broker.start(t)
			server := serve(t, url, reference(t))
			watch := leg.Start(t, patience, "node", "client.mjs", "watch", url, mqtt.DefaultRoot)
			card := published(t, watch, "online", true)
			assert.NotEmpty(t, card.Properties["a2a-instance-id"])
			require.NoError(t, server.Close())
			gone := published(t, watch, "offline", false)
			assert.Equal(t, card.Payload, gone.Payload, "the card is the same")

			late := leg.Start(t, patience, "node", "client.mjs", "watch", url, mqtt.DefaultRoot)
			published(t, late, "offline", true)
		})
	}
}

// published is the next card that is seen, which is of our agent.
func published(t *testing.T, watch *leg.Script, status string, retained bool) packet {
	t.Helper()
	var o outcome
	watch.Next(t, &o)
	require.Empty(t, o.Error)
	require.Len(t, o.Packets, 1)
	p := o.Packets[0]
	assert.Equal(t, mqtt.DefaultRoot+"/discovery/"+address.String(), p.Topic)
	assert.Equal(t, status, p.Properties["a2a-status"])
	assert.Equal(t, "agent", p.Properties["a2a-status-source"])
	assert.Equal(t, retained, p.Retain)
	card := new(pb.AgentCard)
	require.NoError(t, protojson.Unmarshal([]byte(p.Payload), card))
	var wires []string
	for _, i := range card.GetSupportedInterfaces() {
		wires = append(wires, i.GetProtocolBinding())
	}
	assert.Equal(t, []string{mqtt.Protocol, mqtt.ProfileProtocol}, wires)
	return p
}
