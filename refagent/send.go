package refagent

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// SendMessage is spec 3.1.1. It waits until the task has ended or waits for
// its client, unless the request says returnImmediately (spec 3.2.2). A caller
// whose context ends gets the context's error; the task goes on.
func (a *Agent) SendMessage(ctx context.Context, call *binding.Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	if err := a.begin(ctx, call, binding.OpSendMessage); err != nil {
		return nil, err
	}
	in, err := a.accept(call, req, false)
	if err != nil {
		return nil, err
	}
	if in.message != nil {
		return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: in.message}}, nil
	}
	task := in.snapshot
	if !req.GetConfiguration().GetReturnImmediately() {
		if task, err = a.awaitSettled(ctx, in.task, in.view); err != nil {
			return nil, err
		}
	}
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: task}}, nil
}

func (a *Agent) awaitSettled(ctx context.Context, t *task, v view) (*pb.Task, error) {
	for {
		task, changed := t.settled(v)
		if task != nil {
			return task, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-a.ctx.Done():
			return nil, errClosed
		}
	}
}

// SendStreamingMessage is spec 3.1.2. The stream ends when the task has ended
// or asks for input; it stays open while the task asks for authorization
// (spec 7.6.1, 11.7).
func (a *Agent) SendStreamingMessage(ctx context.Context, call *binding.Call, req *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if err := a.begin(ctx, call, binding.OpSendStreamingMessage); err != nil {
			yield(nil, err)
			return
		}
		in, err := a.accept(call, req, true)
		switch {
		case err != nil:
			yield(nil, err)
		case in.message != nil:
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: in.message}}, nil)
		case yield(taskEvent(in.snapshot), nil):
			a.follow(ctx, in.task, in.from, yield, func(s pb.TaskState) bool {
				return terminal[s] || s == pb.TaskState_TASK_STATE_INPUT_REQUIRED
			})
		}
	}
}
