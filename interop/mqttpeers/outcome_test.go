//go:build interop

package mqttpeers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// outcome is what one step of client.mjs came to (see report.mjs).
type outcome struct {
	Step    string
	Error   string // of the script
	Packets []packet
}

// byStep are the outcomes of a script, by step. What holds for all packets holds
// for theirs.
func byStep(t *testing.T, all []outcome) map[string]outcome {
	t.Helper()
	got := map[string]outcome{}
	for _, o := range all {
		assert.NotContains(t, got, o.Step, "a step is there twice")
		assert.Empty(t, o.Error, "%s: the script failed", o.Step)
		for _, p := range o.Packets {
			p.wellFormed(t)
		}
		got[o.Step] = o
	}
	return got
}

// packet is a packet as the requester got it.
type packet struct {
	Call        string // the label of the call it is for
	Topic       string
	QoS         int
	Retain      bool
	Payload     string
	ContentType string
	UTF8        bool
	Properties  map[string]string // no key is there twice
}

// wellFormed is what holds for every packet of an agent.
func (p packet) wellFormed(t require.TestingT) {
	assert.Equal(t, 1, p.QoS)
	assert.False(t, p.Retain)
	assert.True(t, p.UTF8, "Payload Format Indicator")
	if p.Payload != "" {
		assert.Equal(t, "application/a2a+json", p.ContentType)
	}
	assert.Equal(t, address.Agent, p.Properties["a2a-responder-agent-id"])
	assert.NotContains(t, p.Properties, "a2a-authorization")
	assert.NotContains(t, p.Payload, "Bearer")
}

// number is what a packet of a stream has as its number, -1 for none.
func (p packet) number(t require.TestingT) int {
	text, ok := p.Properties["a2a-stream-seq"]
	if !ok {
		return -1
	}
	var n int
	_, err := fmt.Sscanf(text, "%d", &n)
	require.NoError(t, err)
	return n
}

// response is a JSON-RPC response; it has no other members.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *fault          `json:"error"`
}

// fault is a JSON-RPC error object (spec 9.5).
type fault struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// details are the fault's, which an error of the transport has deeper.
func (f *fault) details(t require.TestingT) (transport string, details []map[string]any) {
	if strings.HasPrefix(string(f.Data), "{") {
		var data struct {
			A2AError string           `json:"a2a_error"`
			Details  []map[string]any `json:"details"`
		}
		require.NoError(t, json.Unmarshal(f.Data, &data))
		return data.A2AError, data.Details
	}
	require.NoError(t, json.Unmarshal(f.Data, &details))
	return "", details
}

// read takes a packet's payload apart.
func (p packet) read(t require.TestingT) response {
	d := json.NewDecoder(strings.NewReader(p.Payload))
	d.DisallowUnknownFields()
	var r response
	require.NoError(t, d.Decode(&r), "%s", leg.Clip(p.Payload))
	require.Equal(t, "2.0", r.JSONRPC, "%s", leg.Clip(p.Payload))
	return r
}

// only is the one packet of an outcome, which is of no stream.
func (o outcome) only(t require.TestingT) packet {
	require.Len(t, o.Packets, 1)
	for key := range o.Packets[0].Properties {
		assert.NotContains(t, key, "a2a-stream")
	}
	return o.Packets[0]
}
