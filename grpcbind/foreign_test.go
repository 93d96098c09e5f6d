package grpcbind

import (
	"bytes"
	"context"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// theirs is a server of the generated code, which is not ours.
type theirs struct {
	pb.UnimplementedA2AServiceServer
	stream func(grpc.ServerStreamingServer[pb.StreamResponse]) error
}

func (s theirs) GetTask(ctx context.Context, req *pb.GetTaskRequest) (*pb.Task, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	_ = grpc.SetHeader(ctx, metadata.Pairs("X-Seen", md.Get("a2a-version")[0]))
	_ = grpc.SetTrailer(ctx, metadata.Pairs("x-trailer", "last"))
	if req.GetId() == "nope" {
		return nil, status.Error(codes.NotFound, "no such task")
	}
	return task(req.GetId(), pb.TaskState_TASK_STATE_WORKING), nil
}

func (s theirs) SendMessage(_ context.Context, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: req.GetMessage()}}, nil
}

func (s theirs) SendStreamingMessage(_ *pb.SendMessageRequest, stream grpc.ServerStreamingServer[pb.StreamResponse]) error {
	return s.stream(stream)
}

func dialTheirs(t *testing.T, s theirs, o *Options) binding.Client {
	t.Helper()
	addr := listen(t, func(srv *grpc.Server) { pb.RegisterA2AServiceServer(srv, s) }, grpc.MaxRecvMsgSize(64<<20), grpc.MaxSendMsgSize(64<<20))
	c, err := Dial(t.Context(), addr, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func TestTheirServer(t *testing.T) {
	c := dialTheirs(t, theirs{stream: func(s grpc.ServerStreamingServer[pb.StreamResponse]) error {
		if err := s.Send(taskEvent("t1")); err != nil {
			return err
		}
		return status.Error(codes.Internal, "boom")
	}}, nil)
	call := new(binding.Call)
	got, err := c.GetTask(t.Context(), call, &pb.GetTaskRequest{Id: "t1"})
	require.NoError(t, err)
	assert.Equal(t, "t1", got.GetId())
	assert.Equal(t, binding.Params{"x-seen": "1.0", "x-trailer": "last"}, call.Reply)

	_, err = c.GetTask(t.Context(), call, &pb.GetTaskRequest{Id: "nope"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
	assert.True(t, binding.Flatten(err).Remote)
	assert.Equal(t, "last", call.Reply.Get("x-trailer"))

	_, err = c.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: "t1"})
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation)

	events, err := collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
	assert.Len(t, events, 1)
	require.ErrorIs(t, err, binding.ErrInternal)
	assert.ErrorContains(t, err, "boom")
}

// What another server sends is held against the data model.
func TestTheirGarbage(t *testing.T) {
	c := dialTheirs(t, theirs{stream: func(s grpc.ServerStreamingServer[pb.StreamResponse]) error {
		return s.Send(new(pb.StreamResponse))
	}}, nil)
	_, err := c.GetTask(t.Context(), nil, &pb.GetTaskRequest{})
	require.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
	_, err = collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
	require.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
}

func TestGeneratedClient(t *testing.T) {
	s := &script{events: []*pb.StreamResponse{taskEvent("t1"), doneEvent("t1")}}
	client, cc := generated(t, listen(t, func(srv *grpc.Server) { Register(srv, agentOf(s), nil) }))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0")
	resp, err := client.SendMessage(ctx, &pb.SendMessageRequest{Message: message("m1", "hi")})
	require.NoError(t, err)
	assert.True(t, proto.Equal(answers[binding.OpSendMessage], resp))
	stream, err := client.SubscribeToTask(ctx, &pb.SubscribeToTaskRequest{Id: "t1"})
	require.NoError(t, err)
	for _, want := range s.events {
		ev, err := stream.Recv()
		require.NoError(t, err)
		assert.True(t, proto.Equal(want, ev))
	}
	_, err = stream.Recv()
	require.EqualError(t, err, "EOF")

	// What is no message is refused, and the connection goes on.
	bad := []byte{0xff, 0xff}
	for _, method := range []string{"SendMessage", "SubscribeToTask"} {
		err = cc.Invoke(ctx, "/lf.a2a.v1.A2AService/"+method, &bad, new([]byte), grpc.ForceCodec(raw{}))
		assert.Equal(t, codes.Internal, status.Code(err), "%s: %v", method, err)
	}
	_, err = client.SendMessage(ctx, &pb.SendMessageRequest{Message: message("m1", "hi")})
	require.NoError(t, err)
}

// raw carries bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)   { return *v.(*[]byte), nil }
func (raw) Unmarshal(b []byte, v any) error { *v.(*[]byte) = bytes.Clone(b); return nil }
func (raw) Name() string                    { return "proto" }

// The service is the generated one's, method by method.
func TestServiceDesc(t *testing.T) {
	theirs := pb.A2AService_ServiceDesc
	assert.Equal(t, "lf.a2a.v1.A2AService", serviceDesc.ServiceName)
	assert.Equal(t, theirs.Metadata, serviceDesc.Metadata)
	names := func(d grpc.ServiceDesc) (unary, streams []string) {
		for _, m := range d.Methods {
			unary = append(unary, m.MethodName)
		}
		for _, s := range d.Streams {
			assert.True(t, s.ServerStreams && !s.ClientStreams)
			streams = append(streams, s.StreamName)
		}
		return unary, streams
	}
	unary, streams := names(serviceDesc)
	wantUnary, wantStreams := names(theirs)
	assert.ElementsMatch(t, wantUnary, unary)
	assert.ElementsMatch(t, wantStreams, streams)
}

// C34: 5 MiB pass, both ways; what is over the limit fails alone.
func TestLimits(t *testing.T) {
	send := func(n int) *pb.SendMessageRequest {
		m := message("m", "")
		m.Parts[0].Content = &pb.Part_Raw{Raw: make([]byte, n)}
		return &pb.SendMessageRequest{Message: m}
	}
	s := &echo{script: &script{}}
	ours := dialed(t, s, nil)
	resp, err := ours.SendMessage(t.Context(), nil, send(5<<20))
	require.NoError(t, err)
	assert.Len(t, resp.GetMessage().GetParts()[0].GetRaw(), 5<<20)

	// Their client is not held back by our limit; ours is not by theirs.
	addr := serve(t, agentOf(s), &Options{Options: binding.Options{MaxMessageBytes: 1 << 20}})
	client, _ := generated(t, addr)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0")
	small := dialTheirs(t, theirs{stream: func(s grpc.ServerStreamingServer[pb.StreamResponse]) error {
		return s.Send(&pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: send(2 << 20).GetMessage()}})
	}}, &Options{Options: binding.Options{MaxMessageBytes: 1 << 20}})
	for range 2 {
		_, err = client.SendMessage(ctx, send(2<<20))
		require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
		_, err = client.SendMessage(ctx, send(1<<20+10))
		require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
		_, err = client.SendMessage(ctx, send(1000))
		require.NoError(t, err)

		_, err = collect(small.SendStreamingMessage(t.Context(), nil, send(1)))
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		_, err = small.SendMessage(t.Context(), nil, send(2<<20))
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		_, err = small.SendMessage(t.Context(), nil, send(1000))
		require.NoError(t, err)
	}
}
