//go:build interop

package mqtt_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// Every pair that has MQTT in it, the bridge's relay between, on mosquitto.
func TestEquivalencePairsMosquitto(t *testing.T) {
	const name = "mqtt"
	makers := map[string]equivalence.Maker{
		"inproc": func(t testing.TB, agent binding.Agent) binding.Agent {
			return uniform(t, inproc.New(equivalence.OptionsFor(agent)), "", agent)
		},
	}
	for _, e := range catalogue.Entries() {
		if e.Broker != nil {
			continue
		}
		makers[e.Name] = func(t testing.TB, agent binding.Agent) binding.Agent {
			return uniform(t, e.Make(*equivalence.OptionsFor(agent)), e.Scheme+"://127.0.0.1:0", agent)
		}
	}
	onMosquitto := through(leg.StartMosquitto(t).URL(), mqtt.DefaultRoot)
	pair := func(front, back string, frontMaker, backMaker equivalence.Maker) {
		t.Run(front+"-to-"+back, func(t *testing.T) {
			equivalence.Run(t, equivalence.Bridge(frontMaker, relayed(backMaker)), &equivalence.Options{Relayed: true})
		})
	}
	pair(name, name, onMosquitto, onMosquitto)
	for other, mk := range makers {
		pair(name, other, onMosquitto, mk)
		pair(other, name, mk, onMosquitto)
	}
}

// relayed puts the bridge's relay in front of a binding.
func relayed(mk equivalence.Maker) equivalence.Maker {
	return func(t testing.TB, agent binding.Agent) binding.Agent {
		return bridge.Relay(mk(t, agent).(binding.Client), nil)
	}
}

func uniform(t testing.TB, b binding.Binding, url string, agent binding.Agent) binding.Agent {
	s, err := b.Serve(t.Context(), &pb.AgentInterface{Url: url}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	c, err := b.Dial(t.Context(), s.Interface())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}
