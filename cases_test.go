package a2awire_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/equivalence"
)

// cases are the numbers of the list of cases.
func cases() (all []string) {
	for i := range 21 {
		all = append(all, fmt.Sprintf("D%02d", i+1))
	}
	for _, n := range []int{1, 3, 5, 7, 9, 11, 14, 16, 18, 20, 22, 24, 25, 28, 29, 31, 34, 36, 37, 40, 43, 45, 47, 49, 51, 52, 54, 56, 59,
		60, 62, 64, 66, 69, 71, 73, 75, 77, 80, 82, 84, 87, 89, 91} {
		all = append(all, fmt.Sprintf("C%02d", n))
	}
	return all
}

// written are the test functions of each package, and the strings in its tests,
// which the names of subtests are among.
func written(t *testing.T) (functions, texts map[string]bool) {
	functions, texts = map[string]bool{}, map[string]bool{}
	eachFile(t, func(path string, _ *token.FileSet, file *ast.File) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		room := filepath.ToSlash(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				functions[room+" "+n.Name.Name] = n.Recv == nil
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					texts[room+" "+s] = true
				}
			}
			return true
		})
	})
	return functions, texts
}

// Every case is in the document, and every test that holds one is there.
func TestCases(t *testing.T) {
	doc, err := os.ReadFile("docs/cases.md")
	require.NoError(t, err)
	functions, texts := written(t)
	scenarios := map[string]bool{}
	for _, s := range equivalence.Scenarios() {
		scenarios[s.Name] = true
	}
	var seen []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([CD]\d\d) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(string(doc), -1) {
		seen = append(seen, row[1])
		holders := regexp.MustCompile("`([^` ]+) ([^`]+)`").FindAllStringSubmatch(row[3], -1)
		assert.NotEmpty(t, holders, "%s is held by nothing", row[1])
		assert.Equal(t, strings.Count(row[3], "`"), 2*len(holders), "%s: a test is a package and a name", row[1])
		for _, h := range holders {
			room, name := h[1], h[2]
			function, sub, nested := strings.Cut(name, "/")
			switch {
			case !strings.HasPrefix(name, "Test"):
				assert.True(t, room == "equivalence" && scenarios[name], "%s: there is no scenario %s", row[1], name)
			default:
				assert.True(t, functions[room+" "+function], "%s: there is no %s in %s", row[1], function, room)
				assert.True(t, !nested || texts[room+" "+sub], "%s: there is no %s in %s", row[1], name, room)
			}
		}
	}
	slices.Sort(seen)
	want := cases()
	slices.Sort(want)
	assert.Equal(t, want, seen)
}
