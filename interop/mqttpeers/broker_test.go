//go:build interop

package mqttpeers_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/mqtt/embedded"
)

// brokers start a broker for a test, and are its URL.
var brokers = []struct {
	name  string
	start func(testing.TB) string
}{
	{"mosquitto", startMosquitto},
	{"embedded", startEmbedded},
}

func startEmbedded(t testing.TB) string {
	t.Helper()
	b, err := embedded.Start(nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b.URL()
}

// mosquittoPath finds mosquitto, also where Debian puts daemons and the path of
// plain users does not look.
func mosquittoPath() (string, error) {
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		if daemon, e := exec.LookPath("/usr/sbin/mosquitto"); e == nil {
			return daemon, nil
		}
	}
	return path, err
}

// startMosquitto starts a mosquitto, on a free port of the loopback interface.
func startMosquitto(t testing.TB) string {
	t.Helper()
	path, err := mosquittoPath()
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	host, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	config := filepath.Join(t.TempDir(), "mosquitto.conf")
	require.NoError(t, os.WriteFile(config, []byte(strings.Join([]string{
		"listener " + port + " " + host,
		"allow_anonymous true",
		"persistence false",
		// Without it, each acknowledgement waits 40 ms for a packet to travel with.
		"set_tcp_nodelay true",
		"log_dest stderr",
		"",
	}, "\n")), 0o600))
	cmd := exec.Command(path, "-c", config)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // says that it was ended, which is known
		if t.Failed() {
			t.Logf("mosquitto said:\n%s", clip(log.String()))
		}
	})
	require.Eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 10*time.Second, 20*time.Millisecond, "mosquitto does not accept connections")
	return "mqtt://" + addr
}
