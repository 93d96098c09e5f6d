//go:build interop

package ws_test

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

// patience is how long one process of Node or Chromium may run.
const patience = 50 * time.Second

// converse runs client.mjs, and is what its steps came to.
func converse(t *testing.T, args ...string) []outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"client.mjs"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, err, "client.mjs: %v\n%s\n%s", ctx.Err(), clip(stderr.String()), clip(stdout.String()))
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

// verdict is what server.mjs says when it ends.
type verdict struct {
	Violations []string
	Canceled   int
}

// proposalServer starts server.mjs: its URL, and what ends it and is its verdict.
// It must be called.
func proposalServer(t *testing.T) (url string, end func() verdict) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	cmd := exec.CommandContext(ctx, "node", "server.mjs")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	lines := json.NewDecoder(stdout)
	var at struct{ URL string }
	assert.NoError(t, lines.Decode(&at), "server.mjs printed no address")
	return at.URL, func() (v verdict) {
		defer cancel()
		_ = stdin.Close()
		assert.NoError(t, lines.Decode(&v), "server.mjs printed no verdict")
		assert.NoError(t, cmd.Wait(), "server.mjs: %v\n%s", ctx.Err(), clip(stderr.String()))
		return v
	}
}

// clip keeps large texts out of messages.
func clip(text string) string {
	const most = 2000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
