package rest

import (
	"net/http"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

const validSend = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hi"}]}}`

// refused asserts that an answer is an error, and which field it names.
func refused(t testing.TB, g got, status int, code binding.Code, field string) {
	t.Helper()
	e := errmap.ReadHTTP(g.status, g.header, []byte(g.body))
	assert.Equal(t, status, g.status, g.body)
	assert.Equal(t, code, e.Code, g.body)
	assert.True(t, errmap.IsHTTPError([]byte(g.body)), g.body)
	assert.Equal(t, field, fieldOf(e), g.body)
}

func fieldOf(e *binding.Error) string {
	for _, d := range e.Details {
		b := new(errdetails.BadRequest)
		if d.MessageIs(b) && d.UnmarshalTo(b) == nil && len(b.GetFieldViolations()) > 0 {
			return b.GetFieldViolations()[0].GetField()
		}
	}
	return ""
}

func TestRefused(t *testing.T) {
	h := Handler(new(script).agent(), &Options{Options: binding.Options{MaxMessageBytes: 1000}})
	for _, tc := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		code                       binding.Code
		field                      string
	}{
		{"unknown path", "GET", "/card", "", nil, 404, binding.MethodNotFound, ""},
		{"unknown method", "PUT", "/tasks/t1", "{}", nil, 405, binding.MethodNotFound, ""},
		{"media type", "POST", "/message:send", validSend, []string{"Content-Type: text/plain"}, 415, binding.ContentTypeNotSupported, ""},
		{"media type of a body that may be missing", "POST", "/tasks/t1:cancel", "{}", []string{"Content-Type: text/plain"}, 415, binding.ContentTypeNotSupported, ""},
		{"no media type", "POST", "/message:send", "", nil, 415, binding.ContentTypeNotSupported, ""},
		{"too long", "POST", "/message:send", strings.Repeat(" ", 100_000) + validSend, nil, 413, binding.ResourceExhausted, ""},
		{"no body", "POST", "/message:send", "", []string{"Content-Type: application/json"}, 400, binding.JSONParse, ""},
		{"no JSON", "POST", "/message:send", "{", nil, 400, binding.JSONParse, ""},
		{"no JSON, beside a path", "POST", "/acme/message:send", `{"message":}`, nil, 400, binding.JSONParse, ""},
		{"text behind", "POST", "/acme/message:send", validSend + "x", nil, 400, binding.JSONParse, ""},
		{"no object", "POST", "/acme/message:send", "[]", nil, 400, binding.InvalidParams, ""},
		{"no message", "POST", "/message:send", "{}", nil, 400, binding.InvalidParams, "message"},
		{"empty id", "GET", "/tasks/", "", nil, 400, binding.InvalidParams, "id"},
		{"id that is no text", "GET", "/tasks/%ff", "", nil, 400, binding.InvalidParams, "id"},
		{"other tenant", "POST", "/acme/message:send", `{"tenant":"other"}`, nil, 400, binding.InvalidParams, "tenant"},
		{"other id", "POST", "/tasks/t1:cancel", `{"id":"t2"}`, nil, 400, binding.InvalidParams, "id"},
		{"other task_id", "POST", "/tasks/t1/pushNotificationConfigs", `{"task_id":"t2"}`, nil, 400, binding.InvalidParams, "taskId"},
		{"id twice", "POST", "/tasks/t1:cancel", `{"id":"t1","id":"t1"}`, nil, 400, binding.InvalidParams, "id"},
		{"id of another kind", "POST", "/tasks/t1:cancel", `{"id":1}`, nil, 400, binding.InvalidParams, "id"},
		{"id in another case", "POST", "/tasks/t1:cancel", `{"ID":"t1"}`, nil, 400, binding.InvalidParams, "ID"},
		{"status", "GET", "/tasks?status=working", "", nil, 400, binding.InvalidParams, "status"},
		{"timestamp", "GET", "/tasks?statusTimestampAfter=yesterday", "", nil, 400, binding.InvalidParams, "statusTimestampAfter"},
		{"enum number", "GET", "/tasks?status=99", "", nil, 400, binding.InvalidParams, "status"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused(t, ask(t, h, tc.method, tc.target, tc.body, tc.headers...), tc.status, tc.code, tc.field)
			// The version comes before all else.
			g := ask(t, h, tc.method, tc.target, tc.body, append(tc.headers, "A2A-Version: 2.0")...)
			refused(t, g, 400, binding.VersionNotSupported, "")
			assert.Empty(t, g.header.Get("Allow"))
		})
	}
	assert.Equal(t, "GET, POST", ask(t, h, "DELETE", "/tasks/t1:subscribe", "").header.Get("Allow"))
}

func TestVersionInQuery(t *testing.T) {
	h := Handler(new(script).agent(), nil)
	assert.Equal(t, 200, ask(t, h, "GET", "/tasks/t1?A2A-Version=1.0", "", "A2A-Version: ").status)
	refused(t, ask(t, h, "GET", "/tasks/t1", "", "A2A-Version: "), 400, binding.VersionNotSupported, "")
}

