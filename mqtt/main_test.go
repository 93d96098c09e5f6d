package mqtt_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/mqtt/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names counts the agents of all tests: no name is used twice.
var names atomic.Int64

// freshPath is an address that nobody had: org/unit/agent.
func freshPath() string { return fmt.Sprintf("acme/test/a%d", names.Add(1)) }

// broker starts a broker that lives as long as the test.
func broker(t testing.TB) *embedded.Broker {
	t.Helper()
	b, err := embedded.Start(nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

// How long, and how often, a test looks for what must come about.
const (
	connectSoon = 20 * time.Second
	tick        = 10 * time.Millisecond
)
