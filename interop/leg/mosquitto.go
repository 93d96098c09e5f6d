//go:build interop

package leg

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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mosquitto is a mosquitto of one test. Its methods are for the test's goroutine.
type Mosquitto struct {
	Addr   string // host:port, the same over restarts
	config string // a file
	Log    Transcript
	cmd    *exec.Cmd // nil while it does not run
}

// StartMosquitto starts a mosquitto with settings beyond the usual. It ends with the
// test.
func StartMosquitto(t testing.TB, settings ...string) *Mosquitto {
	t.Helper()
	b := &Mosquitto{Addr: freeAddress(t), config: filepath.Join(t.TempDir(), "mosquitto.conf")}
	host, port, err := net.SplitHostPort(b.Addr)
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
	b.Run(t)
	t.Cleanup(func() {
		if b.cmd != nil {
			b.End(t, syscall.SIGTERM)
		}
		if t.Failed() {
			t.Logf("mosquitto said:\n%s", b.Log.Tail(8<<10))
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

// URL is its address: mqtt://host:port.
func (b *Mosquitto) URL() string { return "mqtt://" + b.Addr }

// Run starts the broker, at the address that it had, and waits until it accepts.
func (b *Mosquitto) Run(t testing.TB) {
	t.Helper()
	path, err := Executable("mosquitto")
	require.NoError(t, err)
	before := strings.Count(b.Log.String(), running)
	b.cmd = exec.Command(path, "-c", b.config)
	b.cmd.Stdout, b.cmd.Stderr = &b.Log, &b.Log
	require.NoError(t, b.cmd.Start())
	require.Eventually(t, func() bool { return strings.Count(b.Log.String(), running) > before },
		10*time.Second, 20*time.Millisecond, "mosquitto does not run: %s", &b.Log)
}

// running is the end of what mosquitto says when it listens. That its port can
// be connected to is no sign of it: a process that was forked meanwhile may hold
// the listener that found the port.
const running = " running\n"

// End sends the broker a signal that ends it, and waits until it is gone.
func (b *Mosquitto) End(t testing.TB, signal syscall.Signal) {
	t.Helper()
	assert.NoError(t, b.cmd.Process.Signal(signal))
	_ = b.cmd.Wait() // says how it was ended, which is known
	b.cmd = nil
}

// Connects is how many connections a client identifier has made.
func (b *Mosquitto) Connects(clientID string) int {
	return strings.Count(b.Log.String(), fmt.Sprintf(" as %s (", clientID))
}

// Transcript is what a process has said. Its methods may be called at the same time.
type Transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *Transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *Transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Tail is the last of it.
func (s *Transcript) Tail(n int) string {
	all := s.String()
	return all[max(0, len(all)-n):]
}

// Executable finds a program, also where Debian puts daemons and the path of
// plain users does not look.
func Executable(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		if daemon, e := exec.LookPath("/usr/sbin/" + name); e == nil {
			return daemon, nil
		}
	}
	return path, err
}
