//go:build interop

package mqtt_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// inShell is a block of the README, from a command on, for people who have a
// shell and mosquitto-clients, with another broker.
func inShell(t *testing.T, command string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, lines, ok := strings.Cut(string(readme), "\n"+command+" ")
	require.True(t, ok)
	lines, _, ok = strings.Cut(lines, "\n```")
	require.True(t, ok)
	return strings.ReplaceAll(command+" "+lines, "-h broker.example", `-p "$PORT"`)
}

// The command's agent answers what a shell asks.
func TestCommandIsAskedFromAShell(t *testing.T) {
	b := leg.StartMosquitto(t)
	_, port, err := net.SplitHostPort(b.Addr)
	require.NoError(t, err)
	url := b.URL() + "/acme/edge/press-7"
	ctx := within(t, 3*patience)
	command := filepath.Join(t.TempDir(), "a2awire")
	build, err := exec.CommandContext(ctx, "go", "build", "-o", command, "../../cmd/a2awire").CombinedOutput()
	require.NoError(t, err, "%s", build)
	agent := exec.Command(command, "agent", "--mqtt", url)
	var said leg.Transcript
	agent.Stdout, agent.Stderr = &said, &said
	require.NoError(t, agent.Start())
	ended := make(chan error, 1)
	running, gone := context.WithCancel(ctx)
	go func() {
		defer gone()
		ended <- agent.Wait()
	}()
	t.Cleanup(func() {
		_ = agent.Process.Kill()
		<-running.Done()
		if t.Failed() {
			t.Logf("a2awire said:\n%s", &said)
		}
	})
	require.True(t, found(running, t, b, url).Online)

	for i, command := range []string{"mosquitto_rr", "mosquitto_sub"} {
		shell := exec.CommandContext(ctx, "sh", "-c", inShell(t, command))
		shell.Env = append(os.Environ(), "PORT="+port)
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var reply struct {
			ID     int `json:"id"`
			Result struct {
				Task struct {
					Status    struct{ State string }
					Artifacts []struct{ Parts []struct{ Text string } }
				}
			}
		}
		require.NoError(t, json.Unmarshal(out, &reply), "%s", out)
		assert.Equal(t, i+1, reply.ID)
		assert.Equal(t, "TASK_STATE_COMPLETED", reply.Result.Task.Status.State)
		require.Len(t, reply.Result.Task.Artifacts, 1)
		assert.Equal(t, "echo: hello", reply.Result.Task.Artifacts[0].Parts[0].Text)
	}

	// Told to stop, it says that it is gone.
	require.NoError(t, agent.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-ended)
	f := found(ctx, t, b, url)
	assert.False(t, f.Online)
	assert.Equal(t, "agent", f.Source)
}
