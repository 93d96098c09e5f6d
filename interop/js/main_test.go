//go:build interop

package js_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

func TestMain(m *testing.M) {
	if err := leg.Node("."); err != nil {
		fmt.Fprintf(os.Stderr, "interop/js: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// The known faults are of one version: those of another may be none.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	assert.Contains(t, string(text), `"`+peer.Package+`": "`+peer.Version+`"`)
}
