package refagent

import (
	"context"
	"iter"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/binding"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newAgent is an agent that is closed with the test.
func newAgent(t testing.TB, o *Options) *Agent {
	a := New(o)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}

// message is a message of one text.
func message(text string) *pb.Message {
	return &pb.Message{MessageId: newID(), Role: pb.Role_ROLE_USER, Parts: []*pb.Part{textPart(text)}}
}

// say is a request of one text.
func say(text string) *pb.SendMessageRequest { return &pb.SendMessageRequest{Message: message(text)} }

// reply is a request to a task.
func reply(task *pb.Task, text string) *pb.SendMessageRequest {
	r := say(text)
	r.Message.TaskId = task.GetId()
	return r
}

// atOnce makes a request return immediately.
func atOnce(r *pb.SendMessageRequest) *pb.SendMessageRequest {
	r.Configuration = &pb.SendMessageConfiguration{ReturnImmediately: true}
	return r
}

func send(t testing.TB, a binding.Agent, r *pb.SendMessageRequest) *pb.Task {
	t.Helper()
	resp, err := a.SendMessage(t.Context(), nil, r)
	require.NoError(t, err)
	require.NotNil(t, resp.GetTask(), "answer is %v", resp)
	return resp.GetTask()
}

func sendFails(t testing.TB, a binding.Agent, r *pb.SendMessageRequest) *binding.Error {
	t.Helper()
	_, err := a.SendMessage(t.Context(), nil, r)
	require.Error(t, err)
	return binding.Flatten(err)
}

func get(t testing.TB, a binding.Agent, id string) *pb.Task {
	t.Helper()
	task, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: id})
	require.NoError(t, err)
	return task
}

func cancel(t testing.TB, a binding.Agent, id string) *pb.Task {
	t.Helper()
	task, err := a.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: id})
	require.NoError(t, err)
	return task
}

// collect is what a stream gives, and how it ends.
func collect(s iter.Seq2[*pb.StreamResponse, error]) (events []*pb.StreamResponse, err error) {
	for ev, e := range s {
		if e != nil {
			return events, e
		}
		events = append(events, ev)
	}
	return events, nil
}

// stream sends and collects a stream that ends well.
func stream(t testing.TB, a binding.Agent, r *pb.SendMessageRequest) []*pb.StreamResponse {
	t.Helper()
	events, err := collect(a.SendStreamingMessage(t.Context(), nil, r))
	require.NoError(t, err)
	return events
}

// brief is a stream in short: the state of a task or update, the text of a
// message or artifact.
func brief(events []*pb.StreamResponse) []string {
	var out []string
	for _, ev := range events {
		switch p := ev.GetPayload().(type) {
		case *pb.StreamResponse_Task:
			out = append(out, "task "+state(p.Task.GetStatus().GetState()))
		case *pb.StreamResponse_Message:
			out = append(out, "message "+p.Message.GetParts()[0].GetText())
		case *pb.StreamResponse_StatusUpdate:
			out = append(out, state(p.StatusUpdate.GetStatus().GetState()))
		case *pb.StreamResponse_ArtifactUpdate:
			out = append(out, "artifact "+p.ArtifactUpdate.GetArtifact().GetParts()[0].GetText())
		}
	}
	return out
}

func state(s pb.TaskState) string { return s.String()[len("TASK_STATE_"):] }

func stateOf(task *pb.Task) string { return state(task.GetStatus().GetState()) }

// texts are the texts of all parts of all artifacts.
func texts(task *pb.Task) []string {
	var out []string
	for _, a := range task.GetArtifacts() {
		for _, p := range a.GetParts() {
			out = append(out, p.GetText())
		}
	}
	return out
}

// said are the texts of a history.
func said(task *pb.Task) []string {
	var out []string
	for _, m := range task.GetHistory() {
		out = append(out, m.GetParts()[0].GetText())
	}
	return out
}

// subscriber is a subscription that is read in a goroutine of its own.
type subscriber struct {
	events []*pb.StreamResponse
	err    error
	done   chan struct{}
}

// subscribe returns when the first event is there.
func subscribe(ctx context.Context, a binding.Agent, id string) *subscriber {
	s := &subscriber{done: make(chan struct{})}
	joined := make(chan struct{})
	go func() {
		defer close(s.done)
		for ev, err := range a.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: id}) {
			if err != nil {
				s.err = err
			} else {
				s.events = append(s.events, ev)
			}
			if len(s.events) == 1 && err == nil {
				close(joined)
			}
		}
	}()
	select {
	case <-joined:
	case <-s.done:
	}
	return s
}
