//go:build interop

package js_test

import (
	"context"
	"encoding/json"
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

const (
	oldestNode = 20
	sdkVersion = "1.3.0"
)

// ready says what is missing, and what to do about it.
func ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node does not run: %w; install Node.js %d or later", err, oldestNode)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return fmt.Errorf("node is %s; install Node.js %d or later", version, oldestNode)
	}
	const install = "run (cd interop/js && npm ci --no-audit --no-fund)"
	text, err := os.ReadFile("node_modules/@a2a-js/sdk/package.json")
	if err != nil {
		return fmt.Errorf("the SDK is not installed: %w; %s", err, install)
	}
	var sdk struct{ Version string }
	if err := json.Unmarshal(text, &sdk); err != nil || sdk.Version != sdkVersion {
		return fmt.Errorf("the SDK is %q, and the known faults are of %s; %s", sdk.Version, sdkVersion, install)
	}
	return nil
}
