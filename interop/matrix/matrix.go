// Package matrix is what software of others and this project's came to with
// each other: a file in each leg of interop, written by its run, and the tables
// in docs/interop.md and README.md that are made of all.
package matrix

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the matrix anew")

// Roles of a peer, and the route without a bridge.
const (
	Client = "client"
	Server = "server"
	Direct = "direct"
)

// Route is a peer in one role, over one transport, one way: [Direct], or by the
// binding on the other side of our bridge.
type Route struct {
	Role, Transport, Way string
}

// Row is what one route came to, by operation.
type Row struct {
	Route
	Operations map[string]*Cell
}

// Cell is what the steps of one operation came to.
type Cell struct {
	// Right is how many steps came to what the specification has.
	Right int
	// Faults are the steps that the peer takes otherwise, each with the number,
	// from 1, of the matrix's fault that it is.
	Faults map[string]int `json:",omitempty"`
}

// Fault is why some steps are taken otherwise.
type Fault struct {
	Why   string
	Steps []string
}

// Matrix is what one peer came to. Its methods may be called at the same time.
type Matrix struct {
	Peer, Package, Version string
	Faults                 []Fault
	Rows                   []Row

	mu sync.Mutex
}

// New is an empty matrix of a peer.
func New(peer, pkg, version string) *Matrix {
	return &Matrix{Peer: peer, Package: pkg, Version: version}
}

// Add takes down a step, with why it is a known fault of the peer, or "".
func (m *Matrix) Add(route Route, operation, step, fault string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cell(route, operation)
	if fault == "" {
		c.Right++
		return
	}
	i := slices.IndexFunc(m.Faults, func(f Fault) bool { return f.Why == fault })
	if i < 0 {
		i = len(m.Faults)
		m.Faults = append(m.Faults, Fault{Why: fault})
	}
	if !slices.Contains(m.Faults[i].Steps, step) {
		m.Faults[i].Steps = append(m.Faults[i].Steps, step)
	}
	if c.Faults == nil {
		c.Faults = map[string]int{}
	}
	c.Faults[step] = i + 1
}

func (m *Matrix) cell(route Route, operation string) *Cell {
	i := slices.IndexFunc(m.Rows, func(r Row) bool { return r.Route == route })
	if i < 0 {
		i = len(m.Rows)
		m.Rows = append(m.Rows, Row{route, map[string]*Cell{}})
	}
	if m.Rows[i].Operations[operation] == nil {
		m.Rows[i].Operations[operation] = new(Cell)
	}
	return m.Rows[i].Operations[operation]
}

// Compare compares the matrix with a file, or writes that with -update. A run
// of some tests alone is no whole matrix, and is not compared.
func (m *Matrix) Compare(t *testing.T, path string) {
	t.Helper()
	if t.Failed() || flag.Lookup("test.run").Value.String() != "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sort()
	got, err := m.text()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), string(got), "%s is not what the run came to; if the run is right, run it with -update", path)
}

func (m *Matrix) sort() {
	slices.SortFunc(m.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Transport, b.Transport), cmp.Compare(a.Way, b.Way))
	})
	before := slices.Clone(m.Faults)
	slices.SortFunc(m.Faults, func(a, b Fault) int { return cmp.Compare(a.Why, b.Why) })
	for _, f := range m.Faults {
		slices.Sort(f.Steps)
	}
	for _, r := range m.Rows {
		for _, c := range r.Operations {
			for step, n := range c.Faults {
				c.Faults[step] = 1 + slices.IndexFunc(m.Faults, func(f Fault) bool { return f.Why == before[n-1].Why })
			}
		}
	}
}

// text is the matrix as its file has it: JSON with one line a row.
func (m *Matrix) text() ([]byte, error) {
	var b bytes.Buffer
	err := errors.Join(
		line(&b, "{\"Peer\":", m.Peer), line(&b, ",\"Package\":", m.Package), line(&b, ",\"Version\":", m.Version),
		lines(&b, ",\"Faults\":", m.Faults), lines(&b, ",\"Rows\":", m.Rows),
	)
	b.WriteString("}\n")
	return b.Bytes(), err
}

func line(b *bytes.Buffer, before string, v any) error {
	text, err := json.Marshal(v)
	b.WriteString(before + string(text))
	return err
}

func lines[V any](b *bytes.Buffer, before string, list []V) error {
	var errs error
	b.WriteString(before + "[")
	for i, v := range list {
		errs = errors.Join(errs, line(b, strings.Repeat(",", min(i, 1))+"\n", v))
	}
	b.WriteString("]")
	return errs
}

// Read is the matrix of a file.
func Read(path string) (*Matrix, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := new(Matrix)
	return m, json.Unmarshal(text, m)
}
