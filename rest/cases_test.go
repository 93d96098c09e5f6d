package rest

import (
	"net/http"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// C25: subscribing is served by GET and by POST, and is never the id's.
func TestSubscribeByEitherMethod(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		s := &script{events: []*pb.StreamResponse{taskEvent("t1"), doneEvent("t1")}}
		g := ask(t, Handler(s.agent(), nil), method, "/tasks/t1:subscribe", "", "Accept: text/event-stream")
		require.Equal(t, 200, g.status, g.body)
		op, req := s.last()
		assert.Equal(t, binding.OpSubscribeToTask.Name, op.Name)
		assert.Equal(t, "t1", req.(*pb.SubscribeToTaskRequest).GetId())
		assert.Equal(t, typeEvents, g.header.Get("Content-Type"))
	}
}

// C25: the client goes over to GET where POST leads nowhere, and stays with it.
func TestSubscribeFallsBack(t *testing.T) {
	for _, status := range []int{404, 405, 501} {
		for _, body := range []string{"", "Not Found", `{"detail":"Not Found"}`} {
			var methods []string
			c := foreign(t, func(w http.ResponseWriter, r *http.Request) {
				methods = append(methods, r.Method)
				if r.Method == http.MethodPost {
					w.WriteHeader(status)
					_, _ = w.Write([]byte(body))
					return
				}
				w.Header().Set("Content-Type", typeEvents)
				_, _ = w.Write([]byte("data: {\"task\":{\"id\":\"t1\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}\n\n"))
			})
			for range 2 {
				events, err := collect(c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t1"}))
				require.NoError(t, err)
				assert.Len(t, events, 1)
			}
			assert.Equal(t, []string{"POST", "GET", "GET"}, methods)
		}
	}
}

// C25: an agent's own error is none of a missing route.
func TestSubscribeDoesNotFallBack(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		body    string
		want    error
		methods []string
	}{
		"task not found": {404, `{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`, binding.ErrTaskNotFound, []string{"POST", "POST"}},
		"another status": {400, `no`, binding.ErrInvalidParams, []string{"POST", "POST"}},
		"neither":        {405, `no`, binding.ErrMethodNotFound, []string{"POST", "GET", "POST", "GET"}},
	} {
		t.Run(name, func(t *testing.T) {
			var methods []string
			c := foreign(t, func(w http.ResponseWriter, r *http.Request) {
				methods = append(methods, r.Method)
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			for range 2 {
				_, err := collect(c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t1"}))
				require.ErrorIs(t, err, tc.want)
			}
			assert.Equal(t, tc.methods, methods)
		})
	}
}

// C28: every way to say that something is deleted.
func TestDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
	}{
		"object": {200, "{}"}, "no content": {204, ""}, "empty": {200, ""}, "null": {200, "null\n"}, "created": {201, "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			c := foreign(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			_, err := c.DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t1", Id: "p1"})
			require.NoError(t, err)
			if tc.body != "{}" {
				_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
				require.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
			}
		})
	}
}

// C29, D03, D04: what is asked for arrives.
func TestFiltersArrive(t *testing.T) {
	s := new(script)
	c := dialed(t, s, nil)
	list := &pb.ListTasksRequest{
		Tenant: "acme", ContextId: "x", Status: pb.TaskState_TASK_STATE_INPUT_REQUIRED, PageSize: proto.Int32(7), PageToken: "p/2?",
		HistoryLength: proto.Int32(0), IncludeArtifacts: proto.Bool(false), StatusTimestampAfter: timestamppb.New(time.Unix(1767323045, 123456789)),
	}
	_, err := c.ListTasks(t.Context(), nil, list)
	require.NoError(t, err)
	_, req := s.last()
	assert.True(t, proto.Equal(list, req), "%v", req)

	configs := &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t1", Tenant: "acme", PageSize: 3, PageToken: "p2"}
	resp, err := c.ListTaskPushNotificationConfigs(t.Context(), nil, configs)
	require.NoError(t, err)
	_, req = s.last()
	assert.True(t, proto.Equal(configs, req), "%v", req)
	assert.Equal(t, "p2", resp.GetNextPageToken())
}

