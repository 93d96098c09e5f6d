package grpcbind

import (
	"context"
	"iter"
	"net"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
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

// agentOf is a Conn as an agent that a server calls by its methods.
func agentOf(c binding.Conn) binding.Agent { return struct{ binding.Agent }{binding.Remote(c)} }

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

// dialed is a client of an agent served at a free port.
func dialed(t testing.TB, s binding.Conn, o *Options) binding.Client {
	t.Helper()
	c, err := Dial(t.Context(), serve(t, agentOf(s), o), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// serve is the address of an agent served at a free port.
func serve(t testing.TB, agent binding.Agent, o *Options) string {
	t.Helper()
	b := Binding{}
	if o != nil {
		b.Options = *o
	}
	srv, err := b.Serve(t.Context(), &pb.AgentInterface{Url: "127.0.0.1:0"}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, srv.Close()) })
	return srv.Interface().GetUrl()
}

// listen serves what register registers, by plain grpc-go.
func listen(t testing.TB, register func(*grpc.Server), opts ...grpc.ServerOption) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := grpc.NewServer(opts...)
	register(srv)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		srv.Stop()
		require.NoError(t, <-done)
	})
	return l.Addr().String()
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
