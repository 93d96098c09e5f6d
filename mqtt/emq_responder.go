package mqtt

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// A responder of EMQ's profile, whose card lists ProfileProtocol alone, wants
// the id of a new task in the request, and answers SendMessage and CancelTask
// with status updates. Here it gets the one, and the others become a Task.

// profileRequest is a request as such a responder wants it.
func profileRequest(p binding.Payload) (binding.Payload, error) {
	m, err := p.Message()
	if err != nil {
		return p, err
	}
	send, ok := m.(*pb.SendMessageRequest)
	if !ok || send.GetMessage().GetTaskId() != "" {
		return p, nil
	}
	send = proto.Clone(send).(*pb.SendMessageRequest)
	send.Message.TaskId = newUUID()
	if send.GetMessage().GetContextId() == "" {
		send.Message.ContextId = newUUID()
	}
	return binding.MessagePayload(send), nil
}

func newUUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// events are the replies of such a responder, as a stream that begins with its
// task.
func (x *exchange) events(ctx context.Context, op *binding.Op) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		for first := true; ; first = false {
			m, err := x.take(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if first {
				x.call.Reply = replyParams(m)
			}
			// Whatever the operation, the result is one of a stream.
			p, err := readAnswer(m, binding.OpSendStreamingMessage, x.id)
			if err != nil {
				x.over()
				yield(nil, profileError(op, err))
				return
			}
			msg, err := p.Message()
			if err != nil {
				yield(nil, binding.Errorf(binding.InvalidAgentResponse, "mqtt: %w", err))
				return
			}
			ev := msg.(*pb.StreamResponse)
			if first {
				ev = beginning(ev)
			}
			last := x.last(m, p)
			if last {
				x.over()
			}
			if !yield(ev, nil) || last {
				return
			}
		}
	}
}

// profileError is an error of such a responder. What it does not know it calls
// a request without a task id.
func profileError(op *binding.Op, err error) error {
	var e *binding.Error
	known := op == binding.OpSendMessage || op == binding.OpSendStreamingMessage || op == binding.OpCancelTask
	if errors.As(err, &e) && e.Remote && e.Code == binding.InvalidRequest && !known {
		return &binding.Error{Code: binding.UnsupportedOperation, Message: op.Name + ": the agent speaks EMQ's profile alone", Remote: true, Cause: err}
	}
	return err
}

// beginning is the first event of a stream: the task as it is then.
func beginning(ev *pb.StreamResponse) *pb.StreamResponse {
	t := fold(nil, ev)
	if t == nil || ev.GetTask() != nil {
		return ev
	}
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: t}}
}

// fold is a task after an event; nil is no task.
func fold(t *pb.Task, ev *pb.StreamResponse) *pb.Task {
	switch e := ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return proto.Clone(e.Task).(*pb.Task)
	case *pb.StreamResponse_StatusUpdate:
		if t == nil {
			t = &pb.Task{Id: e.StatusUpdate.GetTaskId(), ContextId: e.StatusUpdate.GetContextId()}
		}
		t.Status = e.StatusUpdate.GetStatus()
	case *pb.StreamResponse_ArtifactUpdate:
		u := e.ArtifactUpdate
		if t == nil {
			t = &pb.Task{Id: u.GetTaskId(), ContextId: u.GetContextId(), Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}
		}
		addArtifact(t, u)
	}
	return t
}

// addArtifact is spec 4.2.2: parts are appended to the artifact of the same id,
// or the artifact takes its place.
func addArtifact(t *pb.Task, u *pb.TaskArtifactUpdateEvent) {
	for i, a := range t.GetArtifacts() {
		if a.GetArtifactId() != u.GetArtifact().GetArtifactId() {
			continue
		}
		if !u.GetAppend() {
			t.Artifacts[i] = proto.Clone(u.GetArtifact()).(*pb.Artifact)
			return
		}
		a.Parts = append(a.Parts, u.GetArtifact().GetParts()...)
		return
	}
	t.Artifacts = append(t.Artifacts, proto.Clone(u.GetArtifact()).(*pb.Artifact))
}

// invokeProfile is Invoke of such a responder.
func (c *conn) invokeProfile(ctx context.Context, op *binding.Op, x *exchange, immediately bool) (binding.Payload, error) {
	if op != binding.OpSendMessage && op != binding.OpCancelTask {
		m, err := x.take(ctx)
		if err != nil {
			return binding.Payload{}, err
		}
		x.over()
		x.call.Reply = replyParams(m)
		p, err := readAnswer(m, op, x.id)
		return p, profileError(op, err)
	}
	defer x.watched(ctx)()
	var t *pb.Task
	for ev, err := range x.events(ctx, op) {
		if err != nil {
			return binding.Payload{}, err
		}
		if m := ev.GetMessage(); m != nil && op == binding.OpSendMessage {
			return binding.MessagePayload(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: m}}), nil
		}
		t = fold(t, ev)
		if t != nil && (immediately || op == binding.OpCancelTask) {
			x.over()
			break
		}
	}
	switch {
	case t == nil:
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "mqtt: the answer has no task")
	case op == binding.OpCancelTask:
		return binding.MessagePayload(t), nil
	}
	return binding.MessagePayload(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: t}}), nil
}

// streamProfile is Stream of such a responder, once something has come back.
func (c *conn) streamProfile(ctx context.Context, op *binding.Op, x *exchange, yield func(binding.Payload, error) bool) {
	for ev, err := range x.events(ctx, op) {
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if !yield(binding.MessagePayload(ev), nil) {
			return
		}
	}
}
