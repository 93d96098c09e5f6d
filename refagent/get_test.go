package refagent

import (
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

func TestGetTask_3_1_3_UnknownTask(t *testing.T) {
	a := newAgent(t, nil)
	_, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "nope"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
	assert.Equal(t, "nope", binding.Flatten(err).Info().GetMetadata()["taskId"])
}

func TestGetTask_3_2_4_HistoryLength(t *testing.T) {
	a := newAgent(t, nil)
	task := send(t, a, say("input"))
	send(t, a, reply(task, "answer"))
	for n, want := range map[int32][]string{
		0: nil, 1: {"answer"}, 2: {"What shall the task go on with?", "answer"},
		3: {"input", "What shall the task go on with?", "answer"}, 999: {"input", "What shall the task go on with?", "answer"},
	} {
		got, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: task.GetId(), HistoryLength: proto.Int32(n)})
		require.NoError(t, err)
		assert.Equal(t, want, said(got), "historyLength %d", n)
		assert.NotEmpty(t, got.GetArtifacts())
	}
	_, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: task.GetId(), HistoryLength: proto.Int32(-1)})
	require.ErrorIs(t, err, binding.ErrInvalidParams)
}

func TestGetTask_5_6_1_TimestampsAreMilliseconds(t *testing.T) {
	ts := send(t, newAgent(t, nil), say("x")).GetStatus().GetTimestamp()
	assert.Zero(t, ts.GetNanos()%1e6)
	assert.WithinDuration(t, time.Now(), ts.AsTime(), time.Minute)
}

func TestTasks_13_1_OfAnotherTenantAreNotFound(t *testing.T) {
	a := newAgent(t, nil)
	r := say("input")
	r.Tenant = "acme"
	id := send(t, a, r).GetId()
	ctx := t.Context()
	for _, tenant := range []string{"", "other", "ACME"} {
		_, err := a.GetTask(ctx, nil, &pb.GetTaskRequest{Tenant: tenant, Id: id})
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
		_, err = a.CancelTask(ctx, nil, &pb.CancelTaskRequest{Tenant: tenant, Id: id})
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
		_, err = collect(a.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Tenant: tenant, Id: id}))
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
		again := say("x")
		again.Tenant, again.Message.TaskId = tenant, id
		assert.Equal(t, binding.TaskNotFound, sendFails(t, a, again).Code)
		list, err := a.ListTasks(ctx, nil, &pb.ListTasksRequest{Tenant: tenant})
		require.NoError(t, err)
		assert.Zero(t, list.GetTotalSize())
		_, err = a.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{Tenant: tenant, TaskId: id})
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
	}
	task, err := a.GetTask(ctx, nil, &pb.GetTaskRequest{Tenant: "acme", Id: id})
	require.NoError(t, err)
	assert.Equal(t, id, task.GetId())
}

func TestCancelTask_3_1_5_StopsTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		start := time.Now()
		task := send(t, a, atOnce(say("long 100")))
		s := subscribe(t.Context(), a, task.GetId())
		blocked := make(chan *pb.SendMessageResponse)
		go func() {
			resp, _ := a.SendMessage(t.Context(), nil, reply(task, "still there?"))
			blocked <- resp
		}()
		synctest.Wait()
		assert.Equal(t, "CANCELED", stateOf(cancel(t, a, task.GetId())))
		assert.Equal(t, "CANCELED", stateOf((<-blocked).GetTask()), "who waits for the task is told")
		<-s.done
		require.NoError(t, s.err)
		assert.Equal(t, "CANCELED", brief(s.events)[len(s.events)-1])
		a.wg.Wait()
		assert.Zero(t, time.Since(start), "what ran has stopped")
		assert.Equal(t, "CANCELED", stateOf(get(t, a, task.GetId())))
	})
}

func TestCancelTask_3_1_5_WaitingTask(t *testing.T) {
	a := newAgent(t, nil)
	task := send(t, a, say("input"))
	assert.Equal(t, "CANCELED", stateOf(cancel(t, a, task.GetId())))
	assert.Equal(t, binding.UnsupportedOperation, sendFails(t, a, reply(task, "x")).Code)
}

func TestCancelTask_3_1_5_EndedTask(t *testing.T) {
	a := newAgent(t, nil)
	canceled := send(t, a, say("input"))
	cancel(t, a, canceled.GetId())
	for _, task := range []*pb.Task{send(t, a, say("x")), send(t, a, say("fail")), send(t, a, say("reject")), canceled} {
		before := get(t, a, task.GetId())
		_, err := a.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: task.GetId()})
		require.ErrorIs(t, err, binding.ErrTaskNotCancelable)
		assert.True(t, proto.Equal(before, get(t, a, task.GetId())))
	}
	_, err := a.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: "nope"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
}
