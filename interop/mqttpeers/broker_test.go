//go:build interop

package mqttpeers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
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

func startMosquitto(t testing.TB) string { return leg.StartMosquitto(t).URL() }

// hostPort are those of a broker's URL.
func hostPort(t testing.TB, url string) (host, port string) {
	t.Helper()
	host, port, ok := strings.Cut(strings.TrimPrefix(url, "mqtt://"), ":")
	require.True(t, ok, url)
	return host, port
}
