//go:build interop

package mqtt_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// worker is an agent that counts what it executes by messageId. Messages are
// answered with messages, streams are of the one task that it has.
type worker struct {
	binding.Unimplemented
	name  string
	begun chan string // the messageIds of what has begun; nil for none
	goOn  chan struct{}

	ended chan struct{} // closed when the task has ended

	mu       sync.Mutex
	executed map[string]int
	state    pb.TaskState
}

// newWorker is a worker that executes as soon as it is asked to. With a room
// it tells of as many messages that it begins, and executes when goOn is closed.
func newWorker(name string, room int) *worker {
	w := &worker{name: name, goOn: make(chan struct{}), ended: make(chan struct{}), executed: map[string]int{}, state: pb.TaskState_TASK_STATE_WORKING}
	if room == 0 {
		close(w.goOn)
	} else {
		w.begun = make(chan string, room)
	}
	return w
}

// counts are how often each message was executed.
func (w *worker) counts() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.executed)
}

func (w *worker) execute(ctx context.Context, r *pb.SendMessageRequest) error {
	id := r.GetMessage().GetMessageId()
	w.mu.Lock()
	w.executed[id]++
	w.mu.Unlock()
	if w.begun != nil {
		w.begun <- id
	}
	select {
	case <-w.goOn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// task is the worker's one task as it is now.
func (w *worker) task() *pb.Task {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &pb.Task{Id: "task-of-" + w.name, ContextId: "c", Status: &pb.TaskStatus{State: w.state}}
}

// finish ends the task.
func (w *worker) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != pb.TaskState_TASK_STATE_COMPLETED {
		w.state = pb.TaskState_TASK_STATE_COMPLETED
		close(w.ended)
	}
}

// status is the task's as an event.
func (w *worker) status() *pb.StreamResponse {
	t := w.task()
	return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
		TaskId: t.GetId(), ContextId: t.GetContextId(), Status: t.GetStatus()}}}
}

// SendMessage answers with the worker's name, or with as many bytes as the
// message says.
func (w *worker) SendMessage(ctx context.Context, _ *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	if err := w.execute(ctx, r); err != nil {
		return nil, err
	}
	answer := &pb.Message{MessageId: "to-" + r.GetMessage().GetMessageId(), Role: pb.Role_ROLE_AGENT, Parts: said(w.name)}
	var size int
	if _, err := fmt.Sscanf(text(r.GetMessage().GetParts()), "bytes %d", &size); err == nil {
		answer.Parts = said(strings.Repeat("b", size))
	}
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: answer}}, nil
}

// SendStreamingMessage begins with the task; when it may go on, as many chunks
// as the message says, numbered, and a status in the end. The task ends with it,
// also when nobody reads it any more.
func (w *worker) SendStreamingMessage(ctx context.Context, _ *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		var chunks int
		if _, err := fmt.Sscanf(text(r.GetMessage().GetParts()), "chunks %d", &chunks); err != nil {
			yield(nil, binding.Errorf(binding.InvalidParams, "not chunks"))
			return
		}
		defer w.finish()
		t := w.task()
		if !yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: t}}, nil) {
			return
		}
		if err := w.execute(ctx, r); err != nil {
			yield(nil, err)
			return
		}
		for i := range chunks {
			if !yield(chunk(t, i), nil) {
				return
			}
		}
		w.finish()
		yield(w.status(), nil)
	}
}

func chunk(t *pb.Task, i int) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
		TaskId: t.GetId(), ContextId: t.GetContextId(), Append: i > 0,
		Artifact: &pb.Artifact{ArtifactId: "a", Parts: said(fmt.Sprint(i))}}}}
}

func (w *worker) GetTask(context.Context, *binding.Call, *pb.GetTaskRequest) (*pb.Task, error) {
	return w.task(), nil
}

// SubscribeToTask gives the task as it is, and its end.
func (w *worker) SubscribeToTask(ctx context.Context, _ *binding.Call, _ *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		t := w.task()
		if t.GetStatus().GetState() == pb.TaskState_TASK_STATE_COMPLETED {
			yield(nil, binding.ErrUnsupportedOperation)
			return
		}
		if !yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: t}}, nil) {
			return
		}
		select {
		case <-w.ended:
			yield(w.status(), nil)
		case <-ctx.Done():
			yield(nil, context.Cause(ctx))
		}
	}
}

func said(s string) []*pb.Part { return []*pb.Part{{Content: &pb.Part_Text{Text: s}}} }

func text(parts []*pb.Part) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.GetText())
	}
	return s.String()
}

// message is a request with a messageId that nobody used.
func message(s string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: fmt.Sprintf("m-%d", names.Add(1)), Role: pb.Role_ROLE_USER, Parts: said(s)}}
}

// names counts the agents and messages of all tests: no name is used twice.
var names atomic.Int64

// freshPath is an address that nobody had: org/unit/agent.
func freshPath() string { return fmt.Sprintf("acme/edge/a%d", names.Add(1)) }

// serve serves an agent at a URL until the test ends.
func serve(t testing.TB, url string, agent binding.Agent, o *mqtt.Options) binding.Server {
	t.Helper()
	if o == nil {
		o = new(mqtt.Options)
	}
	s, err := mqtt.Binding{Options: *o}.Serve(t.Context(), &pb.AgentInterface{Url: url}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// dial is a client that lives as long as the test.
func dial(t testing.TB, url string, o *mqtt.Options) binding.Client {
	t.Helper()
	c, err := mqtt.Dial(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}
