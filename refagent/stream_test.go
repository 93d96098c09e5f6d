package refagent

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

func TestSendStreamingMessage_3_1_2_Lifecycles(t *testing.T) {
	a := newAgent(t, nil)
	for text, want := range map[string][]string{
		"hello":      {"task SUBMITTED", "WORKING", "artifact echo: hello", "COMPLETED"},
		"":           {"task SUBMITTED", "WORKING", "artifact echo: ", "COMPLETED"},
		"message hi": {"message hi"},
		"stream 2":   {"task SUBMITTED", "WORKING", "artifact chunk 1", "artifact chunk 2", "COMPLETED"},
		"stream 0":   {"task SUBMITTED", "WORKING", "COMPLETED"},
		"input":      {"task SUBMITTED", "WORKING", "INPUT_REQUIRED"},
		"fail":       {"task SUBMITTED", "WORKING", "FAILED"},
		"reject":     {"task SUBMITTED", "REJECTED"},
	} {
		assert.Equal(t, want, brief(stream(t, a, say(text))), text)
	}
}

func TestSendStreamingMessage_3_1_2_EventsNameTheirTask(t *testing.T) {
	a := newAgent(t, nil)
	events := stream(t, a, say("stream 3"))
	task := events[0].GetTask()
	for _, ev := range events[1:] {
		if u := ev.GetStatusUpdate(); u != nil {
			assert.Equal(t, []string{task.GetId(), task.GetContextId()}, []string{u.GetTaskId(), u.GetContextId()})
			assert.True(t, u.GetStatus().GetTimestamp().IsValid())
			continue
		}
		u := ev.GetArtifactUpdate()
		assert.Equal(t, []string{task.GetId(), task.GetContextId()}, []string{u.GetTaskId(), u.GetContextId()})
	}
}

func TestSendStreamingMessage_4_2_2_Chunks(t *testing.T) {
	a := newAgent(t, nil)
	events := stream(t, a, say("chunks 3 20"))
	var grow, last []bool
	for _, ev := range events {
		if u := ev.GetArtifactUpdate(); u != nil {
			assert.Len(t, u.GetArtifact().GetParts()[0].GetText(), 20)
			assert.Equal(t, "artifact-1", u.GetArtifact().GetArtifactId())
			grow, last = append(grow, u.GetAppend()), append(last, u.GetLastChunk())
		}
	}
	assert.Equal(t, []bool{false, true, true}, grow)
	assert.Equal(t, []bool{false, false, true}, last)
	task := get(t, a, events[0].GetTask().GetId())
	require.Len(t, task.GetArtifacts(), 1)
	assert.Equal(t, []string{"chunk 1 xxxxxxxxxxxx", "chunk 2 xxxxxxxxxxxx", "chunk 3 xxxxxxxxxxxx"}, texts(task))
}

func TestSendStreamingMessage_7_6_1_StaysOpenAtAuthRequired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		var got []*pb.StreamResponse
		for ev, err := range a.SendStreamingMessage(t.Context(), nil, say("auth")) {
			require.NoError(t, err)
			got = append(got, ev)
			if u := ev.GetStatusUpdate(); u.GetStatus().GetState() == pb.TaskState_TASK_STATE_AUTH_REQUIRED {
				assert.NotEmpty(t, u.GetStatus().GetMessage().GetParts(), "it explains the authorization")
				send(t, a, reply(got[0].GetTask(), "granted"))
			}
		}
		assert.Equal(t, []string{"task SUBMITTED", "WORKING", "AUTH_REQUIRED", "WORKING", "artifact got: granted", "COMPLETED"}, brief(got))
	})
}

func TestSendStreamingMessage_3_5_2_LeavingDoesNotCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		var id string
		for ev, err := range a.SendStreamingMessage(t.Context(), nil, say("long 5")) {
			require.NoError(t, err)
			id = ev.GetTask().GetId()
			break
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		assert.Equal(t, "COMPLETED", stateOf(get(t, a, id)))
	})
}

func TestSendStreamingMessage_3_5_2_EndedContextEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		events, err := collect(a.SendStreamingMessage(ctx, nil, say("long 5")))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"task SUBMITTED", "WORKING"}, brief(events))
	})
}

