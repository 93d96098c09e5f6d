// Package golden keeps what goes over a wire in files, to be read in review.
// Tests compare with them; -update writes them anew.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
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

// Transport is an http.RoundTripper that adds each exchange to the file, under
// the name that Step gave. Bodies are read whole, so streams must end.
type Transport struct {
	*Wire
	Next http.RoundTripper

	name string
}

// Step names the exchanges that follow.
func (t *Transport) Step(name string) { t.name = name }

// RoundTrip records an exchange.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	out, err := httputil.DumpRequestOut(r, true)
	if err != nil {
		return nil, err
	}
	resp, err := t.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	head, err := httputil.DumpResponse(resp, false)
	if err != nil {
		return nil, err
	}
	t.Add(t.name+" >", stable(out))
	t.Add(t.name+" <", stable(append(head, body...)))
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// passing are headers that change from run to run or say nothing.
var passing = []string{"Host", "Date", "User-Agent", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding"}

// stable is an HTTP message without what changes, its headers sorted.
func stable(b []byte) string {
	head, body, _ := strings.Cut(string(b), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	headers := slices.DeleteFunc(lines[1:], func(l string) bool {
		name, _, _ := strings.Cut(l, ":")
		return slices.Contains(passing, http.CanonicalHeaderKey(name))
	})
	slices.Sort(headers)
	return strings.Join(append(lines[:1], headers...), "\n") + "\n\n" + body
}
