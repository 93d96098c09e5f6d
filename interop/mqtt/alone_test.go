//go:build interop

package mqtt_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/refagent"
)

const (
	// aloneVariable is where a process finds the URL to serve an agent at.
	aloneVariable = "A2AWIRE_INTEROP_SERVE"
	// aloneKeepAlive is how long the connection of such a process may be silent.
	aloneKeepAlive = 2 * time.Second
	aloneReady     = "ready"
)

// serveAlone serves the reference agent if this process was started for that,
// until its standard input ends.
func serveAlone() bool {
	url := os.Getenv(aloneVariable)
	if url == "" {
		return false
	}
	agent := refagent.New(nil)
	defer agent.Close()
	o := mqtt.Options{KeepAlive: aloneKeepAlive}
	s, err := mqtt.Binding{Options: o}.Serve(context.Background(), &pb.AgentInterface{Url: url}, agent)
	if err != nil {
		fmt.Println(err)
		return true
	}
	defer s.Close()
	fmt.Println(aloneReady)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return true
}

// process serves an agent in a process of its own.
type process struct{ cmd *exec.Cmd }

// startAlone starts an agent in a process of its own. It ends with the test.
func startAlone(t testing.TB, url string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), aloneVariable+"="+url)
	cmd.Stderr = os.Stderr
	_, err = cmd.StdinPipe() // closed with this process
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{cmd}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, aloneReady+"\n", line)
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// signal sends a signal to the process.
func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	assert.NoError(t, p.cmd.Process.Signal(s))
}
