//go:build interop

package ws_test

import (
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// outcome is what one step of client.mjs came to (see report.mjs).
type outcome struct {
	Step    string
	Error   string   // of the script
	Frames  []string // the server's, as they came
	Close   *closing
	Status  int
	Headers map[string]any
}

// closing is how a server closed a connection.
type closing struct {
	Code   int
	Reason string
}

// frame is a server's frame; it has no other members.
type frame struct {
	JSONRPC       string            `json:"jsonrpc"`
	ID            json.RawMessage   `json:"id"`
	Result        json.RawMessage   `json:"result"`
	Error         *fault            `json:"error"`
	StreamEnd     json.RawMessage   `json:"streamEnd"`
	ServiceParams map[string]string `json:"serviceParams"`
	Control       string            `json:"control"`
	Params        json.RawMessage   `json:"params"`
}

// fault is a JSON-RPC error object (spec 9.5).
type fault struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Data    []map[string]any `json:"data"`
}

// read takes a frame apart.
func read(t require.TestingT, text string) frame {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var f frame
	require.NoError(t, d.Decode(&f), "%s", leg.Clip(text))
	require.Equal(t, "2.0", f.JSONRPC, "%s", leg.Clip(text))
	return f
}

// only is the one frame of an outcome.
func (o outcome) only(t require.TestingT) frame {
	require.Len(t, o.Frames, 1)
	return read(t, o.Frames[0])
}
