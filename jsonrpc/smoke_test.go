package jsonrpc_test

import (
	"context"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/jsonrpc"
	"iter"
	"net/http/httptest"
	"testing"
)

type echo struct{ binding.Unimplemented }

func (echo) SendMessage(_ context.Context, _ *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: r.Message}}, nil
}
func (echo) SendStreamingMessage(_ context.Context, _ *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(y func(*pb.StreamResponse, error) bool) {
		if !y(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: &pb.Task{Id: "t", Status: &pb.TaskStatus{State: 1}}}}, nil) {
			return
		}
		for range 100 {
			if !y(&pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{TaskId: "t", ContextId: "c", Artifact: &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hi"}}}}}}}, nil) {
				return
			}
		}
	}
}
func msg() *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hi"}}}}}
}
func TestSmoke(t *testing.T) {
	s := httptest.NewServer(jsonrpc.Handler(echo{}, nil))
	defer s.Close()
	c, err := jsonrpc.Dial(t.Context(), s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.SendMessage(t.Context(), nil, msg())
	t.Log(r, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{})
	t.Log(err, binding.CodeOf(err), err.(*binding.Error).Details)
	m := msg()
	m.Message.Parts[0].Content = nil
	_, err = c.SendMessage(t.Context(), nil, m)
	t.Log(err)
	n := 0
	for _, err := range c.SendStreamingMessage(t.Context(), nil, msg()) {
		n++
		if err != nil {
			t.Log(err)
		}
	}
	t.Log(n)
	for _, err := range c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "x"}) {
		t.Log(err)
	}
}
func BenchmarkUnary(b *testing.B) {
	s := httptest.NewServer(jsonrpc.Handler(echo{}, nil))
	defer s.Close()
	c, _ := jsonrpc.Dial(b.Context(), s.URL, nil)
	b.ReportAllocs()
	for b.Loop() {
		c.SendMessage(b.Context(), nil, msg())
	}
}
func BenchmarkStream(b *testing.B) {
	s := httptest.NewServer(jsonrpc.Handler(echo{}, nil))
	defer s.Close()
	c, _ := jsonrpc.Dial(b.Context(), s.URL, nil)
	b.ReportAllocs()
	for b.Loop() {
		for range c.SendStreamingMessage(b.Context(), nil, msg()) {
		}
	}
}
