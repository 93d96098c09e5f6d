// Package golden keeps what goes over a wire in files, to be read in review.
// Tests compare with them; -update writes them anew.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Wire collects the exchanges of one golden file.
type Wire struct {
	mu    sync.Mutex
	files []txtar.File
}

// Add adds one text.
func (w *Wire) Add(name, text string) {
	text = strings.TrimRight(text, "\n") + "\n"
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, txtar.File{Name: name, Data: []byte(text)})
}

// Compare compares what was collected with testdata/name.txtar. The comment
// stands at its head; it may be empty.
func (w *Wire) Compare(t *testing.T, name, comment string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	path := filepath.Join("testdata", name+".txtar")
	if comment != "" {
		comment += "\n\n"
	}
	got := txtar.Format(&txtar.Archive{Comment: []byte(comment), Files: w.files})
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is not there; run the test with -update", path)
	}
	require.NoError(t, err)
	if string(want) == string(got) {
		return
	}
	// One text after the other, so that the difference can be read.
	old := txtar.Parse(want)
	for i := range max(len(old.Files), len(w.files)) {
		if i >= len(old.Files) || i >= len(w.files) || old.Files[i].Name != w.files[i].Name {
			break
		}
		assert.Equal(t, string(old.Files[i].Data), string(w.files[i].Data), "%s in %s", w.files[i].Name, path)
	}
	t.Errorf("what goes over the wire is not what %s has", path)
}
