//go:build interop

package ws_test

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
		fmt.Fprintf(os.Stderr, "interop/ws: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

const oldestNode = 20

// ready installs the npm package where it is not, and says what is missing
// that it cannot install.
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
	if chromium() == "" {
		return fmt.Errorf("no Chromium is in the path (%s); apt-get install chromium", strings.Join(chromiums, ", "))
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
	return readJSON("package.json", &asked) == nil && readJSON("node_modules/ws/package.json", &have) == nil &&
		have.Version == asked.Dependencies["ws"]
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
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
