package refagent

import (
	"testing"
	"testing/synctest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
)

func TestTurns_3_4_1_ContextOfTheClientIsKept(t *testing.T) {
	a := newAgent(t, nil)
	r := say("x")
	r.Message.ContextId = "mine"
	first := send(t, a, r)
	r = say("x")
	r.Message.ContextId = "mine"
	second := send(t, a, r)
	assert.Equal(t, "mine", first.GetContextId())
	assert.Equal(t, "mine", second.GetContextId())
	assert.NotEqual(t, first.GetId(), second.GetId())
	assert.NotEqual(t, send(t, a, say("x")).GetContextId(), send(t, a, say("x")).GetContextId())
}

func TestTurns_3_4_3_InputAndAuth(t *testing.T) {
	for word, question := range map[string]string{
		"input": "What shall the task go on with?",
		"auth":  "Send any message to authorize the task.",
	} {
		a := newAgent(t, nil)
		task := send(t, a, say(word))
		assert.Equal(t, question, task.GetStatus().GetMessage().GetParts()[0].GetText())
		assert.Equal(t, pb.Role_ROLE_AGENT, task.GetStatus().GetMessage().GetRole())
		r := reply(task, "error InternalError") // no command here, but an answer
		done := send(t, a, r)
		assert.Equal(t, task.GetId(), done.GetId())
		assert.Equal(t, task.GetContextId(), done.GetContextId(), "the context is inferred from the task")
		assert.Equal(t, "COMPLETED", stateOf(done))
		assert.Equal(t, []string{"got: error InternalError"}, texts(done))
		assert.Equal(t, []string{word, question, "error InternalError"}, said(done))
		assert.Equal(t, task.GetContextId(), done.GetHistory()[2].GetContextId())
	}
}

func TestTurns_3_4_3_AnswerOnAStream(t *testing.T) {
	a := newAgent(t, nil)
	task := send(t, a, say("input"))
	r := reply(task, "go")
	r.Message.ContextId = task.GetContextId()
	assert.Equal(t, []string{"task WORKING", "artifact got: go", "COMPLETED"}, brief(stream(t, a, r)))
}

func TestTurns_3_3_3_MessageToAWorkingTaskIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		task := send(t, a, atOnce(say("long 5")))
		synctest.Wait()
		got := brief(stream(t, a, reply(task, "how far?")))
		assert.Equal(t, []string{"task WORKING", "artifact long done", "COMPLETED"}, got)
		assert.Equal(t, []string{"long 5", "how far?"}, said(get(t, a, task.GetId())))
	})
}

func TestTurns_3_4_3_OneAnswerStartsOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		task := send(t, a, say("input"))
		s := subscribe(t.Context(), a, task.GetId())
		answer := atOnce(reply(task, "x"))
		answer.Message.MessageId = "test-resubscribe-message-id" // works for a while
		assert.Equal(t, "WORKING", stateOf(send(t, a, answer)))
		assert.Equal(t, "COMPLETED", stateOf(send(t, a, reply(task, "y"))))
		<-s.done
		assert.Equal(t, []string{"task INPUT_REQUIRED", "WORKING", "COMPLETED"}, brief(s.events))
	})
}
