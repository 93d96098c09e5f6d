package jsonrpc_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/jsonrpc"
)

// scripted answers each operation with one fixed answer.
type scripted struct{ binding.Unimplemented }

func task() *pb.Task {
	return &pb.Task{Id: "t-1", ContextId: "c-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}
}

func config() *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Id: "p-1", TaskId: "t-1", Url: "https://hooks.example.com/x"}
}

func (scripted) SendMessage(_ context.Context, call *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	call.ActivateExtensions(call.Extensions()...)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: r.GetMessage()}}, nil
}

func (scripted) SendStreamingMessage(_ context.Context, _ *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if r.GetMessage().GetMessageId() == "early" {
			yield(nil, binding.ErrContentTypeNotSupported)
			return
		}
		_ = yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil) &&
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: "t-1", ContextId: "c-1", Status: task().Status}}}, nil) &&
			r.GetMessage().GetMessageId() == "late" && yield(nil, binding.Errorf(binding.Internal, "boom"))
	}
}

func (scripted) GetTask(_ context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	if r.GetId() == "nope" {
		return nil, binding.Errorf(binding.TaskNotFound, "no task nope").WithInfo("taskId", "nope")
	}
	return task(), nil
}

func (scripted) ListTasks(context.Context, *binding.Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return &pb.ListTasksResponse{PageSize: 50}, nil
}

func (scripted) CancelTask(context.Context, *binding.Call, *pb.CancelTaskRequest) (*pb.Task, error) {
	return nil, binding.ErrTaskNotCancelable
}

func (s scripted) SubscribeToTask(ctx context.Context, call *binding.Call, _ *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return s.SendStreamingMessage(ctx, call, nil)
}

func (scripted) CreateTaskPushNotificationConfig(context.Context, *binding.Call, *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (scripted) GetTaskPushNotificationConfig(context.Context, *binding.Call, *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (scripted) ListTaskPushNotificationConfigs(context.Context, *binding.Call, *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config()}}, nil
}

