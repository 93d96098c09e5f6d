package mqtt_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/internal/schema"
	"github.com/a2awire/a2awire/mqtt"
)

// through serves an agent through a broker, and dials it.
func through(brokerURL string) equivalence.Maker {
	return func(t testing.TB, agent binding.Agent) binding.Agent {
		o := &mqtt.Options{Options: *equivalence.OptionsFor(agent)}
		s, err := mqtt.Binding{Options: *o}.Serve(t.Context(), &pb.AgentInterface{Url: brokerURL}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		c, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), o)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

// All that crosses is held against the JSON Schema.
func TestEquivalenceMQTT(t *testing.T) {
	s, err := schema.Model().JSONRPC(schema.Wire{}).Compile()
	require.NoError(t, err)
	url := broker(t).URL()
	equivalence.Run(t, func(t testing.TB, agent binding.Agent) binding.Agent {
		return through(watched(t, url, schema.NewWatch(t, s)))(t, agent)
	})
}

func BenchmarkMQTT(b *testing.B) { equivalence.RunBenchmarks(b, through(broker(b).URL())) }
