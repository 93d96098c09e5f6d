package rest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
)

type goldenCase struct {
	name   string
	op     *binding.Op
	call   *binding.Call
	req    proto.Message
	script script
}

// goldens are the bytes of each operation, both ways: what the client writes
// and what the server answers.
var goldens = []*goldenCase{
	{
		name: "send", op: binding.OpSendMessage,
		call:   &binding.Call{Params: binding.Params{"a2a-extensions": "https://ext.example/a, https://ext.example/b", "x-trace": "1"}, Credential: "Bearer s3cr3t"},
		req:    &pb.SendMessageRequest{Message: message("m1", "hi <&> ü"), Configuration: &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0)}},
		script: script{reply: binding.Params{"a2a-extensions": "https://ext.example/a"}},
	},
	{
		name: "send-tenant", op: binding.OpSendMessage,
		req: &pb.SendMessageRequest{Tenant: "a/b", Message: message("m1", "hi")},
	},
	{
		name: "stream", op: binding.OpSendStreamingMessage,
		req:    &pb.SendMessageRequest{Message: message("m1", "hi")},
		script: script{events: []*pb.StreamResponse{taskEvent("t1"), doneEvent("t1")}, reply: binding.Params{"a2a-extensions": "https://ext.example/a"}},
	},
	{name: "get", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "a/b?c:cancel", HistoryLength: proto.Int32(0)}},
	{
		name: "list", op: binding.OpListTasks,
		req: &pb.ListTasksRequest{
			Tenant: "tasks", ContextId: "x 1", Status: pb.TaskState_TASK_STATE_WORKING, PageSize: proto.Int32(2), PageToken: "p=1",
			StatusTimestampAfter: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), IncludeArtifacts: proto.Bool(false),
		},
	},
	{
		name: "cancel", op: binding.OpCancelTask,
		req: &pb.CancelTaskRequest{Id: "t1", Tenant: "acme", Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"why": structpb.NewStringValue("late")}}},
	},
	{
		name: "subscribe", op: binding.OpSubscribeToTask, req: &pb.SubscribeToTaskRequest{Id: "t1"},
		script: script{events: []*pb.StreamResponse{taskEvent("t1")}},
	},
	{name: "create-config", op: binding.OpCreateTaskPushNotificationConfig, req: config("c1")},
	{name: "get-config", op: binding.OpGetTaskPushNotificationConfig, req: &pb.GetTaskPushNotificationConfigRequest{TaskId: "t1", Id: "c1"}},
	{name: "list-configs", op: binding.OpListTaskPushNotificationConfigs, req: &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t1", PageSize: 1, PageToken: "p1"}},
	{name: "delete-config", op: binding.OpDeleteTaskPushNotificationConfig, req: &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t1", Id: "c1"}},
	{name: "card", op: binding.OpGetExtendedAgentCard, req: &pb.GetExtendedAgentCardRequest{Tenant: "acme"}},
	{
		name: "error", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "nope"},
		script: script{err: binding.Errorf(binding.TaskNotFound, "no task %q", "nope").WithInfo("taskId", "nope").
			With(&errdetails.RetryInfo{RetryDelay: durationpb.New(90 * time.Second)})},
	},
	{
		name: "error-before-stream", op: binding.OpSubscribeToTask, req: &pb.SubscribeToTaskRequest{Id: "t1"},
		script: script{err: binding.ErrUnsupportedOperation, reply: binding.Params{"x-node": "7"}},
	},
	{
		name: "error-in-stream", op: binding.OpSendStreamingMessage, req: &pb.SendMessageRequest{Message: message("m1", "hi")},
		script: script{events: []*pb.StreamResponse{taskEvent("t1")}, err: binding.Errorf(binding.Unavailable, "the model is gone")},
	},
	{name: "error-field", op: binding.OpListTasks, req: &pb.ListTasksRequest{PageSize: proto.Int32(101)}},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			srv := httptest.NewServer(Handler(g.script.agent(), nil))
			defer srv.Close()
			rec := &recorder{next: srv.Client().Transport}
			c, err := Dial(t.Context(), srv.URL, &Options{Transport: rec})
			require.NoError(t, err)
			call := g.call
			if call == nil {
				call = new(binding.Call)
			}
			g.talk(t, c.Conn(), call)
			require.NoError(t, c.Close())
			for k, v := range g.script.reply {
				assert.Equal(t, v, call.Reply.Get(k))
			}
			wire := new(golden.Wire)
			wire.Add("request", rec.request.String())
			wire.Add("response", rec.response.String())
			wire.Compare(t, g.name, "")
		})
	}
}

// talk makes the call, and holds what the client got against what the agent said.
func (g *goldenCase) talk(t *testing.T, c binding.Conn, call *binding.Call) {
	var events []*pb.StreamResponse
	var answer proto.Message
	var err error
	if g.op.Streaming {
		for p, e := range c.Stream(t.Context(), g.op, call, binding.MessagePayload(g.req)) {
			if err = e; err == nil {
				m, merr := p.Message()
				require.NoError(t, merr)
				events = append(events, m.(*pb.StreamResponse))
			}
		}
	} else {
		var p binding.Payload
		if p, err = c.Invoke(t.Context(), g.op, call, binding.MessagePayload(g.req)); err == nil {
			answer, err = p.Message()
		}
	}
	op, req := g.script.last()
	switch {
	case op == nil:
		require.ErrorIs(t, err, binding.ErrInvalidParams)
		return
	default:
		require.Equal(t, g.op.Name, op.Name)
		require.True(t, proto.Equal(g.req, req), "asked %v, the agent saw %v", g.req, req)
	}
	if g.script.err != nil {
		want, got := binding.Flatten(g.script.err), binding.Flatten(err)
		require.NotNil(t, got)
		assert.Equal(t, []any{want.Code, want.Text(), true}, []any{got.Code, got.Text(), got.Remote})
		require.Len(t, got.Details, len(want.Details))
		for i := range want.Details {
			assert.True(t, proto.Equal(want.Details[i], got.Details[i]), "detail %d: %v", i, got.Details[i])
		}
		return
	}
	require.NoError(t, err)
	if g.op.Streaming {
		require.Len(t, events, len(g.script.events))
		for i := range events {
			assert.True(t, proto.Equal(g.script.events[i], events[i]), "event %d: %v", i, events[i])
		}
		return
	}
	assert.True(t, proto.Equal(answers[g.op], answer), "%v", answer)
}

// recorder writes down what crosses, but for headers that HTTP itself adds.
type recorder struct {
	next              http.RoundTripper
	request, response bytes.Buffer
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	fmt.Fprintf(&r.request, "%s %s\n", req.Method, req.URL.RequestURI())
	headers(&r.request, req.Header)
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(b))
		r.request.WriteByte('\n')
		r.request.Write(b)
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&r.response, "%s\n", resp.Status)
	headers(&r.response, resp.Header)
	b, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(b))
	r.response.WriteByte('\n')
	r.response.Write(b)
	return resp, err
}

func headers(w io.Writer, h http.Header) {
	var lines []string
	for k, vs := range h {
		for _, v := range vs {
			if k != "Date" && k != "Content-Length" {
				lines = append(lines, k+": "+v+"\n")
			}
		}
	}
	slices.Sort(lines)
	_, _ = io.WriteString(w, strings.Join(lines, ""))
}
