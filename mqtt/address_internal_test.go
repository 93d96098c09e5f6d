package mqtt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestAddresses(t *testing.T) {
	for in, ok := range map[string]bool{
		"acme/edge/a2": true, "A.c_m-e/0/x": true,
		"": false, "acme/edge": false, "acme/edge/a2/x": false, "acme//a2": false, "acme/+/a2": false, "acme/edge/é": false,
		"acme/edge/" + strings.Repeat("a", 129): false,
	} {
		a, err := ParseAddress(in)
		if !ok {
			require.ErrorIs(t, err, binding.ErrInvalidParams, in)
			continue
		}
		require.NoError(t, err, in)
		assert.Equal(t, in, a.String())
	}
}

func TestBrokerURLs(t *testing.T) {
	for in, want := range map[string]string{
		"mqtt://host":                   "mqtt://host:1883 ",
		"MQTTS://host/acme/edge/a2/":    "mqtts://host:8883 acme/edge/a2",
		"mqtt://[::1]:99/acme/edge/a2":  "mqtt://[::1]:99 acme/edge/a2",
		"mqtt://u:secret@host/acme/e/a": "",
		"mqtt:u:secret@host/acme/e/a":   "",
		"http://host":                   "",
		"mqtt:///acme/edge/a2":          "",
		"mqtt://host/a/b/c?root=x":      "",
		"mqtt://host\x7f":               "",
		"host:1883":                     "",
	} {
		u, path, err := parseBroker(in)
		if want == "" {
			require.ErrorIs(t, err, binding.ErrInvalidParams, in)
			assert.NotContains(t, err.Error(), "secret")
			continue
		}
		require.NoError(t, err, in)
		assert.Equal(t, want, u.String()+" "+path)
	}
	to, err := parseTarget("acme/edge/pool/workers")
	require.NoError(t, err)
	assert.Equal(t, target{Address{Org: "acme", Unit: "edge"}, "workers"}, to)
	_, err = parseTarget("acme/edge/pool/+")
	require.Error(t, err)
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		filter, topic string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/c", false}, {"a/+", "a/b", true}, {"a/+", "a/b/c", false}, {"a/+", "a", false},
		{"a/#", "a/b/c", true}, {"a/#", "a", true}, {"a/+/c", "a/b/c", true}, {"a/+/c", "a/b/d", false}, {"#", "a/b", true},
		{"a/b/c", "a/b", false}, {"+/+", "a/b", true}, {"+/#", "a", true},
	} {
		assert.Equal(t, c.want, matches(c.filter, c.topic), "%s %s", c.filter, c.topic)
	}
}

// The size of a packet is what the library below writes.
func TestSize(t *testing.T) {
	for _, n := range []int{0, 1, 100, 127, 128, 16_000, 17_000, 3_000_000} {
		m := packet("corr", strings.Repeat("x", n), "key", "value", "k", strings.Repeat("v", n%65_000))
		m.topic, m.response, m.content, m.expiry = "a/b", "r/s", contentA2A, 7
		p := m.publish().Packet()
		var out counter
		_, err := p.WriteTo(&out)
		require.NoError(t, err)
		assert.Equal(t, int(out), m.size(), n)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
