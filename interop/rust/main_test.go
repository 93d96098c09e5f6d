//go:build interop

package rust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) {
	programs, err := leg.Cargo(".", "rust")
	if err != nil {
		fmt.Fprintf(os.Stderr, "interop/rust: %v\n", err)
		os.Exit(1)
	}
	peer.Client, peer.Server = []string{filepath.Join(programs, "client")}, []string{filepath.Join(programs, "server")}
	goleak.VerifyTestMain(m)
}

// The known faults are of one version: those of another may be none.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("Cargo.toml")
	require.NoError(t, err)
	assert.Contains(t, string(text), `package = "`+peer.Package+`", version = "=`+peer.Version+`"`)
}
