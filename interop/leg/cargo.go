//go:build interop

package leg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OldestCargo is the oldest version 1.x of Cargo that the programs build with.
const OldestCargo = 85

// building is how long cargo may take, with everything to fetch and to build.
const building = 10 * time.Minute

// Cargo builds the programs of a folder, and is the folder that they are in.
// That is in the user's cache, where the next build finds what they depend on.
// The error says what is missing.
func Cargo(dir, name string) (programs string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), building)
	defer cancel()
	cargo, err := findCargo(ctx)
	if err != nil {
		return "", fmt.Errorf("%w; install Rust 1.%d or later: https://rustup.rs", err, OldestCargo)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, "a2awire", "interop", name)
	// Without optimization: what runs for seconds is built for minutes.
	build := exec.CommandContext(ctx, cargo, "build", "--locked", "--quiet", "--target-dir", target)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo build --locked: %w\n%s", err, Clip(string(out)))
	}
	return filepath.Join(target, "debug"), nil
}

// findCargo is a cargo that is new enough, also where rustup puts it and the
// path of a shell that was not started anew does not look.
func findCargo(ctx context.Context) (string, error) {
	cargo, err := exec.LookPath("cargo")
	if home, e := os.UserHomeDir(); err != nil && e == nil {
		cargo, err = exec.LookPath(filepath.Join(home, ".cargo", "bin", "cargo"))
	}
	if err != nil {
		return "", fmt.Errorf("cargo is not here: %w", err)
	}
	out, err := exec.CommandContext(ctx, cargo, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", cargo, err)
	}
	version := strings.TrimSpace(string(out))
	minor := strings.Split(strings.TrimPrefix(version, "cargo 1."), ".")[0]
	if n, err := strconv.Atoi(minor); err != nil || n < OldestCargo {
		return "", fmt.Errorf("%s is %s", cargo, version)
	}
	return cargo, nil
}
