package a2awire_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/matrix"
)

const (
	matrixBegin = "<!-- matrix: made by go test . -run InteropMatrix -update -->\n"
	matrixEnd   = "<!-- end of the matrix -->\n"
)

// The tables of docs/interop.md and README.md are what the legs of interop came
// to. With -update they are written anew.
func TestInteropMatrix(t *testing.T) {
	paths, err := filepath.Glob("interop/*/matrix.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var all []*matrix.Matrix
	var sections strings.Builder
	for _, path := range paths {
		m, err := matrix.Read(path)
		require.NoError(t, err, path)
		require.True(t, hasWriter(t, filepath.Dir(path)), "no test writes %s: it is of a leg that is gone", path)
		all = append(all, m)
		sections.WriteString("\n" + m.Document())
	}
	between(t, "README.md", matrix.Summary(all))
	between(t, "docs/interop.md", matrix.Summary(all)+sections.String())
}

// hasWriter reports whether a test of a leg compares its matrix, and so writes
// it, by the call that SDKs share or its own.
func hasWriter(t *testing.T, leg string) bool {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(leg, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(tests, func(path string) bool {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return strings.Contains(string(text), "peer.Test(t)") || strings.Contains(string(text), `.Compare(t, "matrix.json")`)
	})
}

// between compares what stands between the matrix's marks in a file.
func between(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), matrixBegin)
	require.True(t, ok, "%s has no place for the matrix", path)
	got, after, ok := strings.Cut(rest, matrixEnd)
	require.True(t, ok, "%s has no end of the matrix", path)
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(before+matrixBegin+want+matrixEnd+after), 0o644))
		return
	}
	assert.Equal(t, want, got, "%s is behind the legs of interop; run go test . -run InteropMatrix -update", path)
}