// Members of a body that the path has too are taken when they agree.
func TestBodyBesidePath(t *testing.T) {
	for body, want := range map[string]string{
		``:                                `{"tenant":"acme","id":"t\"1"}`,
		` { } `:                           `{"tenant":"acme","id":"t\"1"}`,
		"null\n":                          `{"tenant":"acme","id":"t\"1"}`,
		`{"id":"t\u00221"}`:               `{"tenant":"acme","id":"t\"1"}`,
		`{"id":null,"tenant":"","x":1.0}`: `{"tenant":"acme","id":"t\"1","x":1.0}`,
		`{"metadata" : {"n":9007199254740993} , "tenant":"acme"}`: `{"tenant":"acme","id":"t\"1","metadata" : {"n":9007199254740993}}`,
	} {
		s := new(script)
		relay := &relayed{script: s}
		g := ask(t, Handler(struct{ binding.Agent }{binding.Remote(s)}, nil), "POST", "/acme/tasks/t%221:cancel", body)
		require.Equal(t, 200, g.status, g.body)
		g = ask(t, Handler(binding.Remote(relay), nil), "POST", "/acme/tasks/t%221:cancel", body)
		require.Equal(t, 200, g.status, g.body)
		assert.Equal(t, want, relay.json)
	}
}

func TestAnswerType(t *testing.T) {
	h := Handler((&script{}).agent(), nil)
	failing := (&script{err: binding.ErrTaskNotFound}).agent()
	for accept, want := range map[string]string{
		"":                                       typeA2A,
		"*/*":                                    typeA2A,
		"application/*;q=0.5":                    typeA2A,
		"text/html":                              typeA2A,
		"application/json":                       typeJSON,
		"Application/JSON; charset=utf-8":        typeJSON,
		"application/json, text/plain, */*":      typeJSON,
		"application/json, application/a2a+json": typeA2A,
		"application/a2a+json;q=0, application/json;q=0.1": typeJSON,
		"application/a2a+json; q=0.0,*/*":                  typeA2A,
	} {
		assert.Equal(t, want, ask(t, h, "GET", "/tasks/t1", "", "Accept: "+accept).header.Get("Content-Type"), accept)
		g := ask(t, Handler(failing, nil), "GET", "/tasks/t1", "", "Accept: "+accept)
		assert.Equal(t, want, g.header.Get("Content-Type"), accept)
		for _, agent := range []binding.Agent{(&script{}).agent(), failing} {
			g = ask(t, Handler(agent, &Options{PlainJSON: true}), "GET", "/tasks/t1", "", "Accept: "+accept)
			assert.Equal(t, typeJSON, g.header.Get("Content-Type"), accept)
		}
	}
}

// A client that names no JSON type in Accept is answered in the one it writes:
// those of A2A 1.0.0 write application/json, and some read nothing else.
func TestAnswersInKind(t *testing.T) {
	for _, tc := range []struct{ accept, writes, want string }{
		{"", typeJSON, typeJSON},
		{"*/*", typeJSON, typeJSON},
		{"*/*", "Application/JSON; charset=utf-8", typeJSON},
		{typeEvents, typeJSON, typeJSON},
		{"application/json;q=0, */*", typeA2A, typeA2A},
		{"*/*", typeA2A, typeA2A},
		{"*/*", "text/plain", typeA2A},
		{typeEvents, typeA2A, typeA2A},
		{typeA2A, typeJSON, typeA2A},
		{typeJSON, typeA2A, typeJSON},
		{acceptAnswer, typeJSON, typeA2A},
	} {
		for _, s := range []*script{{}, {err: binding.ErrTaskNotFound}} {
			g := ask(t, Handler(s.agent(), nil), "POST", "/message:send", validSend, "Accept: "+tc.accept, "Content-Type: "+tc.writes)
			assert.Equal(t, tc.want, g.header.Get("Content-Type"), "%+v", tc)
		}
	}
	// The official Go SDK writes this of streams, and reads errors of application/json alone.
	s := &script{err: binding.ErrUnsupportedOperation}
	g := ask(t, Handler(s.agent(), nil), "POST", "/message:stream", validSend, "Accept: "+typeEvents, "Content-Type: "+typeJSON)
	refused(t, g, 400, binding.UnsupportedOperation, "")
	assert.Equal(t, typeJSON, g.header.Get("Content-Type"))
}

func TestErrorHeaders(t *testing.T) {
	s := &script{err: binding.Errorf(binding.Unauthenticated, "who?").WithInfo("wwwAuthenticate", `Bearer realm="a2a"`)}
	g := ask(t, Handler(s.agent(), nil), "GET", "/tasks/t1", "")
	refused(t, g, 401, binding.Unauthenticated, "")
	assert.Equal(t, `Bearer realm="a2a"`, g.header.Get("WWW-Authenticate"))
}

func TestStripPrefix(t *testing.T) {
	for _, tc := range []struct{ strip, target string }{
		{"/a2a", "/a2a/acme/tasks/x%2Fy%3Acancel"},
		{"/a2a/", "/a2a/acme/tasks/x%2Fy%3Acancel"},
		{"/a b", "/a%20b/acme/tasks/x%20y"},
	} {
		s := new(script)
		g := ask(t, http.StripPrefix(tc.strip, Handler(s.agent(), nil)), "GET", tc.target, "")
		require.Equal(t, 200, g.status, g.body)
		_, req := s.last()
		assert.Equal(t, "acme", req.(*pb.GetTaskRequest).GetTenant(), tc.target)
		assert.Contains(t, []string{"x/y:cancel", "x y"}, req.(*pb.GetTaskRequest).GetId(), tc.target)
	}
}

// A mux in front neither cleans nor redirects what the client writes.
func TestBehindMux(t *testing.T) {
	s := new(script)
	mux := http.NewServeMux()
	mux.Handle("/", Handler(s.agent(), nil))
	for _, id := range odd {
		g := ask(t, mux, "GET", "/tasks/"+string(appendSegment(nil, id)), "")
		require.Equal(t, 200, g.status, "%q: %s", id, g.body)
		_, req := s.last()
		assert.Equal(t, id, req.(*pb.GetTaskRequest).GetId())
	}
}
