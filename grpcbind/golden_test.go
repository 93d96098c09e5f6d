package grpcbind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
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

// goldens are what crosses for each operation, both ways: method, metadata and
// messages.
var goldens = []*goldenCase{
	{
		name: "send", op: binding.OpSendMessage,
		call:   &binding.Call{Params: binding.Params{"a2a-extensions": "https://ext.example/a, https://ext.example/b", "x-trace": "1"}, Credential: "Bearer s3cr3t"},
		req:    &pb.SendMessageRequest{Tenant: "acme", Message: message("m1", "hi"), Configuration: &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0)}},
		script: script{reply: binding.Params{"a2a-extensions": "https://ext.example/a"}},
	},
	{
		name: "stream", op: binding.OpSendStreamingMessage,
		req:    &pb.SendMessageRequest{Message: message("m1", "hi")},
		script: script{events: []*pb.StreamResponse{taskEvent("t1"), doneEvent("t1")}, reply: binding.Params{"a2a-extensions": "https://ext.example/a"}},
	},
	{name: "get", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "a/b", HistoryLength: proto.Int32(0)}},
	{
		name: "list", op: binding.OpListTasks,
		req: &pb.ListTasksRequest{
			Tenant: "acme", ContextId: "x", Status: pb.TaskState_TASK_STATE_WORKING, PageSize: proto.Int32(2), PageToken: "p1",
			StatusTimestampAfter: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), IncludeArtifacts: proto.Bool(false),
		},
	},
	{
		name: "cancel", op: binding.OpCancelTask,
		req: &pb.CancelTaskRequest{Id: "t1", Tenant: "acme", Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"why": structpb.NewStringValue("late")}}},
	},
	{
		name: "subscribe", op: binding.OpSubscribeToTask, req: &pb.SubscribeToTaskRequest{Id: "t1", Tenant: "acme"},
		script: script{events: []*pb.StreamResponse{taskEvent("t1")}},
	},
	{name: "create-config", op: binding.OpCreateTaskPushNotificationConfig, req: config("c1")},
	{name: "get-config", op: binding.OpGetTaskPushNotificationConfig, req: &pb.GetTaskPushNotificationConfigRequest{TaskId: "t1", Id: "c1"}},
	{name: "list-configs", op: binding.OpListTaskPushNotificationConfigs, req: &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t1", PageSize: 1, PageToken: "p1"}},
	{name: "delete-config", op: binding.OpDeleteTaskPushNotificationConfig, req: &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t1", Id: "c1"}},
	{name: "card", op: binding.OpGetExtendedAgentCard, req: &pb.GetExtendedAgentCardRequest{Tenant: "acme"}},
	{
		name: "error", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "nope"},
		script: script{
			err: binding.Errorf(binding.TaskNotFound, "no task %q", "nope").WithInfo("taskId", "nope").
				With(&errdetails.RetryInfo{RetryDelay: durationpb.New(90 * time.Second)}),
			reply: binding.Params{"x-node": "7"},
		},
	},
	{
		name: "error-before-stream", op: binding.OpSubscribeToTask, req: &pb.SubscribeToTaskRequest{Id: "t1"},
		script: script{err: binding.ErrUnsupportedOperation, reply: binding.Params{"x-node": "7"}},
	},
	{
		name: "error-in-stream", op: binding.OpSendStreamingMessage, req: &pb.SendMessageRequest{Message: message("m1", "hi")},
		script: script{events: []*pb.StreamResponse{taskEvent("t1")}, err: binding.Errorf(binding.Unavailable, "the model is gone")},
	},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			in, out := new(seen), new(seen)
			o := &Options{
				ServeOptions: []grpc.ServerOption{grpc.ChainUnaryInterceptor(in.unary), grpc.ChainStreamInterceptor(in.stream)},
				DialOptions:  []grpc.DialOption{grpc.WithChainUnaryInterceptor(out.call), grpc.WithChainStreamInterceptor(out.open)},
			}
			c := dialed(t, &g.script, o)
			call := g.call
			if call == nil {
				call = new(binding.Call)
			}
			g.talk(t, c.Conn(), call)
			for k, v := range g.script.reply {
				assert.Equal(t, v, call.Reply.Get(k))
			}
			wire := new(golden.Wire)
			wire.Add("request", in.String())
			wire.Add("response", out.String())
			wire.Compare(t, g.name, "")
		})
	}
}

