//go:build interop

package mqtt_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// broker is a mosquitto of one test. Its methods are for the test's goroutine.
type broker struct {
	addr   string // host:port, the same over restarts
	config string // a file
	log    transcript
	cmd    *exec.Cmd // nil while it does not run
}

// start starts a mosquitto with settings beyond the usual. It ends with the
// test.
func start(t testing.TB, settings ...string) *broker {
	t.Helper()
	b := &broker{addr: freeAddress(t), config: filepath.Join(t.TempDir(), "mosquitto.conf")}
	host, port, err := net.SplitHostPort(b.addr)
	require.NoError(t, err)
	lines := append([]string{
		"listener " + port + " " + host,
		"allow_anonymous true",
		"persistence false",
		// Without it, each acknowledgement waits 40 ms for a packet to travel with.
		"set_tcp_nodelay true",
		"log_dest stderr",
		"log_type all",
	}, settings...)
	require.NoError(t, os.WriteFile(b.config, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	b.run(t)
	t.Cleanup(func() {
		if b.cmd != nil {
			b.end(t, syscall.SIGTERM)
		}
		if t.Failed() {
			t.Logf("mosquitto said:\n%s", b.log.tail(8<<10))
		}
	})
	return b
}

// freeAddress is an address of the loopback interface that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func (b *broker) url() string { return "mqtt://" + b.addr }

// run starts the broker, at the address that it had, and waits until it accepts.
func (b *broker) run(t testing.TB) {
	t.Helper()
	path, err := executable("mosquitto")
	require.NoError(t, err)
	before := strings.Count(b.log.String(), running)
	b.cmd = exec.Command(path, "-c", b.config)
	b.cmd.Stdout, b.cmd.Stderr = &b.log, &b.log
	require.NoError(t, b.cmd.Start())
	require.Eventually(t, func() bool { return strings.Count(b.log.String(), running) > before },
		patience, tick, "mosquitto does not run: %s", &b.log)
}

// running is the end of what mosquitto says when it listens. That its port can
// be connected to is no sign of it: a process that was forked meanwhile may hold
// the listener that found the port.
const running = " running\n"

// end sends the broker a signal that ends it, and waits until it is gone.
func (b *broker) end(t testing.TB, signal syscall.Signal) {
	t.Helper()
	assert.NoError(t, b.cmd.Process.Signal(signal))
	_ = b.cmd.Wait() // says how it was ended, which is known
	b.cmd = nil
}

// connects is how many connections a client identifier has made.
func (b *broker) connects(clientID string) int {
	return strings.Count(b.log.String(), fmt.Sprintf(" as %s (", clientID))
}

// transcript is what a process has said. Its methods may be called at the same time.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// tail is the last of it.
func (s *transcript) tail(n int) string {
	all := s.String()
	return all[max(0, len(all)-n):]
}
