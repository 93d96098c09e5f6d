//go:build interop

package js_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if err := ready(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/js: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

const oldestNode = 20

// ready says what is missing, and what to do about it.
func ready() error {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node does not run: %w; install Node.js %d or later", err, oldestNode)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return fmt.Errorf("node is %s; install Node.js %d or later", version, oldestNode)
	}
	if _, err := os.Stat("node_modules/@a2a-js/sdk/package.json"); err != nil {
		return fmt.Errorf("the SDK is not installed: run (cd interop/js && npm ci --no-audit --no-fund)")
	}
	return nil
}