func (scripted) DeleteTaskPushNotificationConfig(context.Context, *binding.Call, *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (scripted) GetExtendedAgentCard(context.Context, *binding.Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return nil, binding.Errorf(binding.Unauthenticated, "who are you?").WithInfo("wwwAuthenticate", `Bearer realm="a2a"`)
}

// post sends a body as a foreign client would.
func post(t *testing.T, h http.Handler, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String(), w.Header()
}

// send is a request with one part.
func send(part string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + part + `]}}}`
}

func TestEnvelope(t *testing.T) { // spec 9.5, JSON-RPC 2.0 sections 4 and 5
	h := jsonrpc.Handler(scripted{}, nil)
	for name, c := range map[string]struct{ body, want string }{
		"no jsonrpc":            {`{"id":1,"method":"GetTask","params":{"id":"t1"}}`, `"id":1,"error":{"code":-32600,`},
		"jsonrpc 1.0":           {`{"jsonrpc":"1.0","id":2,"method":"GetTask","params":{"id":"t1"}}`, `"id":2,"error":{"code":-32600,`},
		"id is an object":       {`{"jsonrpc":"2.0","id":{"k":3},"method":"GetTask","params":{"id":"t1"}}`, `"id":null,"error":{"code":-32600,`},
		"id is true":            {`{"jsonrpc":"2.0","id":true,"method":"GetTask"}`, `"id":null,"error":{"code":-32600,`},
		"params is a string":    {`{"jsonrpc":"2.0","id":4,"method":"GetTask","params":"t1"}`, `"id":4,"error":{"code":-32602,`},
		"params is an array":    {`{"jsonrpc":"2.0","id":4,"method":"GetTask","params":["t1"]}`, `"id":4,"error":{"code":-32602,`},
		"id null":               {`{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"t1"}}`, `"id":null,"result":{"id":"t-1"`},
		"id string":             {`{"jsonrpc":"2.0","id":"é\u00e9","method":"GetTask","params":{"id":"t1"}}`, `"id":"é\u00e9","result":`},
		"id beyond a double":    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"t1"}}`, `"id":9007199254740993,"result":`},
		"id fraction":           {`{"jsonrpc":"2.0","id":1.50,"method":"GetTask","params":{"id":"t1"}}`, `"id":1.50,"result":`},
		"old method":            {`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}`, `"id":1,"error":{"code":-32601,`},
		"method in other case":  {`{"jsonrpc":"2.0","id":3,"method":"getTask","params":{"id":"t1"}}`, `"id":3,"error":{"code":-32601,`},
		"method is a number":    {`{"jsonrpc":"2.0","id":3,"method":7}`, `"id":3,"error":{"code":-32600,`},
		"no params, none to be": {`{"jsonrpc":"2.0","id":2,"method":"GetExtendedAgentCard"}`, `"id":2,"error":{"code":-31401,`},
		"no params, id is due":  {`{"jsonrpc":"2.0","id":2,"method":"GetTask"}`, `"id":2,"error":{"code":-32602,"message":"id: is required"`},
		"every kind of content": {send(`{"text":"","url":"","raw":"","data":{"rows":2}}`), `"id":1,"error":{"code":-32602,"message":"message.parts[0].`},
		"two kinds of content":  {send(`{"text":"a","url":"https://files.example/x"}`), `"id":1,"error":{"code":-32602,"message":"message.parts[0].`},
		"no content":            {send(`{"mediaType":"text/plain"}`), `"id":1,"error":{"code":-32602,"message":"message.parts[0]`},
		"content beside null":   {send(`{"text":null,"url":"https://files.example/x"}`), `"parts":[{"url":"https://files.example/x"}]`},
		"batch":                 {`[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}]`, `"id":null,"error":{"code":-32600,`},
		"not an object":         {`7`, `"id":null,"error":{"code":-32600,`},
		"not JSON":              {`{"jsonrpc":`, `"id":null,"error":{"code":-32700,`},
		"empty":                 {``, `"id":null,"error":{"code":-32700,`},
		"params not JSON":       {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":nope}}`, `"id":null,"error":{"code":-32700,`},
		"bad UTF-8":             {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"\xff\"}}", `"id":null,"error":{"code":-32700,`},
		"text after":            {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}} {}`, `"id":null,"error":{"code":-32700,`},
		"method twice":          {`{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"CancelTask","params":{"id":"t1"}}`, `"error":{"code":-32600,"message":"method: is there twice"`},
		"Method":                {`{"jsonrpc":"2.0","id":1,"Method":"GetTask","params":{"id":"t1"}}`, `"error":{"code":-32600,"message":"Method: differs in case`},
		"unknown members":       {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1","x":1},"meta":{}}`, `"id":1,"result":`},
		"list is whole":         {`{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, `"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`},
		"delete answers {}":     {`{"jsonrpc":"2.0","id":1,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":"t","id":"p"}}`, `"result":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, body, _ := post(t, h, c.body)
			assert.Contains(t, body, c.want)
			assert.Contains(t, body, `{"jsonrpc":"2.0",`)
		})
	}
}

func TestNotifications(t *testing.T) {
	h := jsonrpc.Handler(scripted{}, nil)
	status, body, _ := post(t, h, `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t1"}}`)
	assert.Equal(t, http.StatusNoContent, status)
	assert.Empty(t, body)
	for _, method := range []string{"SendMessage", "CancelTask", "NoSuchMethod"} {
		_, body, _ = post(t, h, `{"jsonrpc":"2.0","method":"`+method+`","params":{}}`)
		assert.Contains(t, body, `"id":null,"error":{"code":-32600,`, method)
	}
}

func TestVersionComesFirst(t *testing.T) { // spec 3.6
	h := jsonrpc.Handler(scripted{}, nil)
	for _, version := range []string{"", "2.0", "0.3"} {
		for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`, `{"jsonrpc":"2.0","id":1,"method":"nope"}`, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":7}}`} {
			_, got, _ := post(t, h, body, "A2A-Version", version)
			assert.Contains(t, got, `"id":1,"error":{"code":-32009,`)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/?A2A-Version=1.0", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), `"result"`, "the version may stand in the query (spec 3.6.1)")
}

func TestWhatHTTPRefuses(t *testing.T) {
	h := jsonrpc.Handler(scripted{}, &jsonrpc.Options{Options: binding.Options{MaxMessageBytes: 1000}})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, "POST", w.Header().Get("Allow"))
	for _, ct := range []string{"text/plain", "", "application/x-www-form-urlencoded"} {
		status, _, _ := post(t, h, `{}`, "Content-Type", ct)
		assert.Equal(t, http.StatusUnsupportedMediaType, status, ct)
	}
	status, body, _ := post(t, h, `{"pad":"`+strings.Repeat("x", 100_000)+`"}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	assert.Contains(t, body, "over the limit of")
	status, body, _ = post(t, h, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+strings.Repeat("x", 2000)+`"}}`)
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Contains(t, body, `"id":1,"error":{"code":-32000,`)
	status, body, header := post(t, h, `{"jsonrpc":"2.0","id":5,"method":"GetExtendedAgentCard"}`)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, `"id":5,"error":{"code":-31401,`)
	assert.Equal(t, `Bearer realm="a2a"`, header.Get("WWW-Authenticate"))
}

// foreign is a server that answers with fixed bytes, as servers in the field do.
func foreign(t *testing.T, status int, contentType, body string) binding.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	c, err := jsonrpc.Dial(t.Context(), s.URL, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestForeignAnswers(t *testing.T) {
	const json = "application/json"
	get := &pb.GetTaskRequest{Id: "t"}
	for name, c := range map[string]struct {
		status      int
		contentType string
		body        string
		code        binding.Code // "" for success
	}{
		"pretty and with charset": {200, json + "; charset=utf-8", "{\n \"jsonrpc\": \"2.0\",\n \"id\": 1,\n \"result\": {\"id\":\"t\",\"status\":{\"state\":3}}\n}", ""},
		"id as a string":          {200, json, `{"jsonrpc":"2.0","id":"1","result":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`, ""},
		"201":                     {201, json, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":1}},"error":null}`, ""},
		"another's id":            {200, json, `{"jsonrpc":"2.0","id":9,"result":{"id":"t","status":{"state":1}}}`, binding.InvalidAgentResponse},
		"error with 500":          {500, json, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m"}}`, binding.TaskNotFound},
		"error with id null":      {200, json, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, binding.JSONParse},
		"unknown state":           {200, json, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"completed"}}}`, binding.InvalidAgentResponse},
		"number of no state":      {200, json, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":99}}}`, binding.InvalidAgentResponse},
		"null state":              {200, json, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":null}}}`, binding.InvalidAgentResponse},
		"empty result":            {200, json, `{"jsonrpc":"2.0","id":1,"result":{}}`, binding.InvalidAgentResponse},
		"null result":             {200, json, `{"jsonrpc":"2.0","id":1,"result":null}`, binding.InvalidAgentResponse},
		"neither":                 {200, json, `{"jsonrpc":"2.0","id":1}`, binding.InvalidAgentResponse},
		"HTML":                    {502, "text/html", `<html>`, binding.Unavailable},
		"HTML with 200":           {200, "text/html", `<html>`, binding.InvalidAgentResponse},
		"401 without a body":      {401, "text/plain", ``, binding.Unauthenticated},
		"redirect":                {307, "text/plain", ``, binding.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := foreign(t, c.status, c.contentType, c.body).GetTask(t.Context(), nil, get)
			assert.Equal(t, c.code, binding.CodeOf(err), "%v", err)
		})
	}
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1}`} {
		_, err := foreign(t, 200, json, body).DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
		assert.NoError(t, err, body)
	}
}

func TestForeignStreams(t *testing.T) { // the ways in which streams go wrong in the field
	const first = `data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"
	for name, c := range map[string]struct {
		contentType, body string
		events            int
		code              binding.Code
	}{
		"clean":                         {"text/event-stream", ": ping\n\nevent: message\nid: 4\n" + first + ":\n\n", 1, ""},
		"error in the stream":           {"text/event-stream", first + `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"boom"}}` + "\n\n", 1, binding.Internal},
		"error instead of a stream":     {"application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"m"}}`, 0, binding.UnsupportedOperation},
		"one answer instead of one":     {"application/json", `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}}`, 1, ""},
		"cut in an event":               {"text/event-stream", first + "data: {", 1, binding.Unavailable},
		"not JSON":                      {"text/event-stream", first + "data: {\n\n", 1, binding.InvalidAgentResponse},
		"an event without its contents": {"text/event-stream", first + `data: {"jsonrpc":"2.0","id":1,"result":{}}` + "\n\n", 1, binding.InvalidAgentResponse},
		"data over lines":               {"text/event-stream; charset=utf-8", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"t\",\ndata: \"status\":{\"state\":2}}}}\n\n", 1, ""},
		"a long line": {"text/event-stream", first + `data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"` +
			strings.Repeat("x", 70_000) + `"}]}}}}` + "\n\n", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := foreign(t, 200, c.contentType, c.body)
			n := 0
			var last error
			for _, err := range client.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
				if last = err; err == nil {
					n++
				}
			}
			assert.Equal(t, c.events, n)
			assert.Equal(t, c.code, binding.CodeOf(last), "%v", last)
		})
	}
}

// A connection that ends without HTTP saying so is over only if its task is.
func TestStreamThatEndsWithItsConnection(t *testing.T) {
	for state, code := range map[string]binding.Code{"TASK_STATE_WORKING": binding.Unavailable, "TASK_STATE_COMPLETED": "", "TASK_STATE_INPUT_REQUIRED": ""} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, buf, err := w.(http.Hijacker).Hijack()
			if assert.NoError(t, err) {
				_, _ = buf.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
					`data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"` + state + `"}}}}` + "\n\n")
				_ = buf.Flush()
				_ = conn.Close()
			}
		}))
		c, err := jsonrpc.Dial(t.Context(), s.URL, nil)
		require.NoError(t, err)
		var last error
		for _, err := range c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
			last = err
		}
		assert.Equal(t, code, binding.CodeOf(last), state)
		_ = c.Close()
		s.Close()
	}
}

func FuzzHandler(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0"}]`))
	h := jsonrpc.Handler(scripted{}, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("A2A-Version", "1.0")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusNoContent && !strings.Contains(w.Body.String(), `"jsonrpc":"2.0"`) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}
