package a2asdk_test

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2awire/a2awire/a2asdk"
)

// relay is a handler that passes all it is asked to a transport of the SDK.
type relay struct{ t a2aclient.Transport }

// pass makes a call with the service parameters of the handler's own, and
// passes those of the answer back.
func pass[Req, Resp any](ctx context.Context, req Req, call func(context.Context, a2aclient.ServiceParams, Req) (Resp, error)) (Resp, error) {
	ctx, params, done := through(ctx)
	resp, err := call(ctx, params, req)
	done()
	return resp, err
}

func through(ctx context.Context) (context.Context, a2aclient.ServiceParams, func()) {
	params := a2aclient.ServiceParams{}
	cc, _ := a2asrv.CallContextFrom(ctx)
	for k, vs := range cc.ServiceParams().List() {
		params[k] = vs
	}
	out, reply := a2asdk.WithReply(ctx)
	return out, params, func() {
		for k, v := range reply.Params() {
			a2asdk.SetReply(ctx, k, v)
		}
	}
}

func passStream[Req any](ctx context.Context, req Req, call func(context.Context, a2aclient.ServiceParams, Req) iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		ctx, params, done := through(ctx)
		for ev, err := range call(ctx, params, req) {
			done()
			if !yield(ev, err) {
				return
			}
		}
		done()
	}
}

func (r relay) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return pass(ctx, req, r.t.GetTask)
}

func (r relay) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return pass(ctx, req, r.t.ListTasks)
}

func (r relay) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return pass(ctx, req, r.t.CancelTask)
}

func (r relay) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return pass(ctx, req, r.t.SendMessage)
}

func (r relay) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return passStream(ctx, req, r.t.SubscribeToTask)
}

func (r relay) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return passStream(ctx, req, r.t.SendStreamingMessage)
}

func (r relay) GetTaskPushConfig(ctx context.Context, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return pass(ctx, req, r.t.GetTaskPushConfig)
}

func (r relay) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	configs, err := pass(ctx, req, r.t.ListTaskPushConfigs)
	return &a2a.ListTaskPushConfigResponse{Configs: configs}, err
}

func (r relay) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return pass(ctx, req, r.t.CreateTaskPushConfig)
}

func (r relay) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	_, err := pass(ctx, req, func(ctx context.Context, params a2aclient.ServiceParams, req *a2a.DeleteTaskPushConfigRequest) (any, error) {
		return nil, r.t.DeleteTaskPushConfig(ctx, params, req)
	})
	return err
}

func (r relay) GetExtendedAgentCard(ctx context.Context, req *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return pass(ctx, req, r.t.GetExtendedAgentCard)
}
