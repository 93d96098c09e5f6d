package refagent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

func TestSendMessage_3_1_1_AnswersWithATask(t *testing.T) {
	a := newAgent(t, nil)
	task := send(t, a, say("echo hello"))
	assert.NotEmpty(t, task.GetId())
	assert.NotEmpty(t, task.GetContextId(), "spec 3.4.1: a generated contextId is in the response")
	assert.Equal(t, "COMPLETED", stateOf(task))
	assert.Equal(t, []string{"echo: echo hello"}, texts(task))
	require.Len(t, task.GetHistory(), 1)
	assert.Equal(t, task.GetId(), task.GetHistory()[0].GetTaskId())
	assert.Equal(t, task.GetContextId(), task.GetHistory()[0].GetContextId())
	assert.True(t, proto.Equal(task, get(t, a, task.GetId())), "what was returned is what is kept")
}

func TestSendMessage_3_1_1_LeavesTheRequestAlone(t *testing.T) {
	r := say("hello")
	before := proto.Clone(r)
	send(t, newAgent(t, nil), r)
	assert.True(t, proto.Equal(before, r))
}

func TestSendMessage_3_1_1_AnswersWithAMessage(t *testing.T) {
	a := newAgent(t, nil)
	r := say("message hello  there")
	r.Message.ContextId = "c1"
	resp, err := a.SendMessage(t.Context(), nil, r)
	require.NoError(t, err)
	m := resp.GetMessage()
	require.NotNil(t, m)
	assert.Equal(t, "hello  there", m.GetParts()[0].GetText())
	assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
	assert.Equal(t, "c1", m.GetContextId())
	assert.Empty(t, m.GetTaskId())
	list, err := a.ListTasks(t.Context(), nil, &pb.ListTasksRequest{})
	require.NoError(t, err)
	assert.Zero(t, list.GetTotalSize(), "no task was made")

	resp, err = a.SendMessage(t.Context(), nil, say("message x"))
	require.NoError(t, err)
	assert.NotEmpty(t, resp.GetMessage().GetContextId(), "spec 4.1.4: messages of the agent have a context")
}

func TestSendMessage_3_1_1_Refuses(t *testing.T) {
	a := newAgent(t, nil)
	done := send(t, a, say("echo"))
	typed := func(mediaType string) *pb.SendMessageRequest {
		r := say("x")
		r.Message.Parts = append(r.Message.Parts, &pb.Part{Content: &pb.Part_Raw{Raw: []byte("x")}, MediaType: mediaType})
		return r
	}
	negative := say("x")
	negative.Configuration = &pb.SendMessageConfiguration{HistoryLength: proto.Int32(-1)}
	mismatch := reply(send(t, a, say("input")), "x")
	mismatch.Message.ContextId = "another"
	for name, c := range map[string]struct {
		req  *pb.SendMessageRequest
		code binding.Code
		text string
	}{
		"no message":            {&pb.SendMessageRequest{}, binding.InvalidParams, "message:"},
		"no parts":              {&pb.SendMessageRequest{Message: &pb.Message{MessageId: "m"}}, binding.InvalidParams, "message.parts:"},
		"unknown task":          {reply(&pb.Task{Id: "nope"}, "x"), binding.TaskNotFound, ""},
		"ended task":            {reply(done, "x"), binding.UnsupportedOperation, ""},
		"another context":       {mismatch, binding.InvalidParams, "message.contextId:"},
		"unknown media type":    {typed("video/mp4"), binding.ContentTypeNotSupported, "message.parts[1].mediaType"},
		"malformed media type":  {typed(";"), binding.ContentTypeNotSupported, "message.parts[1].mediaType"},
		"negative history":      {negative, binding.InvalidParams, "configuration.historyLength:"},
		"similar to a wildcard": {typed("textual/plain"), binding.ContentTypeNotSupported, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := sendFails(t, a, c.req)
			assert.Equal(t, c.code, err.Code)
			assert.Contains(t, err.Text(), c.text)
			events, streamErr := collect(a.SendStreamingMessage(t.Context(), nil, c.req))
			assert.Empty(t, events)
			assert.Equal(t, c.code, binding.CodeOf(streamErr), "spec 3.1.2: the same on a stream")
		})
	}
}

