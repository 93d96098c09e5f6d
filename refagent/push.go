package refagent

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

// CreateTaskPushNotificationConfig is spec 3.1.7. The webhook gets every event
// from now on. A configuration with the id of another replaces it, and goes on
// where that one was. On a task that has ended it is kept, and nothing is sent.
func (a *Agent) CreateTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	if err := a.begin(ctx, call, binding.OpCreateTaskPushNotificationConfig); err != nil {
		return nil, err
	}
	t, err := a.task(req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	if err := checkConfig(req, "", a.o.AllowPrivateWebhooks); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c, err := a.addHook(t, req, req.GetTenant())
	if err != nil {
		return nil, err
	}
	return cloneConfig(c), nil
}

// GetTaskPushNotificationConfig is spec 3.1.8. A configuration that does not
// exist is a TaskNotFound, too.
func (a *Agent) GetTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	if err := a.begin(ctx, call, binding.OpGetTaskPushNotificationConfig); err != nil {
		return nil, err
	}
	t, err := a.task(req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.hooks.get(req.GetId())
	if h == nil {
		return nil, binding.Errorf(binding.TaskNotFound, "push notification configuration not found").
			WithInfo("taskId", t.id).WithInfo("id", req.GetId())
	}
	return cloneConfig(h.config), nil
}

// ListTaskPushNotificationConfigs is spec 3.1.9, in the order they were
// created. A pageSize of 0 is all of them.
func (a *Agent) ListTaskPushNotificationConfigs(ctx context.Context, call *binding.Call, req *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	if err := a.begin(ctx, call, binding.OpListTaskPushNotificationConfigs); err != nil {
		return nil, err
	}
	size := int(req.GetPageSize())
	if size < 0 {
		return nil, binding.InvalidField("pageSize", "must not be negative, got %d", size)
	}
	t, err := a.task(req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	var behind key
	if s := req.GetPageToken(); s != "" {
		var ok bool
		if behind, ok = parseToken(s, t.id); !ok {
			return nil, binding.InvalidField("pageToken", "is not a token of this list")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	resp := new(pb.ListTaskPushNotificationConfigsResponse)
	var last uint64
	for _, h := range t.hooks.list {
		if h.seq <= behind.seq {
			continue
		}
		if size > 0 && len(resp.Configs) == size {
			resp.NextPageToken = newToken(key{seq: last}, t.id)
			break
		}
		resp.Configs = append(resp.Configs, cloneConfig(h.config))
		last = h.seq
	}
	return resp, nil
}

// DeleteTaskPushNotificationConfig is spec 3.1.10. One that does not exist is
// deleted already.
func (a *Agent) DeleteTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	if err := a.begin(ctx, call, binding.OpDeleteTaskPushNotificationConfig); err != nil {
		return nil, err
	}
	t, err := a.task(req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hooks.remove(req.GetId())
	return new(emptypb.Empty), nil
}

func cloneConfig(c *pb.TaskPushNotificationConfig) *pb.TaskPushNotificationConfig {
	return proto.Clone(c).(*pb.TaskPushNotificationConfig)
}
