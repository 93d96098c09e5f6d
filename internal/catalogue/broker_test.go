package catalogue_test

import (
	"context"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/mqtt"
)

// What is served with the pool's name in the environment is behind one address.
func TestPoolOfTheEnvironment(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if e.Protocol() != mqtt.Protocol {
			continue
		}
		t.Setenv("A2AWIRE_MQTT_POOL", "workers")
		at := loopback(t, e)
		for _, agent := range []string{"one", "two"} {
			s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: at + "/acme/edge/" + agent}, newAgent(t))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
		}
		c, err := e.Make(binding.Options{}).Dial(t.Context(), &pb.AgentInterface{Url: at + "/acme/edge/pool/workers"})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, c.Close()) })
		_, err = c.SendMessage(t.Context(), nil, say("hello"))
		require.NoError(t, err)
	}
}

// The cards at a pool's address are those of its members.
func TestCardsOfAPool(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if e.Protocol() != mqtt.Protocol {
			continue
		}
		at := loopback(t, e)
		for agent, pool := range map[string]string{"one": "workers", "two": "others", "three": ""} {
			s, err := mqtt.Binding{Options: mqtt.Options{Pool: pool}}.Serve(t.Context(), &pb.AgentInterface{Url: at + "/acme/edge/" + agent}, newAgent(t))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
		}
		found := func(path string, n int) (out []string) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cards, err := e.Broker.Cards(ctx, at+path, binding.Options{})
			require.NoError(t, err)
			for c, err := range cards {
				require.NoError(t, err)
				if out = append(out, c.Address); len(out) == n {
					break
				}
			}
			return out
		}
		assert.ElementsMatch(t, []string{at + "/acme/edge/one", at + "/acme/edge/two", at + "/acme/edge/three"}, found("/acme", 3))
		assert.Equal(t, []string{at + "/acme/edge/one"}, found("/acme/edge/pool/workers", 1))
		assert.Equal(t, []string{at + "/acme/edge/two"}, found("/acme/edge/pool/others", 1))
	}
}
