//go:build unix

package main

import (
	"context"
	"iter"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// stub answers at once, so that only the binding costs.
type stub struct {
	binding.Unimplemented
	answer *pb.SendMessageResponse
	events []*pb.StreamResponse
}

func newStub(events int) *stub {
	return &stub{
		answer: &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: message(pb.Role_ROLE_AGENT)}},
		events: stream(events),
	}
}

// message is a message of 1 KiB of text.
func message(role pb.Role) *pb.Message {
	return &pb.Message{MessageId: "0123456789abcdef", Role: role, ContextId: "context-0123456789",
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: strings.Repeat("abcdefgh", 128)}}}}
}

func request() *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: message(pb.Role_ROLE_USER)}
}

// stream is a task, artifact updates of 64 bytes, and the last status.
func stream(n int) []*pb.StreamResponse {
	status := func(s pb.TaskState) *pb.TaskStatus { return &pb.TaskStatus{State: s} }
	out := []*pb.StreamResponse{{Payload: &pb.StreamResponse_Task{Task: &pb.Task{Id: "task-0123456789", ContextId: "context-0123456789",
		Status: status(pb.TaskState_TASK_STATE_WORKING)}}}}
	for len(out) < n-1 {
		out = append(out, &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
			TaskId: "task-0123456789", ContextId: "context-0123456789", Append: true,
			Artifact: &pb.Artifact{ArtifactId: "artifact", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: strings.Repeat("x", 64)}}}},
		}}})
	}
	return append(out, &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
		TaskId: "task-0123456789", ContextId: "context-0123456789", Status: status(pb.TaskState_TASK_STATE_COMPLETED)}}})
}

func (s *stub) SendMessage(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return s.answer, nil
}

func (s *stub) SendStreamingMessage(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		for _, ev := range s.events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

// text is a message as ProtoJSON.
func text(m proto.Message) []byte {
	b, err := binding.MessagePayload(m).JSON()
	if err != nil {
		panic(err) // the messages are ours
	}
	return b
}
