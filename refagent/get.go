package refagent

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// GetTask is spec 3.1.3.
func (a *Agent) GetTask(ctx context.Context, call *binding.Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	if err := a.begin(ctx, call, binding.OpGetTask); err != nil {
		return nil, err
	}
	if err := checkHistoryLength("historyLength", req.HistoryLength); err != nil {
		return nil, err
	}
	t, err := a.task(req.GetTenant(), req.GetId())
	if err != nil {
		return nil, err
	}
	return t.snapshot(view{historyLength: req.HistoryLength}), nil
}

// CancelTask is spec 3.1.5. What the task was doing stops.
func (a *Agent) CancelTask(ctx context.Context, call *binding.Call, req *pb.CancelTaskRequest) (*pb.Task, error) {
	if err := a.begin(ctx, call, binding.OpCancelTask); err != nil {
		return nil, err
	}
	t, err := a.task(req.GetTenant(), req.GetId())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.setLocked(pb.TaskState_TASK_STATE_CANCELED, "") {
		return nil, binding.Errorf(binding.TaskNotCancelable, "the task has ended and cannot be canceled").
			WithInfo("taskId", t.id).WithInfo("state", t.status.GetState().String())
	}
	return t.snapshotLocked(view{}), nil
}

// task is the task of that name. One of another tenant is not found, as if it
// did not exist (spec 13.1).
func (a *Agent) task(tenant, id string) (*task, error) {
	if t := a.store.get(tenant, id); t != nil {
		return t, nil
	}
	return nil, binding.Errorf(binding.TaskNotFound, "task not found").WithInfo("taskId", id)
}

func checkHistoryLength(field string, n *int32) error {
	if n != nil && *n < 0 {
		return binding.InvalidField(field, "must not be negative, got %d", *n)
	}
	return nil
}
