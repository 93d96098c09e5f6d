// Package a2awire_test holds the tests of the layout: which package may import
// which, what importing one pulls in, and the habits that a program can check.
package a2awire_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/a2awire/a2awire"

// rooms says what each package may import of this module. "…" is anything.
// A package that is not here does not belong.
var rooms = map[string][]string{
	"internal/strictjson": {},
	"internal/inflight":   {},
	"internal/sse":        {},
	"internal/datamodel":  {"internal/strictjson"},
	"binding":             {"internal/datamodel", "internal/inflight"},
	"binding/inproc":      {"binding", "internal/inflight"},
	"errmap":              {"binding", "internal/datamodel", "internal/strictjson"},
	"internal/mux":        {},
	"internal/rpc":        {"binding", "errmap", "internal/strictjson"},
	"internal/httpwire":   {"binding", "errmap", "internal/datamodel", "internal/sse"},

	// The wires: siblings never import each other.
	"jsonrpc":  wire,
	"rest":     wire,
	"grpcbind": wire,
	"ws":       wire,
	"mqtt":     wire,

	"mqtt/embedded": {"binding"},

	"a2asdk":      {"binding", "errmap"},
	"agentcard":   {"binding", "errmap", "internal/datamodel", "internal/httpwire"},
	"bridge":      {"binding", "agentcard"},
	"refagent":    {"binding"},
	"equivalence": {"binding", "binding/inproc"},

	"internal/catalogue": {"binding", "jsonrpc", "rest", "grpcbind", "ws", "mqtt", "mqtt/embedded"},
	"internal/golden":    {"binding", "errmap", "internal/httpwire"}, // of tests
	"internal/schema":    {"binding"},                                // of tests
	"cmd/a2awire":        {"…"},
	"bench":              {"…"},
	"interop/js":         {"…"},
	"interop/rust":       {"…"},
	"interop/itk":        {"…"},
	"interop/grpcurl":    {"…"},
	"interop/golang":     {"…"},
	"interop/leg":        {"binding"}, // of tests
	"interop/matrix":     {},          // of tests
	"interop/python":     {"…"},
	"interop/sdk":        {"…"}, // of tests
	"interop/ws":         {"…"},
	"interop/mqtt":       {"…"},
	"interop/mqttpeers":  {"…"},
	"examples/browser":   {"refagent", "ws"},
}

var wire = []string{"binding", "errmap", "internal/datamodel", "internal/httpwire", "internal/inflight", "internal/mux", "internal/rpc", "internal/sse", "internal/strictjson"}

// own are the third-party modules that only these packages may import.
var own = map[string][]string{
	"google.golang.org/grpc":      {"grpcbind", "internal/catalogue", "bench"},
	"github.com/coder/websocket":  {"ws", "bench"},
	"github.com/eclipse/paho":     {"mqtt", "bench"},
	"github.com/mochi-mqtt":       {"mqtt/embedded"},
	"github.com/spf13/cobra":      {"cmd/a2awire"},
	"github.com/stretchr/testify": {"internal/golden", "interop/leg", "interop/matrix", "interop/sdk"},
	"go.uber.org/goleak":          {"equivalence"},
	"github.com/santhosh-tekuri":  {"internal/schema"},
}

// closure are what importing a library package must not pull in. grpc-go is
// not among them: it comes with the official protobuf package.
var closure = []string{
	"database/sql", "github.com/spf13/cobra", "github.com/stretchr/testify", "github.com/coder/websocket",
	"github.com/eclipse/paho", "github.com/mochi-mqtt", "github.com/santhosh-tekuri", "go.opentelemetry.io", "net/http/httptest",
	"github.com/a2aproject/a2a-go/v2/a2a", "github.com/a2aproject/a2a-go/v2/a2asrv", "github.com/a2aproject/a2a-go/v2/a2aclient",
}

