//go:build interop

package grpcurl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const service = "lf.a2a.v1.A2AService"

// answer is what the program printed of one call.
type answer struct {
	messages []json.RawMessage
	err      *status
}

// status is an error, as -format-error prints it.
type status struct {
	Code    int
	Message string
	Details []map[string]any
}

// caller calls one server.
type caller struct {
	t       *testing.T
	address string
}

// run runs the program on a server.
func (c caller) run(input string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, grpcurl, append([]string{"-plaintext", "-format-error"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(input), &out, &errs
	err = cmd.Run()
	require.NoError(c.t, ctx.Err(), "%s\n%s", out.String(), errs.String())
	return out.String(), errs.String(), err
}

// call calls a method with a request, and headers beside the version.
func (c caller) call(method, request string, headers ...string) answer {
	args := []string{"-H", "A2A-Version: 1.0", "-d", "@"}
	for _, h := range headers {
		args = append(args, "-H", h)
	}
	stdout, stderr, err := c.run(request, append(args, c.address, service+"/"+method)...)
	var a answer
	for d := json.NewDecoder(bytes.NewBufferString(stdout)); ; {
		var m json.RawMessage
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(c.t, err, stdout)
		}
		a.messages = append(a.messages, m)
	}
	if err != nil {
		a.err = new(status)
		require.NoError(c.t, json.Unmarshal([]byte(stderr), a.err), "%v: %s", err, stderr)
	}
	return a
}
