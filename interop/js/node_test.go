//go:build interop

package js_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long one conversation may take.
const patience = 60 * time.Second

// converse holds a conversation of the SDK's client with the agent whose card
// is below a URL.
func converse(t *testing.T, url, transport, mode string) []outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "client.mjs", url, transport, mode)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, err, "client.mjs: %v\n%s\n%s", ctx.Err(), clip(stderr.Bytes()), clip(stdout.Bytes()))
	var out []outcome
	for d := json.NewDecoder(&stdout); ; {
		var o outcome
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, o)
	}
}

// sdkServer starts the agents on the SDK's server, and is where their cards
// are by mode. They end with the test.
func sdkServer(t *testing.T) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	cmd := exec.CommandContext(ctx, "node", "server.mjs")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		defer cancel()
		_ = stdin.Close()
		assert.NoError(t, cmd.Wait(), "server.mjs: %v\n%s", ctx.Err(), clip(stderr.Bytes()))
		if t.Failed() {
			t.Logf("server.mjs said:\n%s", clip(stderr.Bytes()))
		}
	})
	cards := map[string]string{}
	require.NoError(t, json.NewDecoder(stdout).Decode(&cards), "server.mjs printed no addresses")
	return cards
}
