package refagent

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// SubscribeToTask is spec 3.1.6. The Task comes first; what follows is every
// event from that moment on. The stream ends when the task has, and at nothing
// else that the task does.
func (a *Agent) SubscribeToTask(ctx context.Context, call *binding.Call, req *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if err := a.begin(ctx, call, binding.OpSubscribeToTask); err != nil {
			yield(nil, err)
			return
		}
		t, err := a.task(req.GetTenant(), req.GetId())
		if err != nil {
			yield(nil, err)
			return
		}
		snapshot, from, err := t.join()
		if err != nil {
			yield(nil, err)
			return
		}
		if yield(taskEvent(snapshot), nil) {
			a.follow(ctx, t, from, yield, func(s pb.TaskState) bool { return terminal[s] })
		}
	}
}

// join is the task as it is, and where its log goes on from there.
func (t *task) join() (*pb.Task, int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended() {
		return nil, 0, binding.Errorf(binding.UnsupportedOperation, "the task has ended: there is nothing to subscribe to").
			WithInfo("taskId", t.id).WithInfo("state", t.status.GetState().String())
	}
	return t.snapshotLocked(view{}), len(t.log), nil
}

// follow yields a task's log from an index on, until a state that is the last.
// It reads at the pace of its reader and holds nothing of its own.
func (a *Agent) follow(ctx context.Context, t *task, i int, yield func(*pb.StreamResponse, error) bool, last func(pb.TaskState) bool) {
	for {
		events, changed := t.since(i)
		for _, e := range events {
			switch {
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case e.err != nil:
				yield(nil, e.err)
				return
			case !yield(e.resp, nil) || last(e.state):
				return
			}
		}
		i += len(events)
		if len(events) > 0 {
			continue
		}
		if changed == nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		case <-a.ctx.Done():
			yield(nil, errClosed)
			return
		}
	}
}

func taskEvent(t *pb.Task) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: t}}
}
