package rest

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// script is an agent that answers with what a test says, and keeps what it was
// asked. It is a Conn, made an Agent that a server calls by its methods.
type script struct {
	events []*pb.StreamResponse
	err    error
	reply  binding.Params

	mu  sync.Mutex
	op  *binding.Op
	req proto.Message
}

// agent hides that the script is a Conn.
func (s *script) agent() binding.Agent { return struct{ binding.Agent }{binding.Remote(s)} }

func (s *script) asked(op *binding.Op, call *binding.Call, p binding.Payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op = op
	s.req, _ = p.Message()
	for k, v := range s.reply {
		call.SetReply(k, v)
	}
}

func (s *script) last() (*binding.Op, proto.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op, s.req
}

func (s *script) Invoke(_ context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	s.asked(op, call, p)
	if s.err != nil {
		return binding.Payload{}, s.err
	}
	return binding.MessagePayload(answers[op]), nil
}

func (s *script) Stream(_ context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		s.asked(op, call, p)
		for _, ev := range s.events {
			if !yield(binding.MessagePayload(ev), nil) {
				return
			}
		}
		if s.err != nil {
			yield(binding.Payload{}, s.err)
		}
	}
}

func (s *script) Close() error { return nil }

// answers are valid answers to the operations that have one.
var answers = map[*binding.Op]proto.Message{
	binding.OpSendMessage:                      &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: message("a1", "hello")}},
	binding.OpGetTask:                          task("t1", pb.TaskState_TASK_STATE_WORKING),
	binding.OpListTasks:                        &pb.ListTasksResponse{PageSize: 50},
	binding.OpCancelTask:                       task("t1", pb.TaskState_TASK_STATE_CANCELED),
	binding.OpCreateTaskPushNotificationConfig: config("c1"),
	binding.OpGetTaskPushNotificationConfig:    config("c1"),
	binding.OpListTaskPushNotificationConfigs: &pb.ListTaskPushNotificationConfigsResponse{
		Configs: []*pb.TaskPushNotificationConfig{config("c1")}, NextPageToken: "p2",
	},
	binding.OpDeleteTaskPushNotificationConfig: binding.OpDeleteTaskPushNotificationConfig.NewResponse(),
	binding.OpGetExtendedAgentCard: &pb.AgentCard{
		Name: "agent", Capabilities: &pb.AgentCapabilities{},
		SupportedInterfaces: []*pb.AgentInterface{{Url: "https://agent.example", ProtocolBinding: Protocol, ProtocolVersion: "1.0"}},
	},
}

func message(id, text string) *pb.Message {
	return &pb.Message{MessageId: id, Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}
}

func task(id string, state pb.TaskState) *pb.Task {
	return &pb.Task{Id: id, ContextId: "x1", Status: &pb.TaskStatus{State: state}}
}

func config(id string) *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{TaskId: "t1", Id: id, Url: "https://hook.example"}
}

func taskEvent(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task(id, pb.TaskState_TASK_STATE_WORKING)}}
}

func doneEvent(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
		TaskId: id, ContextId: "x1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED},
	}}}
}

// dialed is a client of a served agent.
func dialed(t testing.TB, s *script, o *Options) binding.Client {
	t.Helper()
	c, _ := served(t, s, o)
	return c
}

func served(t testing.TB, s *script, o *Options) (binding.Client, string) {
	t.Helper()
	srv := httptest.NewServer(Handler(s.agent(), o))
	t.Cleanup(srv.Close)
	return dialURL(t, srv.URL), srv.URL
}

func dialURL(t testing.TB, url string) binding.Client {
	t.Helper()
	c, err := Dial(t.Context(), url, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// foreign is a client of a server that is not ours.
func foreign(t testing.TB, h http.HandlerFunc) binding.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return dialURL(t, srv.URL)
}

// got is an answer to a request that no client of ours wrote.
type got struct {
	status int
	header http.Header
	body   string
}

// ask sends a request by hand. Headers are "Name: value".
func ask(t testing.TB, h http.Handler, method, target, body string, headers ...string) got {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("A2A-Version", "1.0")
	if body != "" {
		r.Header.Set("Content-Type", typeA2A)
	}
	for _, line := range headers {
		name, v, _ := strings.Cut(line, ": ")
		r.Header.Set(name, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return got{res.StatusCode, res.Header, string(text)}
}

// collect is a stream's events and its error.
func collect(events iter.Seq2[*pb.StreamResponse, error]) (out []*pb.StreamResponse, err error) {
	for ev, e := range events {
		if e != nil {
			return out, e
		}
		out = append(out, ev)
	}
	return out, nil
}
