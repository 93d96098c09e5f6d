//go:build interop

package mqttpeers_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sdkVersion is that of EMQ's SDK in requirements.txt.
const sdkVersion = "0.1.0"

// readyPython makes a virtual environment with the SDK where there is none.
func readyPython() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, "python3", "-c", "import sys; assert sys.version_info >= (3, 11), sys.version"); err != nil {
		return fmt.Errorf("%w; install Python 3.11 or later", err)
	}
	dir, err := environment()
	if err != nil {
		return err
	}
	const check = "import importlib.metadata as m; v = m.version('a2a-over-mqtt'); assert v == '" + sdkVersion + "', v"
	if run(ctx, interpreter(dir), "-c", check) == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := run(ctx, "python3", "-m", "venv", "--without-pip", fresh); err != nil {
		return err
	}
	install := []string{"-m", "pip", "--python", interpreter(fresh), "install", "--disable-pip-version-check", "--quiet", "--require-hashes", "-r", "requirements.txt"}
	if err := run(ctx, "python3", install...); err != nil {
		return fmt.Errorf("%w; install pip 22.3 or later for python3 (apt-get install python3-pip)", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return err
	}
	return run(ctx, interpreter(dir), "-c", check)
}

// environment is where the virtual environment is: another for other requirements.
func environment() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	requirements, err := os.ReadFile("requirements.txt")
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "a2awire", fmt.Sprintf("mqttpeers-%x", sha256.Sum256(requirements))[:26]), nil
}

// interpreter is that of a virtual environment.
func interpreter(dir string) string { return filepath.Join(dir, "bin", "python") }

// run runs a program that should succeed.
func run(ctx context.Context, program string, args ...string) error {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %.60s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return nil
}

// python is the interpreter that has the SDK.
func python(t testing.TB) string {
	t.Helper()
	dir, err := environment()
	require.NoError(t, err)
	return interpreter(dir)
}

// hostPort are those of a broker's URL.
func hostPort(t testing.TB, url string) (host, port string) {
	t.Helper()
	host, port, ok := strings.Cut(strings.TrimPrefix(url, "mqtt://"), ":")
	require.True(t, ok, url)
	return host, port
}
