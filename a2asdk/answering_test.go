package a2asdk

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// answering is a handler that gives one answer: a result, an event, a card or
// an error, or nothing.
type answering struct{ answer any }

func answerOf[T any](a answering) (T, error) {
	if err, ok := a.answer.(error); ok {
		var none T
		return none, err
	}
	v, _ := a.answer.(T)
	return v, nil
}

func (a answering) stream() iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(answerOf[a2a.Event](a)) }
}

var _ a2asrv.RequestHandler = answering{}

func (a answering) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	return answerOf[*a2a.Task](a)
}

func (a answering) ListTasks(context.Context, *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return answerOf[*a2a.ListTasksResponse](a)
}

func (a answering) CancelTask(context.Context, *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return answerOf[*a2a.Task](a)
}

func (a answering) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return answerOf[a2a.SendMessageResult](a)
}

func (a answering) SubscribeToTask(context.Context, *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return a.stream()
}

func (a answering) SendStreamingMessage(context.Context, *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return a.stream()
}

func (a answering) GetTaskPushConfig(context.Context, *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return answerOf[*a2a.PushConfig](a)
}

func (a answering) ListTaskPushConfigs(context.Context, *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return answerOf[*a2a.ListTaskPushConfigResponse](a)
}

func (a answering) CreateTaskPushConfig(context.Context, *a2a.PushConfig) (*a2a.PushConfig, error) {
	return answerOf[*a2a.PushConfig](a)
}

func (a answering) DeleteTaskPushConfig(context.Context, *a2a.DeleteTaskPushConfigRequest) error {
	_, err := answerOf[any](a)
	return err
}

func (a answering) GetExtendedAgentCard(context.Context, *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return answerOf[*a2a.AgentCard](a)
}