// D01: cancelling keeps what it says.
func TestCancelArrives(t *testing.T) {
	s := new(script)
	want := &pb.CancelTaskRequest{
		Id: "t1", Tenant: "a/b", Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"id": structpb.NewStringValue("x")}},
	}
	_, err := dialed(t, s, nil).CancelTask(t.Context(), nil, want)
	require.NoError(t, err)
	_, req := s.last()
	assert.True(t, proto.Equal(want, req), "%v", req)
}

// C31: errors in any form.
func TestForeignErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		status    int
		mediaType string
		body      string
		want      error
		remote    bool
	}{
		"spec 11.6":    {404, typeA2A, `{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`, binding.ErrTaskNotFound, true},
		"bare":         {404, typeJSON, `{"code":5,"message":"no","details":[]}`, binding.ErrTaskNotFound, true},
		"problem":      {404, "application/problem+json", `{"type":"https://a2a-protocol.org/errors/task-not-found","status":404}`, binding.ErrTaskNotFound, true},
		"proxy":        {502, "text/html", `<html>bad gateway</html>`, binding.ErrUnavailable, false},
		"unauthorized": {401, "text/plain", ``, binding.ErrUnauthenticated, true},
		"redirect":     {307, "text/plain", ``, binding.ErrInternal, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := foreign(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.mediaType)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			_, err := c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
			require.ErrorIs(t, err, tc.want)
			assert.Equal(t, tc.remote, binding.Flatten(err).Remote)
			_, err = collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
			require.ErrorIs(t, err, tc.want, "as a stream")
		})
	}
}

// C43: a tenant is one segment.
func TestTenantRoutes(t *testing.T) {
	for _, tc := range []struct{ method, target, body, tenant string }{
		{"POST", "/acme/message:send", validSend, "acme"},
		{"GET", "/acme/tasks/t1", "", "acme"},
		{"GET", "/tasks/tasks/t1", "", "tasks"},
		{"GET", "/a%2Fb/tasks", "", "a/b"},
		{"GET", "/acme/extendedAgentCard/", "", "acme"},
		{"POST", "/message:send", `{"tenant":"body",` + validSend[1:], "body"},
		{"GET", "/tasks?tenant=query", "", "query"},
	} {
		s := new(script)
		g := ask(t, Handler(s.agent(), nil), tc.method, tc.target, tc.body)
		require.Equal(t, 200, g.status, "%s: %s", tc.target, g.body)
		_, req := s.last()
		assert.Equal(t, tc.tenant, req.(interface{ GetTenant() string }).GetTenant(), tc.target)
	}
	refused(t, ask(t, Handler(new(script).agent(), nil), "GET", "/acme/", ""), 404, binding.MethodNotFound, "")
}

// D10: any text is an id.
func TestIdentifiers(t *testing.T) {
	s := &script{events: []*pb.StreamResponse{taskEvent("t1")}}
	c := dialed(t, s, nil)
	for _, id := range odd {
		for _, call := range []func() error{
			func() error {
				_, err := c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: id, Tenant: id})
				return err
			},
			func() error {
				_, err := c.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: id, Tenant: id})
				return err
			},
			func() error {
				_, err := collect(c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: id, Tenant: id}))
				return err
			},
		} {
			require.NoError(t, call(), "%q", id)
			_, req := s.last()
			assert.Equal(t, id, req.(interface{ GetId() string }).GetId())
			assert.Equal(t, id, req.(interface{ GetTenant() string }).GetTenant())
		}
		want := &pb.GetTaskPushNotificationConfigRequest{TaskId: id, Id: id, Tenant: id}
		_, err := c.GetTaskPushNotificationConfig(t.Context(), nil, want)
		require.NoError(t, err)
		_, req := s.last()
		assert.True(t, proto.Equal(want, req), "%v", req)
	}
}

// D11: an error before the first event is the answer, and no stream.
func TestErrorBeforeFirstEvent(t *testing.T) {
	s := &script{err: binding.ErrUnsupportedOperation}
	g := ask(t, Handler(s.agent(), nil), "POST", "/message:stream", validSend, "Accept: text/event-stream")
	refused(t, g, 400, binding.UnsupportedOperation, "")
	assert.Equal(t, typeA2A, g.header.Get("Content-Type"))
	_, err := collect(dialed(t, s, nil).SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation)
}
