//go:build interop

package python_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

// python is the interpreter that has the SDK.
var python string

func TestMain(m *testing.M) {
	var err error
	if python, err = leg.Python(".", peer.Package, peer.Version); err != nil {
		fmt.Fprintf(os.Stderr, "interop/python: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
