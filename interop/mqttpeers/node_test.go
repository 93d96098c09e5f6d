//go:build interop

package mqttpeers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// converse runs a script to its end, and is what its steps came to.
func converse[O any](t *testing.T, program string, args ...string) []O {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, err, "%s: %v\n%s", args[0], ctx.Err(), clip(stderr.String()))
	var out []O
	for d := json.NewDecoder(&stdout); ; {
		var o O
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, o)
	}
}

// script is a script that runs until its input ends.
type script struct {
	name   string
	cancel context.CancelFunc
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *json.Decoder
	stderr bytes.Buffer
}

// start starts a script. It ends with the test, or before with end.
func start(t *testing.T, program string, args ...string) *script {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	s := &script{name: args[0], cancel: cancel, cmd: exec.CommandContext(ctx, program, args...)}
	stdin, err := s.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.cmd.Stderr = &s.stderr
	s.stdin, s.lines = stdin, json.NewDecoder(stdout)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		s.end(t)
		if t.Failed() {
			t.Logf("%s said:\n%s", s.name, clip(s.stderr.String()))
		}
	})
	return s
}

// next is the next line that the script prints.
func (s *script) next(t *testing.T, v any) {
	t.Helper()
	require.NoError(t, s.lines.Decode(v), "%s has ended, or printed something else", s.name)
}

// end ends the script's input, and waits until it is gone.
func (s *script) end(t *testing.T) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	defer s.cancel()
	_ = s.stdin.Close()
	assert.NoError(t, s.cmd.Wait(), "%s: %s", s.name, clip(s.stderr.String()))
	s.cmd = nil
}

// clip keeps large texts out of messages.
func clip(text string) string {
	const most = 3000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
