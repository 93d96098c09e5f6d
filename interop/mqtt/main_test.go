//go:build interop

package mqtt_test

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
	if serveAlone() {
		return
	}
	if err := ready(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/mqtt: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// ready says what is missing, and what to do about it.
func ready() error {
	for _, program := range []string{"mosquitto", "mosquitto_rr", "mosquitto_sub", "mosquitto_pub"} {
		if _, err := leg.Executable(program); err != nil {
			return fmt.Errorf("%w; apt-get install mosquitto mosquitto-clients", err)
		}
	}
	return nil
}

// How long, and how often, a test looks for what must come about.
const (
	patience = 30 * time.Second
	tick     = 20 * time.Millisecond
)

// within bounds what a test waits for.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