// talk makes the call, and holds what the client got against what the agent said.
func (g *goldenCase) talk(t *testing.T, c binding.Conn, call *binding.Call) {
	var events []proto.Message
	var err error
	if g.op.Streaming {
		for p, e := range c.Stream(t.Context(), g.op, call, binding.MessagePayload(g.req)) {
			if err = e; err == nil {
				m, merr := p.Message()
				require.NoError(t, merr)
				events = append(events, m)
			}
		}
	} else {
		var p binding.Payload
		if p, err = c.Invoke(t.Context(), g.op, call, binding.MessagePayload(g.req)); err == nil {
			m, merr := p.Message()
			require.NoError(t, merr)
			events = append(events, m)
		}
	}
	op, req := g.script.last()
	require.Equal(t, g.op, op)
	require.True(t, proto.Equal(g.req, req), "asked %v, the agent saw %v", g.req, req)
	var want []proto.Message
	for _, ev := range g.script.events {
		want = append(want, ev)
	}
	if g.script.err != nil {
		want, got := binding.Flatten(g.script.err), binding.Flatten(err)
		require.NotNil(t, got)
		assert.Equal(t, []any{want.Code, want.Text(), true}, []any{got.Code, got.Text(), got.Remote})
		require.Len(t, got.Details, len(want.Details))
		for i := range want.Details {
			assert.True(t, proto.Equal(want.Details[i], got.Details[i]), "detail %d: %v", i, got.Details[i])
		}
	} else {
		require.NoError(t, err)
		if !g.op.Streaming {
			want = append(want, answers[g.op])
		}
	}
	require.Len(t, events, len(want))
	for i := range want {
		assert.True(t, proto.Equal(want[i], events[i]), "%d: %v", i, events[i])
	}
}

// seen writes down what crosses at one end, by interceptors of grpc-go: requests
// at the server's, answers at the client's.
type seen struct{ bytes.Buffer }

func (s *seen) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	s.request(ctx, info.FullMethod)
	s.message(req)
	return next(ctx, req)
}

func (s *seen) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	s.request(stream.Context(), info.FullMethod)
	return next(srv, serverStream{stream, s})
}

type serverStream struct {
	grpc.ServerStream
	s *seen
}

func (w serverStream) RecvMsg(m any) error {
	err := w.ServerStream.RecvMsg(m)
	w.s.message(m)
	return err
}

func (s *seen) call(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	var header metadata.MD
	err := next(ctx, method, req, reply, cc, append(opts, grpc.Header(&header))...)
	s.metadata(header)
	if err == nil {
		s.message(reply)
	}
	s.status(err)
	return err
}

func (s *seen) open(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := next(ctx, d, cc, method, opts...)
	return &clientStream{ClientStream: stream, s: s}, err
}

type clientStream struct {
	grpc.ClientStream
	s     *seen
	began bool
}

func (w *clientStream) RecvMsg(m any) error {
	err := w.ClientStream.RecvMsg(m)
	if !w.began {
		w.began = true
		header, _ := w.Header()
		w.s.metadata(header)
	}
	if err != nil {
		w.s.status(err)
		return err
	}
	w.s.message(m)
	return nil
}

func (s *seen) request(ctx context.Context, method string) {
	fmt.Fprintln(s, method)
	md, _ := metadata.FromIncomingContext(ctx)
	s.metadata(md)
}

func (s *seen) metadata(md metadata.MD) {
	for _, k := range slices.Sorted(maps.Keys(md)) {
		if k != ":authority" && k != "user-agent" && k != "grpc-accept-encoding" {
			fmt.Fprintf(s, "%s: %s\n", k, strings.Join(md[k], " | "))
		}
	}
}

func (s *seen) message(m any) {
	msg := m.(proto.Message)
	fmt.Fprintf(s, "\n%s %s\n", msg.ProtoReflect().Descriptor().FullName(), text(msg))
}

func (s *seen) status(err error) {
	if st := status.Convert(err); !errors.Is(err, io.EOF) && st.Code() != codes.OK {
		fmt.Fprintf(s, "\n%s\n", text(st.Proto()))
	}
}

// text is a message's JSON under the names of protobuf, without the spaces
// that the library changes from build to build.
func text(m proto.Message) string {
	b, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return err.Error()
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return err.Error()
	}
	return out.String()
}