// exempt are what a package pulls in through the library it is there for.
var exempt = map[string][]string{
	"mqtt/embedded": {"database/sql"}, // drivers' names for the identifiers of a broker's clients
	"a2asdk": {
		"database/sql", // the same of its library of identifiers
		"github.com/a2aproject/a2a-go/v2/a2a", "github.com/a2aproject/a2a-go/v2/a2asrv", "github.com/a2aproject/a2a-go/v2/a2aclient",
	},
}

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
}

// list asks the go command about all packages, those behind the build tag too.
func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Deps,GoFiles", "-tags=interop", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
}

func TestArrows(t *testing.T) {
	for _, p := range list(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if room == "" {
			continue // this folder, which has tests alone
		}
		allowed, ok := rooms[room]
		if !assert.True(t, ok, "%s is not in the table of rooms", room) {
			continue
		}
		for _, imp := range p.Imports {
			to, inside := strings.CutPrefix(imp, module+"/")
			if inside && !slices.Contains(allowed, "…") {
				assert.Contains(t, allowed, to, "%s imports %s", room, to)
			}
			for third, owners := range own {
				if strings.HasPrefix(imp, third) {
					assert.Contains(t, owners, room, "%s imports %s", room, imp)
				}
			}
			if strings.HasPrefix(imp, "github.com/a2aproject/") && room != "a2asdk" {
				assert.Equal(t, "github.com/a2aproject/a2a-go/v2/a2apb/v1", imp, "%s imports more of the official SDK than its messages", room)
			}
		}
	}
}

func TestClosures(t *testing.T) {
	for _, p := range list(t) {
		room := strings.TrimPrefix(p.ImportPath, module+"/")
		if slices.Contains([]string{"cmd/a2awire", "bench", module, "equivalence", "internal/golden"}, room) || strings.HasPrefix(room, "interop") || strings.HasPrefix(room, "examples") {
			continue
		}
		for _, dep := range p.Deps {
			for _, never := range closure {
				inside := dep == never || strings.HasPrefix(dep, never+"/") || strings.HasPrefix(dep, never+".")
				if slices.Contains(own[never], room) || room == "internal/catalogue" || slices.Contains(exempt[room], never) {
					continue
				}
				assert.False(t, inside, "%s pulls in %s", room, dep)
			}
		}
	}
}

// eachFile parses every Go file of the project.
func eachFile(t *testing.T, f func(path string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	fset := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f(path, fset, file)
		return nil
	}))
}

// Registration is explicit, and tests do not wait for the clock.
func TestHabits(t *testing.T) {
	eachFile(t, func(path string, fset *token.FileSet, file *ast.File) {
		bubble := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` })
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				assert.False(t, n.Name.Name == "init" && n.Recv == nil, "%s has an init function", path)
			case *ast.SelectorExpr:
				pkg, _ := n.X.(*ast.Ident)
				if pkg == nil {
					return true
				}
				call := pkg.Name + "." + n.Sel.Name
				assert.False(t, call == "time.Sleep" && !bubble, "%s: use testing/synctest, or wait for what is to happen", fset.Position(n.Pos()))
				skips := slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, n.Sel.Name) && slices.Contains([]string{"t", "b", "f", "tb"}, pkg.Name)
				assert.False(t, skips, "%s: what cannot run has a build tag", fset.Position(n.Pos()))
			}
			return true
		})
	})
}

// Every package with tests looks for leaked goroutines.
func TestLeakChecks(t *testing.T) {
	tested, checked := map[string]bool{}, map[string]bool{}
	eachFile(t, func(path string, _ *token.FileSet, file *ast.File) {
		if !strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "." {
			return
		}
		tested[filepath.Dir(path)] = true
		for _, imp := range file.Imports {
			if imp.Path.Value == `"go.uber.org/goleak"` {
				checked[filepath.Dir(path)] = true
			}
		}
	})
	for dir := range tested {
		assert.True(t, checked[dir], "%s has tests and no leak check", dir)
	}
	for room := range rooms {
		if assert.DirExists(t, room) {
			assert.True(t, tested[room], "%s has no tests", room)
		}
	}
}
