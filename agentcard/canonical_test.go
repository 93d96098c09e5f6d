package agentcard_test

import (
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/agentcard"
)

// The example of spec 8.4.1 is a fragment: beside it are the other fields that
// must be there, too.
func TestCanonical(t *testing.T) {
	const given = `{
		"name": "Example Agent", "description": "", "skills": [],
		"capabilities": {"streaming": false, "pushNotifications": false, "extensions": []},
		"supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC", "tenant": "", "protocolVersion": "1.0"}],
		"version": "1", "iconUrl": "", "defaultInputModes": [], "defaultOutputModes": ["text/plain"],
		"securitySchemes": {}, "signatures": [{"protected": "e30", "signature": "AA"}]
	}`
	const want = `{"capabilities":{"pushNotifications":false,"streaming":false},"defaultInputModes":[],"defaultOutputModes":["text/plain"],` +
		`"description":"","iconUrl":"","name":"Example Agent","skills":[],` +
		`"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://a.example"}],"version":"1"}`
	card := new(pb.AgentCard)
	require.NoError(t, protojson.Unmarshal([]byte(given), card))
	before := proto.Clone(card)
	got, err := agentcard.Canonical(card)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
	assert.True(t, proto.Equal(before, card), "the card given has changed")

	// The same card, as another program may write it.
	again := new(pb.AgentCard)
	require.NoError(t, protojson.Unmarshal([]byte(strings.ReplaceAll(want, `"iconUrl"`, `"icon_url"`)), again))
	also, err := agentcard.Canonical(again)
	require.NoError(t, err)
	assert.Equal(t, string(got), string(also))
}

// Keys are in the order of UTF-16, and numbers as ECMAScript writes them (RFC 8785).
func TestCanonicalForm(t *testing.T) {
	card := new(pb.AgentCard)
	require.NoError(t, protojson.Unmarshal([]byte(`{"capabilities": {"extensions": [{"uri": "x", "params":
		{"\ufb33": 1e21, "\ud83d\ude02": 1E-7, "\u20ac": 4.50, "\r": 100.0, "1": "\u000f<\n"}}]}}`), card))
	got, err := agentcard.Canonical(card)
	require.NoError(t, err)
	assert.Contains(t, string(got), `"params":{"\r":100,"1":"\u000f<\n","€":4.5,"😂":1e-7,"`+"\ufb33"+`":1e+21}`)
}

func TestCanonicalRefuses(t *testing.T) {
	_, err := agentcard.Canonical(&pb.AgentCard{Name: "\xff"})
	require.ErrorContains(t, err, "agentcard: name: ")
}
