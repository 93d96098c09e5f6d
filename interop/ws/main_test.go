//go:build interop

package ws_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) {
	if err := ready(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/ws: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// ready installs the npm package where it is not, and says what is missing
// that it cannot install.
func ready() error {
	if chromium() == "" {
		return fmt.Errorf("no Chromium is in the path (%s); apt-get install chromium", strings.Join(chromiums, ", "))
	}
	return leg.Node(".")
}

// chromiums are the names that Chromium has on different systems.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome"}

// chromium is the path of Chromium, "" where there is none.
func chromium() string {
	for _, name := range chromiums {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
