//go:build interop

package leg

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OldestNode is the oldest version of Node.js that the scripts run on.
const OldestNode = 20

// installing is how long npm or pip may take.
const installing = 3 * time.Minute

// Node installs the packages that package.json of a folder asks for, where they
// are not there in that version. The error says what is missing that it cannot
// install.
func Node(dir string) error {
	return alone(dir, func() error { return node(dir) })
}

func node(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), installing)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node does not run: %w; install Node.js %d or later", err, OldestNode)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < OldestNode {
		return fmt.Errorf("node is %s; install Node.js %d or later", version, OldestNode)
	}
	var asked struct{ Dependencies map[string]string }
	if err := readJSON(filepath.Join(dir, "package.json"), &asked); err != nil {
		return err
	}
	for name, version := range asked.Dependencies {
		if installed(dir, name) != version {
			npm := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
			npm.Dir = dir
			if out, err := npm.CombinedOutput(); err != nil {
				return fmt.Errorf("npm ci: %w\n%s", err, out)
			}
			break
		}
	}
	for name, version := range asked.Dependencies {
		if have := installed(dir, name); have != version {
			return fmt.Errorf("%s is %q after npm ci, and package.json asks for %q", name, have, version)
		}
	}
	return nil
}

// installed is the version of a package that is there, "" for none.
func installed(dir, name string) string {
	var have struct{ Version string }
	if readJSON(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json"), &have) != nil {
		return ""
	}
	return have.Version
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
