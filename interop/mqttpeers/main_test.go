//go:build interop

package mqttpeers_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) {
	if err := ready(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/mqttpeers: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// python is the interpreter that has EMQ's SDK.
var python string

// sdkVersion is that of EMQ's SDK in requirements.txt.
const sdkVersion = "0.1.0"

// patience is how long one process may run.
const patience = 90 * time.Second

// ready installs the peers where they are not, and says what is missing that
// it cannot install.
func ready() (err error) {
	if _, err := leg.Executable("mosquitto"); err != nil {
		return fmt.Errorf("%w; apt-get install mosquitto", err)
	}
	if err := leg.Node("."); err != nil {
		return err
	}
	python, err = leg.Python(".", "a2a-over-mqtt", sdkVersion)
	return err
}

// within bounds what a test waits for.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