func TestSendStreamingMessage_EndedContextWinsOverWaitingEvents(t *testing.T) {
	a := newAgent(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	var last error
	for _, err := range a.SendStreamingMessage(ctx, nil, say("stream 1000")) {
		if n, last = n+1, err; n == 10 {
			stop()
		}
	}
	assert.Equal(t, 11, n)
	require.ErrorIs(t, last, context.Canceled)
}

func TestSubscribeToTask_3_1_6_BeginsWithTheTaskAndMissesNothing(t *testing.T) {
	a := newAgent(t, nil)
	// Whenever it joins, the snapshot and what follows add up to the whole.
	for range 50 {
		task := send(t, a, atOnce(say("stream 200")))
		events, err := collect(a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: task.GetId()}))
		if err != nil {
			require.ErrorIs(t, err, binding.ErrUnsupportedOperation, "it has ended")
			continue
		}
		all := texts(events[0].GetTask())
		for _, ev := range events[1:] {
			if u := ev.GetArtifactUpdate(); u != nil {
				all = append(all, u.GetArtifact().GetParts()[0].GetText())
			}
		}
		require.Len(t, all, 200)
		for i, text := range all {
			require.Equal(t, chunkText(i+1), text)
		}
		require.Equal(t, "COMPLETED", brief(events)[len(events)-1])
	}
}

func TestSubscribeToTask_3_1_6_EndsAtATerminalStateAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		task := send(t, a, say("input"))
		s := subscribe(t.Context(), a, task.GetId())
		r := reply(task, "again")
		r.Message.MessageId = "tck-input-required-1"
		send(t, a, r)
		send(t, a, reply(task, "done"))
		<-s.done
		require.NoError(t, s.err)
		assert.Equal(t, []string{
			"task INPUT_REQUIRED", "WORKING", "INPUT_REQUIRED", "WORKING", "artifact got: done", "COMPLETED",
		}, brief(s.events))
	})
}

func TestSubscribeToTask_3_1_6_Refuses(t *testing.T) {
	a := newAgent(t, nil)
	for _, text := range []string{"echo", "fail", "reject"} {
		task := send(t, a, say(text))
		_, err := collect(a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: task.GetId()}))
		require.ErrorIs(t, err, binding.ErrUnsupportedOperation, text)
	}
	task := send(t, a, say("input"))
	cancel(t, a, task.GetId())
	_, err := collect(a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: task.GetId()}))
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation)
	_, err = collect(a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "nope"}))
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
}

func TestSubscribeToTask_3_5_2_AllSeeTheSameInOneOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		task := send(t, a, say("input"))
		ctx, stop := context.WithCancel(t.Context())
		left := subscribe(ctx, a, task.GetId())
		var subs []*subscriber
		for range 5 {
			subs = append(subs, subscribe(t.Context(), a, task.GetId()))
		}
		stop()
		<-left.done
		require.ErrorIs(t, left.err, context.Canceled)

		r := reply(task, "x")
		r.Message.MessageId = "tck-stream-artifact-chunked"
		send(t, a, r)
		for _, s := range subs {
			<-s.done
			require.NoError(t, s.err)
			require.Len(t, s.events, 5)
			for i, ev := range s.events {
				assert.True(t, proto.Equal(ev, subs[0].events[i]))
			}
		}
	})
}

func TestSubscribeToTask_3_5_2_WhoDoesNotReadStopsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		task := send(t, a, say("input"))
		slow := a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: task.GetId()})
		quick := subscribe(t.Context(), a, task.GetId())
		n := 0
		for ev, err := range slow {
			require.NoError(t, err)
			if n++; n == 1 {
				// It stands still here while the task runs to its end.
				require.NotNil(t, ev.GetTask())
				assert.Equal(t, "COMPLETED", stateOf(send(t, a, reply(task, "go on"))))
				<-quick.done
			}
		}
		assert.Equal(t, 4, n, "and misses nothing")
		assert.Len(t, quick.events, 4)
	})
}

func TestSnapshotsDoNotChange(t *testing.T) {
	a := newAgent(t, nil)
	tk := a.newTask("", "c", message("x"))
	require.NoError(t, a.store.add(tk, tk.status))
	require.True(t, tk.add(&pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("1")}}, false, false))
	events, _ := tk.since(0)
	snap := tk.snapshot(view{})
	before, event := proto.Clone(snap), proto.Clone(events[0].resp)
	require.True(t, tk.add(&pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("2")}}, true, false))
	require.True(t, tk.set(pb.TaskState_TASK_STATE_COMPLETED, "done"))
	assert.True(t, proto.Equal(before, snap))
	assert.True(t, proto.Equal(event, events[0].resp))
	assert.Equal(t, []string{"1", "2"}, texts(tk.snapshot(view{})))
	// An artifact sent anew replaces the one of its id.
	tk = a.newTask("", "c", message("x"))
	tk.add(&pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("1")}}, false, true)
	tk.add(&pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("2")}}, false, true)
	assert.Equal(t, []string{"2"}, texts(tk.snapshot(view{})))
}
