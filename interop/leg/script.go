//go:build interop

package leg

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

// Run runs a script to its end, within some time, and is what it printed: JSON
// values, one for each step.
func Run[O any](t *testing.T, patience time.Duration, program string, args ...string) []O {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, err, "%s: %v\n%s\n%s", cmd, ctx.Err(), Clip(stderr.String()), Clip(stdout.String()))
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

// Script is a script that runs until its input ends.
type Script struct {
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	cmd    *exec.Cmd // nil once it has ended
	stdin  io.Closer
	lines  *json.Decoder
	stderr bytes.Buffer
}

// Start starts a script, which may run for some time. It ends with the test, or
// before with End.
func Start(t *testing.T, patience time.Duration, program string, args ...string) *Script {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	s := &Script{ctx: ctx, cancel: cancel, cmd: exec.CommandContext(ctx, program, args...)}
	s.name = s.cmd.String()
	stdin, err := s.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.cmd.Stderr = &s.stderr
	s.stdin, s.lines = stdin, json.NewDecoder(stdout)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		s.End(t)
		if t.Failed() {
			t.Logf("%s said:\n%s", s.name, Clip(s.stderr.String()))
		}
	})
	return s
}

// Next is the next value that the script prints.
func (s *Script) Next(t *testing.T, v any) {
	t.Helper()
	require.NoError(t, s.lines.Decode(v), "%s has ended, or printed something else", s.name)
}

// CloseInput tells the script to end; what it prints then can still be read.
func (s *Script) CloseInput() { _ = s.stdin.Close() }

// End ends the script's input, and waits until it is gone.
func (s *Script) End(t *testing.T) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	defer s.cancel()
	s.CloseInput()
	assert.NoError(t, s.cmd.Wait(), "%s: %v\n%s", s.name, s.ctx.Err(), Clip(s.stderr.String()))
	s.cmd = nil
}
