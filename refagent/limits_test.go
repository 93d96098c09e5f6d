package refagent

import (
	"testing"
	"testing/synctest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestLimits_OldestEndedTaskMakesRoom(t *testing.T) {
	a := newAgent(t, &Options{MaxTasks: 3})
	waiting := send(t, a, say("input")).GetId()
	second := send(t, a, say("input")).GetId()
	first := send(t, a, say("x")).GetId()
	cancel(t, a, second)
	send(t, a, say("x"))
	_, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: first})
	require.ErrorIs(t, err, binding.ErrTaskNotFound, "it ended first")
	get(t, a, second)
	get(t, a, waiting)
	for range 10 {
		send(t, a, say("x"))
	}
	get(t, a, waiting)
	assert.Len(t, a.store.tasks, 3)
	assert.Equal(t, int32(3), listTasks(t, a, &pb.ListTasksRequest{}).GetTotalSize())
	assert.LessOrEqual(t, len(a.store.indexes), 1+3+2+3, "indexes without tasks go")
}

func TestLimits_NoRoomWhileAllTasksLive(t *testing.T) {
	a := newAgent(t, &Options{MaxTasks: 2})
	send(t, a, say("input"))
	task := send(t, a, say("input"))
	assert.Equal(t, binding.ResourceExhausted, sendFails(t, a, say("x")).Code)
	cancel(t, a, task.GetId())
	send(t, a, say("x"))
}

func TestLimits_TaskFailsAtItsEvents(t *testing.T) {
	a := newAgent(t, &Options{MaxTaskEvents: 10})
	events := stream(t, a, say("stream 100"))
	assert.Len(t, events, 10, "the Task stands for the message")
	assert.Equal(t, "FAILED", brief(events)[9])
	assert.Contains(t, events[9].GetStatusUpdate().GetStatus().GetMessage().GetParts()[0].GetText(), "limit")
	assert.Equal(t, "COMPLETED", stateOf(send(t, a, say("stream 7"))), "just fits")
}

func TestLimits_TaskFailsAtItsBytes(t *testing.T) {
	a := newAgent(t, &Options{MaxTaskBytes: 10_000})
	assert.Equal(t, "FAILED", stateOf(send(t, a, say("chunks 20 1000"))))
	assert.Equal(t, "REJECTED", stateOf(send(t, a, say("chunks 1 1000000000"))))
	assert.Equal(t, "COMPLETED", stateOf(send(t, a, say("chunks 5 1000"))))
	assert.Equal(t, binding.ResourceExhausted, sendFails(t, a, say(string(make([]byte, 10_000)))).Code)
}

func TestLimits_MessagesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, &Options{MaxTaskEvents: 20})
		task := send(t, a, atOnce(say("long 1000")))
		synctest.Wait()
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = a.SendMessage(t.Context(), nil, atOnce(reply(task, "x")))
		}
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		assert.Equal(t, 18, n, "beside the first message, WORKING, and the place for the end")
		assert.Equal(t, "CANCELED", stateOf(cancel(t, a, task.GetId())), "a task at its limit can be ended")
	})
}

func TestLimits_PushConfigs(t *testing.T) {
	a := newAgent(t, &Options{MaxPushConfigs: 2})
	id := send(t, a, say("input")).GetId()
	for _, name := range []string{"a", "b", "b"} {
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: name, Url: hookURL})
	}
	_, err := a.CreateTaskPushNotificationConfig(t.Context(), nil, &pb.TaskPushNotificationConfig{TaskId: id, Url: hookURL})
	require.ErrorIs(t, err, binding.ErrResourceExhausted)
	r := reply(&pb.Task{Id: id}, "x")
	r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: hookURL}}
	assert.Equal(t, binding.ResourceExhausted, sendFails(t, a, r).Code)
	assert.Equal(t, "INPUT_REQUIRED", stateOf(get(t, a, id)), "the message was not taken in")
	assert.Len(t, said(get(t, a, id)), 1)
}
