package errmap

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// wires are the three ways over and back.
var wires = map[string]func(error) *binding.Error{
	"JSON-RPC": func(err error) *binding.Error { return ReadJSONRPC(AppendJSONRPC(nil, err)) },
	"gRPC":     func(err error) *binding.Error { return ReadStatus(Status(err)) },
	"HTTP": func(err error) *binding.Error {
		h := http.Header{}
		SetHeader(h, err)
		return ReadHTTP(HTTPStatus(err), h, AppendHTTP(nil, HTTPStatus(err), err))
	},
}

func TestTableOfTheSpecification(t *testing.T) { // spec 5.4, 9.5
	for _, want := range []Row{
		{binding.TaskNotFound, -32001, code.Code_NOT_FOUND, 404},
		{binding.TaskNotCancelable, -32002, code.Code_FAILED_PRECONDITION, 400},
		{binding.PushNotificationNotSupported, -32003, code.Code_FAILED_PRECONDITION, 400},
		{binding.UnsupportedOperation, -32004, code.Code_FAILED_PRECONDITION, 400},
		{binding.ContentTypeNotSupported, -32005, code.Code_INVALID_ARGUMENT, 400},
		{binding.InvalidAgentResponse, -32006, code.Code_INTERNAL, 500},
		{binding.ExtendedAgentCardNotConfigured, -32007, code.Code_FAILED_PRECONDITION, 400},
		{binding.ExtensionSupportRequired, -32008, code.Code_FAILED_PRECONDITION, 400},
		{binding.VersionNotSupported, -32009, code.Code_FAILED_PRECONDITION, 400},
		{binding.JSONParse, -32700, code.Code_INVALID_ARGUMENT, 400},
		{binding.InvalidRequest, -32600, code.Code_INVALID_ARGUMENT, 400},
		{binding.InvalidParams, -32602, code.Code_INVALID_ARGUMENT, 400},
		{binding.Internal, -32603, code.Code_INTERNAL, 500},
	} {
		assert.Equal(t, want, *rowOf(want.Code))
	}
	for _, r := range Table() {
		assert.True(t, r.Code.Known())
	}
	assert.Len(t, Table(), 20)
}

func TestEveryErrorOverEveryWire(t *testing.T) {
	for _, row := range Table() {
		for wire, cross := range wires {
			got := cross(binding.Errorf(row.Code, "said %s", row.Code))
			assert.Equal(t, row.Code, got.Code, wire)
			assert.Equal(t, "said "+string(row.Code), got.Message, wire)
			assert.True(t, got.Remote, wire)
			assert.Equal(t, string(row.Code), got.Info().GetReason(), wire)
			assert.Equal(t, "a2a-protocol.org", got.Info().GetDomain(), wire)
		}
	}
}

func TestDetailsKeepTheirBytes(t *testing.T) {
	e := binding.Errorf(binding.TaskNotFound, "no").WithInfo("taskId", "t-1").With(
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "message.parts", Description: "é\n"}}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)},
		&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "d", Url: "https://help.example"}}},
		&errdetails.LocalizedMessage{Locale: "de", Message: "nein"},
		&structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewNumberValue(1)}},
	)
	e.Details = append(e.Details,
		&anypb.Any{TypeUrl: "type.example.com/vendor.Unknown", Value: []byte{0x0a, 0x03, 'a', 'b', 0xff}},
		&anypb.Any{TypeUrl: "type.example.com/vendor.Empty"})
	for wire, cross := range wires {
		got := cross(cross(e))
		require.Len(t, got.Details, len(e.Details), wire)
		for i := range e.Details {
			assert.Equal(t, e.Details[i].GetTypeUrl(), got.Details[i].GetTypeUrl(), wire)
			assert.Equal(t, string(e.Details[i].GetValue()), string(got.Details[i].GetValue()), "%s: %s", wire, e.Details[i].GetTypeUrl())
		}
	}
}

// A detail that only JSON can say crosses protobuf and comes out as it was.
func TestForeignJSONDetails(t *testing.T) {
	const data = `[{"@type":"vendor.example/Thing","n":1,"deep":{"x":[null]}},{"no":"type"},"text"]`
	e := ReadJSONRPC([]byte(`{"code":-32001,"message":"m","data":` + data + `}`))
	require.Len(t, e.Details, 3)
	over := ReadStatus(Status(e))
	var out struct {
		Data []json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(AppendJSONRPC(nil, over), &out))
	require.Len(t, out.Data, 4, "an ErrorInfo is added in front")
	assert.JSONEq(t, `{"@type":"vendor.example/Thing","n":1,"deep":{"x":[null]}}`, string(out.Data[1]))
	assert.JSONEq(t, `{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"no":"type"}}`, string(out.Data[2]))
	assert.JSONEq(t, `{"@type":"type.googleapis.com/google.protobuf.Value","value":"text"}`, string(out.Data[3]))
	for _, data := range []string{`null`, `7`, `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}`, `{"a":1}`, `[`} {
		assert.NotPanics(t, func() { ReadJSONRPC([]byte(`{"code":-32001,"data":` + data + `}`)) })
	}
}

func TestJSONRPCCodeOfOthersSurvives(t *testing.T) {
	e := ReadJSONRPC([]byte(`{"code":-32050,"message":"vendor"}`))
	assert.Equal(t, binding.Internal, e.Code)
	for wire, cross := range wires {
		assert.Equal(t, -32050, JSONRPC(cross(e)), wire)
	}
}

