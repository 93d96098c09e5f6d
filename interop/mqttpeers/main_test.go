//go:build interop

package mqttpeers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if err := ready(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/mqttpeers: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// patience is how long one process may run, and one installation take.
const patience = 90 * time.Second

// ready installs the peers where they are not, and says what is missing that
// it cannot install.
func ready() error {
	if _, err := mosquittoPath(); err != nil {
		return fmt.Errorf("%w; apt-get install mosquitto", err)
	}
	return errors.Join(readyNode(), readyPython())
}

const oldestNode = 20

func readyNode() error {
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
	if installed() {
		return nil
	}
	if out, err := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund").CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// installed reports whether the npm package is there in the version that
// package.json asks for.
func installed() bool {
	var asked struct{ Dependencies map[string]string }
	var have struct{ Version string }
	return readJSON("package.json", &asked) == nil && readJSON("node_modules/mqtt/package.json", &have) == nil &&
		have.Version == asked.Dependencies["mqtt"]
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// within bounds what a test waits for.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
