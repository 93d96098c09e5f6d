package a2asdk

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2awire/a2awire/binding"
)

// ToHandler is an Agent, local or dialed, as a handler of the SDK: behind its
// servers, its interceptors, or [FromHandler]. Nil Options are fine; of them
// Card, MaxMessageBytes, DefaultVersion and Logger count.
//
// The shared layer of this library stands in front of the agent, as it does on
// every binding: it holds requests, answers and streams against the data model,
// which the SDK's servers leave to the handler. A call without a version is one
// of 1.0, unless Options say otherwise, and so is one of 0.3: a server of the
// SDK has translated it.
//
// Errors are the SDK's sentinels to errors.Is, and an [*a2a.Error] with the
// details; the [*binding.Error] is in their chain, without its Cause. The handler may be called
// until the agent is closed, and does not close it.
func ToHandler(a binding.Agent, o *binding.Options) a2asrv.RequestHandler {
	own := binding.Options{}
	if o != nil {
		own = *o
	}
	if own.DefaultVersion == "" {
		own.DefaultVersion = binding.Version
	}
	return handler{binding.Remote(binding.NewInbound(a, &own))}
}

type handler struct{ agent binding.Agent }

var _ a2asrv.RequestHandler = handler{}

// serve has the agent answer what the handler was asked.
func serve[SDKReq, Req, Resp, SDKResp any](ctx context.Context, req *SDKReq,
	from func(*SDKReq) Req, op func(context.Context, *binding.Call, Req) (Resp, error), to func(Resp) SDKResp,
) (SDKResp, error) {
	c := handled(ctx)
	resp, err := do(ctx, c, req, from, op, to)
	answered(ctx, c.Reply)
	return resp, err
}

// do makes a call with the SDK's types. A nil request is an empty one.
func do[SDKReq, Req, Resp, SDKResp any](ctx context.Context, c *binding.Call, req *SDKReq,
	from func(*SDKReq) Req, op func(context.Context, *binding.Call, Req) (Resp, error), to func(Resp) SDKResp,
) (SDKResp, error) {
	if req == nil {
		req = new(SDKReq)
	}
	resp, err := op(ctx, c, from(req))
	if err != nil {
		var none SDKResp
		return none, toError(err)
	}
	return to(resp), nil
}

func (h handler) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return serve(ctx, req, fromSendMessage, h.agent.SendMessage, toResult)
}

func (h handler) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return serve(ctx, req, fromGetTask, h.agent.GetTask, toTask)
}

func (h handler) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return serve(ctx, req, fromListTasks, h.agent.ListTasks, toTasks)
}

func (h handler) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return serve(ctx, req, fromCancelTask, h.agent.CancelTask, toTask)
}

func (h handler) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return serve(ctx, req, fromPushConfig, h.agent.CreateTaskPushNotificationConfig, toPushConfig)
}

func (h handler) GetTaskPushConfig(ctx context.Context, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return serve(ctx, req, fromGetConfig, h.agent.GetTaskPushNotificationConfig, toPushConfig)
}

func (h handler) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return serve(ctx, req, fromListConfigs, h.agent.ListTaskPushNotificationConfigs, toConfigs)
}

func (h handler) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	_, err := serve(ctx, req, fromDeleteConfig, h.agent.DeleteTaskPushNotificationConfig, same)
	return err
}

func (h handler) GetExtendedAgentCard(ctx context.Context, req *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return serve(ctx, req, fromGetCard, h.agent.GetExtendedAgentCard, ToCard)
}

func (h handler) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		c := handled(ctx)
		stream(ctx, c, req, fromSendMessage, h.agent.SendStreamingMessage, func() { answered(ctx, c.Reply) }, yield)
	}
}

func (h handler) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		c := handled(ctx)
		stream(ctx, c, req, fromSubscribe, h.agent.SubscribeToTask, func() { answered(ctx, c.Reply) }, yield)
	}
}

// stream makes a streaming call with the SDK's types. Before it passes the
// first item on, or the end, it says that the reply is there.
func stream[SDKReq, Req any](ctx context.Context, c *binding.Call, req *SDKReq,
	from func(*SDKReq) Req, op func(context.Context, *binding.Call, Req) iter.Seq2[*pb.StreamResponse, error],
	replied func(), yield func(a2a.Event, error) bool,
) {
	if req == nil {
		req = new(SDKReq)
	}
	begun := false
	for ev, err := range op(ctx, c, from(req)) {
		if !begun {
			begun = true
			replied()
		}
		if err != nil {
			yield(nil, toError(err))
			return
		}
		if !yield(toEvent(ev), nil) {
			return
		}
	}
	if !begun {
		replied()
	}
}