func TestReasonDecides(t *testing.T) {
	info := func(reason string) *anypb.Any {
		a, _ := anypb.New(&errdetails.ErrorInfo{Reason: reason, Domain: binding.Domain})
		return a
	}
	// The statuses of 1.0.0.
	s := Status(binding.ErrUnsupportedOperation)
	s.Code = int32(code.Code_UNIMPLEMENTED)
	assert.Equal(t, binding.UnsupportedOperation, ReadStatus(s).Code)
	body := `{"error":{"code":409,"status":"ABORTED","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PUSH_NOTIFICATION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}}`
	assert.Equal(t, binding.PushNotificationNotSupported, ReadHTTP(409, nil, []byte(body)).Code)
	assert.Equal(t, binding.PermissionDenied, wireError(binding.Internal, "", []*anypb.Any{info("UNAUTHORIZED")}).Code)
	assert.Equal(t, binding.TaskNotFound, wireError(binding.TaskNotFound, "", []*anypb.Any{info("VENDOR_REASON")}).Code)
	foreign, _ := anypb.New(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "vendor.example"})
	assert.Equal(t, binding.Internal, wireError(binding.Internal, "", []*anypb.Any{foreign}).Code)
}

func TestReadHTTP(t *testing.T) { // cases of error bodies in the field
	for name, c := range map[string]struct {
		status int
		body   string
		code   binding.Code
		text   string
		remote bool
	}{
		"spec 11.6":      {404, `{"error":{"code":404,"status":"NOT_FOUND","message":"m"}}`, binding.TaskNotFound, "m", true},
		"bare status":    {404, `{"code":5,"message":"m","details":[]}`, binding.TaskNotFound, "m", true},
		"problem":        {404, `{"type":"https://a2a-protocol.org/errors/task-not-found","status":404,"detail":"m"}`, binding.TaskNotFound, "m", true},
		"problem title":  {409, `{"type":"about:blank","title":"m"}`, binding.TaskNotCancelable, "m", true},
		"bare JSON-RPC":  {500, `{"code":-32004,"message":"m","data":[]}`, binding.UnsupportedOperation, "m", true},
		"own code":       {400, `{"type":"about:blank","detail":"m","code":-1}`, binding.InvalidParams, "m", true},
		"JSON-RPC":       {200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"m"}}`, binding.TaskNotCancelable, "m", true},
		"a proxy's HTML": {502, `<html>Bad gateway</html>`, binding.Unavailable, "HTTP 502 Bad Gateway", false},
		"no such path":   {404, `404 page not found`, binding.MethodNotFound, "HTTP 404 Not Found", false},
		"empty":          {500, ``, binding.Internal, "HTTP 500 Internal Server Error", false},
		"401":            {401, ``, binding.Unauthenticated, "HTTP 401 Unauthorized", true},
		"403":            {403, `{}`, binding.PermissionDenied, "HTTP 403 Forbidden", true},
		"413":            {413, ``, binding.ResourceExhausted, "HTTP 413 Request Entity Too Large", false},
		"429":            {429, `slow down`, binding.ResourceExhausted, "HTTP 429 Too Many Requests", false},
		"redirect":       {302, ``, binding.Internal, "HTTP 302 Found", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadHTTP(c.status, nil, []byte(c.body))
			assert.Equal(t, c.code, got.Code)
			assert.Equal(t, c.text, got.Error())
			assert.Equal(t, c.remote, got.Remote)
		})
	}
	e := ReadHTTP(400, nil, []byte(`{"status":400,"detail":"Invalid parameters","errors":[{"field":"pageSize","message":"too large"}]}`))
	bad, ok := detail(e.Details, new(errdetails.BadRequest))
	require.True(t, ok)
	assert.Equal(t, "pageSize", bad.GetFieldViolations()[0].GetField())
}

func TestChallengeAndRetryCross(t *testing.T) { // spec 3.3.2
	h := http.Header{"Www-Authenticate": {`Bearer realm="a2a", error="invalid_token"`}, "Retry-After": {"7"}}
	e := ReadHTTP(401, h, nil)
	for wire, cross := range wires {
		out := http.Header{}
		SetHeader(out, cross(e))
		assert.Equal(t, h, out, wire)
	}
	out := http.Header{}
	SetHeader(out, binding.ErrUnauthenticated.WithInfo(challengeKey, "a\r\nX-Bad: 1"))
	assert.Empty(t, out)
}

func TestIsHTTPError(t *testing.T) {
	assert.True(t, IsHTTPError([]byte(`{"error":{"code":404}}`)))
	assert.False(t, IsHTTPError([]byte(`{"task":{"metadata":{"error":{}}}}`)))
	assert.False(t, IsHTTPError([]byte(`{"error":"text"}`)))
	assert.False(t, IsHTTPError([]byte(`[]`)))
}

func TestWrappedAndForeignErrors(t *testing.T) {
	both := fmt.Errorf("%w and %w", binding.ErrTaskNotFound, binding.ErrInternal)
	for range 20 { // never one of two at random
		assert.Equal(t, -32001, JSONRPC(both))
	}
	for wire, cross := range wires {
		assert.Equal(t, "internal error", cross(errors.New("secret path /etc/x")).Error(), wire)
		assert.Equal(t, "task t-1: task not found", cross(fmt.Errorf("task t-1: %w", binding.ErrTaskNotFound)).Error(), wire)
	}
	assert.Equal(t, "\uFFFD", Status(binding.Errorf(binding.Internal, "\xff")).GetMessage())
}

func FuzzReadErrors(f *testing.F) {
	f.Add([]byte(`{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"X"}]}`))
	f.Add([]byte(`{"error":{"code":404,"status":"NOT_FOUND","details":[{"@type":"a/b","value":"AA=="}]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, e := range []*binding.Error{ReadJSONRPC(in), ReadHTTP(500, nil, in)} {
			for wire, cross := range wires {
				if got := cross(e); got.Code != e.Code {
					t.Fatalf("%s: %s became %s", wire, e.Code, got.Code)
				}
			}
		}
	})
}
