package schema

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/a2awire/a2awire/binding"
)

// malformed are the scenarios of equivalence in which a client sends what the
// schema refuses, and why. They must go on doing so; their answers hold to it.
var malformed = map[string]string{
	"limits/unset-content":       "a part without content is to be refused",
	"required/message":           "a request without a message is to be refused",
	"required/message-in-stream": "a request without a message is to be refused",
	"version/0.3":                noParams,
	"version/1":                  noParams,
	"version/1.1":                noParams,
	"version/2.0":                noParams,
	"version/empty":              noParams,
	"version/word":               noParams,
}

const noParams = "the version is refused before the request is looked at"

// Watch holds the texts of one wire against a schema, and says what is wrong
// when its test has been torn down.
type Watch struct {
	schema *Schema
	exempt string

	mu       sync.Mutex
	wrong    []string
	expected int               // of the exempted
	called   map[string]string // methods by the caller's key and the id
}

// NewWatch is a watch for a scenario, which is the test's name but for its
// first part. It must be made before what it watches: cleanups run backwards.
func NewWatch(tb testing.TB, s *Schema) *Watch {
	_, scenario, _ := strings.Cut(tb.Name(), "/")
	w := &Watch{schema: s, exempt: malformed[scenario], called: map[string]string{}}
	tb.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, problem := range w.wrong {
			tb.Error(problem)
		}
		if w.exempt != "" && w.expected == 0 {
			tb.Errorf("exempted from the schema, and holds to it: %s", w.exempt)
		}
	})
	return w
}

// Check holds a server's text against a definition.
func (w *Watch) Check(def string, text []byte) { w.judge(w.schema.Check(def, text), false) }

// Request holds a client's text against a definition.
func (w *Watch) Request(def string, text []byte) { w.judge(w.schema.Check(def, text), w.exempt != "") }

func (w *Watch) judge(err error, expected bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
	case expected:
		w.expected++
	default:
		w.wrong = append(w.wrong, err.Error())
	}
}

// envelope is what tells the texts of JSON-RPC apart.
type envelope struct {
	ID     json.RawMessage
	Method *string
}

// Call holds a client's JSON-RPC text against its operation's definition, or a
// signal's. The answers to a call have the same key; the id is added to it.
func (w *Watch) Call(key string, text []byte) {
	var e envelope
	_ = json.Unmarshal(text, &e)
	if e.Method == nil {
		var m map[string]json.RawMessage
		_ = json.Unmarshal(text, &m)
		delete(m, "jsonrpc")
		delete(m, "id")
		for name := range m {
			w.Request(name, text)
		}
		return
	}
	w.mu.Lock()
	w.called[key+string(e.ID)] = *e.Method
	w.mu.Unlock()
	w.Request(*e.Method+".call", text)
}

// Answer holds a server's JSON-RPC text against the definition of the answers
// to what it answers.
func (w *Watch) Answer(key string, text []byte) {
	var e envelope
	_ = json.Unmarshal(text, &e)
	w.mu.Lock()
	method := w.called[key+string(e.ID)]
	w.mu.Unlock()
	if binding.Lookup(method) == nil {
		w.Check("answer", text)
		return
	}
	w.Check(method+".answer", text)
}
