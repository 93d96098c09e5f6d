//go:build interop

package leg

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Python is the interpreter of a virtual environment with what requirements.txt
// of a folder asks for. It is in the user's cache, and is made where it is not, or
// has the package in another version. The error says what is missing that it
// cannot install.
func Python(dir, pkg, version string) (interpreter string, err error) {
	err = alone(dir, func() error {
		interpreter, err = python(dir, pkg, version)
		return err
	})
	return interpreter, err
}

func python(dir, pkg, version string) (interpreter string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), installing)
	defer cancel()
	if err := run(ctx, "python3", "-c", "import sys; assert sys.version_info >= (3, 11), sys.version"); err != nil {
		return "", fmt.Errorf("%w; install Python 3.11 or later", err)
	}
	requirements := filepath.Join(dir, "requirements.txt")
	home, err := environment(requirements)
	if err != nil {
		return "", err
	}
	check := fmt.Sprintf("import importlib.metadata as m; v = m.version(%q); assert v == %q, v", pkg, version)
	if run(ctx, interpreterOf(home), "-c", check) != nil {
		if err := makeEnvironment(ctx, home, requirements); err != nil {
			return "", err
		}
	}
	return interpreterOf(home), run(ctx, interpreterOf(home), "-c", check)
}

// makeEnvironment makes a virtual environment beside its place, and puts it
// there when it is complete.
func makeEnvironment(ctx context.Context, home, requirements string) error {
	if err := os.MkdirAll(filepath.Dir(home), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(home), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := run(ctx, "python3", "-m", "venv", "--without-pip", fresh); err != nil {
		return err
	}
	install := []string{"-m", "pip", "--python", interpreterOf(fresh), "install", "--disable-pip-version-check", "--quiet", "--require-hashes", "-r", requirements}
	if err := run(ctx, "python3", install...); err != nil {
		return fmt.Errorf("%w; install pip 22.3 or later for python3 (apt-get install python3-pip)", err)
	}
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	return os.Rename(fresh, home)
}

// environment is where the virtual environment is: another for other requirements.
func environment(requirements string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(requirements)
	if err != nil {
		return "", err
	}
	name := filepath.Base(filepath.Dir(path))
	return filepath.Join(cache, "a2awire", fmt.Sprintf("%s-%.8x", name, sha256.Sum256(text))), nil
}

// interpreterOf is that of a virtual environment.
func interpreterOf(home string) string { return filepath.Join(home, "bin", "python") }

// run runs a program that should succeed.
func run(ctx context.Context, program string, args ...string) error {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %.60s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return nil
}