func TestSendMessage_3_1_1_TakesInputModes(t *testing.T) {
	a := newAgent(t, nil)
	for _, mediaType := range []string{"", "text/markdown", "text/plain; charset=utf-8", "APPLICATION/JSON", "application/octet-stream", "image/png"} {
		r := say("x")
		r.Message.Parts[0].MediaType = mediaType
		assert.Equal(t, "COMPLETED", stateOf(send(t, a, r)), mediaType)
	}
}

// The modes of a card are those that count.
func TestSendMessage_3_1_1_TakesItsOwnInputModes(t *testing.T) {
	for _, tc := range []struct {
		modes []string
		takes map[string]bool
	}{
		{[]string{"image/*", "text/plain"}, map[string]bool{"image/gif": true, "text/plain": true, "text/markdown": false, "application/json": false}},
		{[]string{"*/*"}, map[string]bool{"image/gif": true, "application/x-unheard-of": true, "nonsense": false}},
	} {
		a := newAgent(t, &Options{InputModes: tc.modes})
		assert.Equal(t, tc.modes, a.Card().GetDefaultInputModes())
		for mediaType, takes := range tc.takes {
			r := say("x")
			r.Message.Parts[0].MediaType = mediaType
			_, err := a.SendMessage(t.Context(), nil, r)
			if takes {
				require.NoError(t, err, mediaType)
				continue
			}
			e := binding.Flatten(err)
			assert.Equal(t, binding.ContentTypeNotSupported, e.Code, mediaType)
			assert.Equal(t, strings.Join(tc.modes, ", "), e.Info().Metadata["accepted"])
		}
	}
}

func TestSendMessage_3_2_2_BlocksUntilTheTaskSettles(t *testing.T) {
	for text, want := range map[string]string{
		"long 30": "COMPLETED", "input": "INPUT_REQUIRED", "auth": "AUTH_REQUIRED",
		"fail": "FAILED", "reject": "REJECTED", "stream 3": "COMPLETED",
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAgent(t, nil)
				assert.Equal(t, want, stateOf(send(t, a, say(text))))
			})
		})
	}
}

func TestSendMessage_3_2_2_ReturnsImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		start := time.Now()
		task := send(t, a, atOnce(say("long 10")))
		assert.Equal(t, "SUBMITTED", stateOf(task))
		assert.Zero(t, time.Since(start))
		synctest.Wait()
		assert.Equal(t, "WORKING", stateOf(get(t, a, task.GetId())))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		task = get(t, a, task.GetId())
		assert.Equal(t, "COMPLETED", stateOf(task))
		assert.Equal(t, []string{"long done"}, texts(task))
	})
}

func TestSendMessage_3_5_2_TaskOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		r := say("long 5")
		r.Message.ContextId = "c"
		_, err := a.SendMessage(ctx, nil, r)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		list, err := a.ListTasks(t.Context(), nil, &pb.ListTasksRequest{ContextId: "c"})
		require.NoError(t, err)
		require.Len(t, list.GetTasks(), 1)
		assert.Equal(t, "COMPLETED", stateOf(list.GetTasks()[0]))
	})
}

func TestSendMessage_EndedContextDoesNothing(t *testing.T) {
	a := newAgent(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := a.SendMessage(ctx, nil, say("x"))
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, a.store.tasks)
}

func TestSendMessage_3_2_4_HistoryLength(t *testing.T) {
	a := newAgent(t, nil)
	for _, n := range []int32{0, 1, 2, 999} {
		task := send(t, a, say("input"))
		r := reply(task, "answer")
		r.Configuration = &pb.SendMessageConfiguration{HistoryLength: proto.Int32(n)}
		task = send(t, a, r)
		all := []string{"input", "What shall the task go on with?", "answer"}
		assert.Equal(t, all[max(0, 3-int(n)):], append([]string{}, said(task)...), "historyLength %d", n)
		assert.Equal(t, all, said(get(t, a, task.GetId())), "unset is all")
	}
}

func TestClose_EndsCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(nil)
		task := send(t, a, atOnce(say("long 100")))
		s := subscribe(t.Context(), a, task.GetId())
		blocked := make(chan error)
		go func() {
			_, err := a.SendMessage(t.Context(), nil, say("long 100"))
			blocked <- err
		}()
		synctest.Wait()
		require.NoError(t, a.Close())
		require.ErrorIs(t, <-blocked, binding.ErrUnavailable)
		<-s.done
		require.ErrorIs(t, s.err, binding.ErrUnavailable)
		_, err := a.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: task.GetId()})
		require.ErrorIs(t, err, binding.ErrUnavailable)
		require.NoError(t, a.Close(), "again")
	})
}
