//go:build interop

package mqttpeers_test

import (
	"context"
	"crypto/rand"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// answer is what a step of ours came to: one of these, and the error.
type answer struct {
	task   *pb.Task
	shapes []string // of a stream
	card   *pb.AgentCard
	err    error
}

// asker holds one step of ours.
type asker struct {
	ctx    context.Context
	client binding.Client
}

// say is a message of text parts.
func say(parts ...string) *pb.SendMessageRequest {
	m := &pb.Message{MessageId: rand.Text(), Role: pb.Role_ROLE_USER}
	for _, p := range parts {
		m.Parts = append(m.Parts, &pb.Part{Content: &pb.Part_Text{Text: p}})
	}
	return &pb.SendMessageRequest{Message: m}
}

func (a *asker) send(r *pb.SendMessageRequest) answer {
	resp, err := a.client.SendMessage(a.ctx, nil, r)
	return answer{task: resp.GetTask(), err: err}
}

// begin is the id of a task that goes on until it is canceled.
func (a *asker) begin() (id string, err error) {
	r := say("hold")
	r.Configuration = &pb.SendMessageConfiguration{ReturnImmediately: true}
	got := a.send(r)
	return got.task.GetId(), got.err
}

// stream is a stream, of which each event may do something, and say that it is
// enough.
func (a *asker) stream(s string, each func(id string) (enough bool)) (got answer, id string) {
	for ev, err := range a.client.SendStreamingMessage(a.ctx, nil, say(s)) {
		if err != nil {
			got.err = err
			break
		}
		got.shapes = append(got.shapes, leg.Shape(ev))
		if ev.GetTask() != nil {
			id = ev.GetTask().GetId()
		}
		if each != nil && each(id) {
			break
		}
	}
	return got, id
}

func (a *asker) cancel(id string) answer {
	task, err := a.client.CancelTask(a.ctx, nil, &pb.CancelTaskRequest{Id: id})
	return answer{task: task, err: err}
}

// ended is a task that has completed, and its context.
func (a *asker) ended() (id, contextID string, err error) {
	got := a.send(say("echo one"))
	return got.task.GetId(), got.task.GetContextId(), got.err
}

// artifact is a task in a state with an artifact, "" for none.
func artifact(state pb.TaskState, want string) func(require.TestingT, answer) {
	return func(t require.TestingT, a answer) {
		require.NoError(t, a.err)
		require.NotEmpty(t, a.task.GetId())
		require.NotEmpty(t, a.task.GetContextId())
		assert.Equal(t, state, a.task.GetStatus().GetState())
		var got string
		for _, x := range a.task.GetArtifacts() {
			got += leg.Text(x.GetParts())
		}
		same(t, want, got)
	}
}

// tells is a stream of these shapes that ended well.
func tells(shapes ...string) func(require.TestingT, answer) {
	return func(t require.TestingT, a answer) {
		require.NoError(t, a.err)
		assert.Equal(t, shapes, a.shapes)
	}
}

// fails is an error that the agent gave.
func fails(code binding.Code) func(require.TestingT, answer) {
	return func(t require.TestingT, a answer) {
		require.Error(t, a.err)
		assert.Equal(t, code, binding.CodeOf(a.err), "%v", a.err)
	}
}

func echoed(want string) func(require.TestingT, answer) {
	return artifact(pb.TaskState_TASK_STATE_COMPLETED, "echo: "+want)
}

// questions are the steps of ours, and what each must come to.
var questions = []struct {
	name string
	ask  func(*asker) answer
	is   func(require.TestingT, answer)
}{
	{"send", func(a *asker) answer { return a.send(say("echo hello")) }, echoed("echo hello")},
	{"send unicode", func(a *asker) answer { return a.send(say(leg.Unicode)) }, echoed(leg.Unicode)},
	{"send large", func(a *asker) answer { return a.send(say(strings.Repeat("x", 300<<10))) }, echoed(strings.Repeat("x", 300<<10))},
	{"send with steps", func(a *asker) answer { return a.send(say("stream 3")) }, echoed("stream 3")},
	{"silent", func(a *asker) answer { return a.send(say("silent")) }, artifact(pb.TaskState_TASK_STATE_COMPLETED, "")},
	{"fail", func(a *asker) answer { return a.send(say("fail")) }, artifact(pb.TaskState_TASK_STATE_FAILED, "")},
	{"two parts", func(a *asker) answer { return a.send(say("echo a", "b")) }, echoed("echo ab")},
	{"immediately", func(a *asker) answer {
		r := say("echo hello")
		r.Configuration = &pb.SendMessageConfiguration{ReturnImmediately: true}
		return a.send(r)
	}, artifact(pb.TaskState_TASK_STATE_SUBMITTED, "")},
	{"context", func(a *asker) answer {
		r := say("echo hello")
		r.Message.ContextId = "ctx-1"
		return a.send(r)
	}, func(t require.TestingT, a answer) {
		echoed("echo hello")(t, a)
		assert.Equal(t, "ctx-1", a.task.GetContextId())
	}},
	{"next turn", func(a *asker) answer {
		id, contextID, err := a.ended()
		if err != nil {
			return answer{err: err}
		}
		r := say("echo two")
		r.Message.TaskId, r.Message.ContextId = id, contextID
		return a.send(r)
	}, fails(binding.UnsupportedOperation)},
	{"unknown task", func(a *asker) answer {
		r := say("echo hello")
		r.Message.TaskId = rand.Text()
		return a.send(r)
	}, fails(binding.TaskNotFound)},

	{"stream", func(a *asker) answer {
		got, _ := a.stream("stream 2", nil)
		return got
	}, tells(submitted, working, working, "echo: stream 2 append=false last=true", done)},
	{"stream fail", func(a *asker) answer {
		got, _ := a.stream("fail", nil)
		return got
	}, tells(submitted, "TASK_STATE_FAILED")},
	{"stream canceled", func(a *asker) answer {
		var other answer
		got, _ := a.stream("hold", func(id string) bool {
			if other.task == nil {
				other = a.cancel(id)
			}
			return other.err != nil
		})
		return got
	}, tells(submitted, canceled)},
	{"leave", func(a *asker) answer {
		_, id := a.stream("hold", func(string) bool { return true })
		return a.cancel(id) // the task has gone on
	}, artifact(pb.TaskState_TASK_STATE_CANCELED, "")},
	{"subscribe", func(a *asker) (got answer) {
		id, err := a.begin()
		if err != nil {
			return answer{err: err}
		}
		defer a.cancel(id)
		for ev, err := range a.client.SubscribeToTask(a.ctx, nil, &pb.SubscribeToTaskRequest{Id: id}) {
			if err != nil {
				return answer{err: err}
			}
			got.shapes = append(got.shapes, leg.Shape(ev))
			break
		}
		return got
	}, tells(submitted)},

	{"cancel", func(a *asker) answer {
		id, err := a.begin()
		if err != nil {
			return answer{err: err}
		}
		return a.cancel(id)
	}, artifact(pb.TaskState_TASK_STATE_CANCELED, "")},
	{"cancel ended", func(a *asker) answer {
		id, _, err := a.ended()
		if err != nil {
			return answer{err: err}
		}
		return a.cancel(id)
	}, fails(binding.TaskNotCancelable)},
	{"cancel unknown", func(a *asker) answer { return a.cancel("none") }, fails(binding.TaskNotFound)},
	{"get", func(a *asker) answer {
		id, _, err := a.ended()
		if err != nil {
			return answer{err: err}
		}
		task, err := a.client.GetTask(a.ctx, nil, &pb.GetTaskRequest{Id: id})
		return answer{task: task, err: err}
	}, echoed("echo one")},
	{"list", func(a *asker) answer {
		_, err := a.client.ListTasks(a.ctx, nil, &pb.ListTasksRequest{})
		return answer{err: err}
	}, func(t require.TestingT, a answer) { require.NoError(t, a.err) }},

	{"push create", func(a *asker) answer {
		_, err := a.client.CreateTaskPushNotificationConfig(a.ctx, nil, &pb.TaskPushNotificationConfig{TaskId: "t", Url: "https://hooks.example/a2a"})
		return answer{err: err}
	}, fails(binding.PushNotificationNotSupported)},
	{"push get", func(a *asker) answer {
		_, err := a.client.GetTaskPushNotificationConfig(a.ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
		return answer{err: err}
	}, fails(binding.PushNotificationNotSupported)},
	{"push list", func(a *asker) answer {
		_, err := a.client.ListTaskPushNotificationConfigs(a.ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t"})
		return answer{err: err}
	}, fails(binding.PushNotificationNotSupported)},
	{"push delete", func(a *asker) answer {
		_, err := a.client.DeleteTaskPushNotificationConfig(a.ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
		return answer{err: err}
	}, fails(binding.PushNotificationNotSupported)},
	{"extended card", func(a *asker) answer {
		card, err := a.client.GetExtendedAgentCard(a.ctx, nil, &pb.GetExtendedAgentCardRequest{})
		return answer{card: card, err: err}
	}, fails(binding.UnsupportedOperation)},
}

// responderFaults are those of the SDK as a responder. Each must still be there.
var responderFaults = []knownFault[answer]{
	{sdkVersion, "card", func(t require.TestingT, a answer) { assert.Empty(t, a.card.GetSkills()[0].GetTags()) },
		"the skill that it puts into a card has no tags (spec 4.4.5)"},
	{sdkVersion, "two parts", echoed("echo a"), "it reads the first part of a message alone (spec 4.1.4)"},
	{sdkVersion, "next turn", echoed("echo one"),
		"it takes each message on a known task for a repetition of the first, so there is one turn (spec 3.4.3)"},
	{sdkVersion, "unknown task", func(t require.TestingT, a answer) {
		require.NoError(t, a.err)
		assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, a.task.GetStatus().GetState())
		assert.Empty(t, a.task.GetContextId())
	}, "the requester makes the ids of tasks, and of contexts: where it gives none there is none (spec 3.4)"},
	{sdkVersion, "subscribe", fails(binding.UnsupportedOperation), "it has SendMessage and CancelTask alone (spec 3.1.6)"},
	{sdkVersion, "get", fails(binding.UnsupportedOperation), "the same (spec 3.1.3)"},
	{sdkVersion, "list", fails(binding.UnsupportedOperation), "the same (spec 3.1.4)"},
	{sdkVersion, "push create", fails(binding.UnsupportedOperation), "the same, and the error is another (spec 3.3.4)"},
	{sdkVersion, "push get", fails(binding.UnsupportedOperation), "the same"},
	{sdkVersion, "push list", fails(binding.UnsupportedOperation), "the same"},
	{sdkVersion, "push delete", fails(binding.UnsupportedOperation), "the same"},
	{sdkVersion, "cancel ended", artifact(pb.TaskState_TASK_STATE_COMPLETED, ""),
		"it answers CancelTask of a task that has ended with the state of the task (spec 3.1.5)"},
	{sdkVersion, "cancel unknown", fails(binding.InvalidParams), "it has no TaskNotFoundError (spec 3.3.2)"},
}
