//go:build interop

package grpcurl_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const (
	version = "1.9.3"
	program = "github.com/fullstorydev/grpcurl"
)

// grpcurl is where the program is.
var grpcurl string

func TestMain(m *testing.M) {
	if err := install(); err != nil {
		fmt.Fprintf(os.Stderr, "interop/grpcurl: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// install builds the program where it is not there in that version.
func install() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "a2awire", "grpcurl-"+version)
	grpcurl = filepath.Join(dir, "grpcurl")
	if _, err := os.Stat(grpcurl); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "install", program+"/cmd/grpcurl@v"+version)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
