//go:build interop

package mqtt_test

import (
	"slices"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// through serves an agent through a broker, below a root, and dials it.
func through(brokerURL, root string) equivalence.Maker {
	return func(t testing.TB, agent binding.Agent) binding.Agent {
		o := &mqtt.Options{Options: *equivalence.OptionsFor(agent), Root: root}
		s, err := mqtt.Binding{Options: *o}.Serve(t.Context(), &pb.AgentInterface{Url: brokerURL}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		c, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), o)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

func TestEquivalenceMosquitto(t *testing.T) {
	equivalence.Run(t, through(leg.StartMosquitto(t).URL(), mqtt.DefaultRoot))
}

// The other root is the same but for its topics: a look at each kind of call.
func TestEquivalenceMosquittoOtherRoot(t *testing.T) {
	groups := []string{"operations", "streams", "errors", "parameters"}
	for _, g := range groups {
		require.True(t, slices.ContainsFunc(equivalence.Scenarios(), func(s equivalence.Scenario) bool { return s.Group() == g }), "no group %s", g)
	}
	equivalence.Run(t, through(leg.StartMosquitto(t).URL(), otherRoot), &equivalence.Options{
		Only: func(s equivalence.Scenario) bool { return slices.Contains(groups, s.Group()) },
	})
}

// otherRoot is the root below which mosquitto has pools.
const otherRoot = "a2a/v1"
