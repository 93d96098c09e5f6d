//go:build interop

package js_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) {
	if err := leg.Node(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/js: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// sdkVersion is the version of the SDK that the known faults are of.
const sdkVersion = "1.3.0"
