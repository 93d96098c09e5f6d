package a2asdk

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

// FromHandler is the Agent that a handler of the SDK is: for an AgentExecutor,
// that of a2asrv.NewHandler. Serve it with the card in Options.Card, made by
// [FromCard].
//
// The handler is asked with a CallContext of its own on each call, as by the
// SDK's servers. An executor must activate extensions before its first event:
// the caller is told then, and activating one later is a data race, since the
// SDK's Extensions have no lock. Where the answer to a message for a task that
// exists begins with an update, which the SDK lets an executor do, the stream
// begins with the task as it was when the message came (spec 3.1.2); the
// handler is asked for it first.
func FromHandler(h a2asrv.RequestHandler) binding.Agent { return agent{h} }

type agent struct{ h a2asrv.RequestHandler }

var _ binding.Agent = agent{}

// ask has the handler answer a call.
func ask[Req, SDKReq, SDKResp, Resp any](ctx context.Context, call *binding.Call, req Req,
	to func(Req) SDKReq, handle func(context.Context, SDKReq) (SDKResp, error), from func(SDKResp) Resp,
) (Resp, error) {
	ctx, told := asked(ctx, call)
	resp, err := handle(ctx, to(req))
	told()
	if err != nil {
		var none Resp
		return none, fromError(err)
	}
	return from(resp), nil
}

func (a agent) SendMessage(ctx context.Context, call *binding.Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return ask(ctx, call, req, toSendMessage, a.h.SendMessage, fromResult)
}

func (a agent) GetTask(ctx context.Context, call *binding.Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	return ask(ctx, call, req, toGetTask, a.h.GetTask, fromTask)
}

func (a agent) ListTasks(ctx context.Context, call *binding.Call, req *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return ask(ctx, call, req, toListTasks, a.h.ListTasks, fromTasks)
}

func (a agent) CancelTask(ctx context.Context, call *binding.Call, req *pb.CancelTaskRequest) (*pb.Task, error) {
	return ask(ctx, call, req, toCancelTask, a.h.CancelTask, fromTask)
}

func (a agent) CreateTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return ask(ctx, call, req, toPushConfig, a.h.CreateTaskPushConfig, fromPushConfig)
}

func (a agent) GetTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return ask(ctx, call, req, toGetConfig, a.h.GetTaskPushConfig, fromPushConfig)
}

func (a agent) ListTaskPushNotificationConfigs(ctx context.Context, call *binding.Call, req *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return ask(ctx, call, req, toListConfigs, a.h.ListTaskPushConfigs, fromConfigs)
}

func (a agent) DeleteTaskPushNotificationConfig(ctx context.Context, call *binding.Call, req *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	handle := func(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) (*emptypb.Empty, error) {
		return &emptypb.Empty{}, a.h.DeleteTaskPushConfig(ctx, req)
	}
	return ask(ctx, call, req, toDeleteConfig, handle, same)
}

func (a agent) GetExtendedAgentCard(ctx context.Context, call *binding.Call, req *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return ask(ctx, call, req, toGetCard, a.h.GetExtendedAgentCard, FromCard)
}

// same is the conversion of what needs none.
func same[T any](v T) T { return v }

func (a agent) SubscribeToTask(ctx context.Context, call *binding.Call, req *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		ctx, told := asked(ctx, call)
		relay(a.h.SubscribeToTask(ctx, toSubscribe(req)), told, nil, yield)
	}
}

func (a agent) SendStreamingMessage(ctx context.Context, call *binding.Call, req *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		before := a.before(ctx, call, req)
		ctx, told := asked(ctx, call)
		relay(a.h.SendStreamingMessage(ctx, toSendMessage(req)), told, before, yield)
	}
}

// before is the task that a message is for, as it is before the message; nil
// where there is none, or none needed: what ToHandler made keeps the rule.
func (a agent) before(ctx context.Context, call *binding.Call, req *pb.SendMessageRequest) *pb.StreamResponse {
	id := req.GetMessage().GetTaskId()
	if _, own := a.h.(handler); own || id == "" {
		return nil
	}
	ctx, _ = asked(ctx, call)
	t, err := a.h.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(id), Tenant: req.GetTenant()})
	if err != nil || t == nil {
		return nil
	}
	return fromEvent(t)
}

// relay passes a handler's events on. Before the first item it tells the
// service parameters, and gives the task to a stream that begins with an update.
func relay(events iter.Seq2[a2a.Event, error], told func(), before *pb.StreamResponse, yield func(*pb.StreamResponse, error) bool) {
	begun := false
	for ev, err := range events {
		if !begun {
			told()
		}
		if err != nil {
			yield(nil, fromError(err))
			return
		}
		if !begun && before != nil && update(ev) && !yield(before, nil) {
			return
		}
		begun = true
		if !yield(fromEvent(ev), nil) {
			return
		}
	}
	if !begun {
		told()
	}
}

func update(ev a2a.Event) bool {
	switch ev.(type) {
	case *a2a.TaskStatusUpdateEvent, *a2a.TaskArtifactUpdateEvent:
		return true
	}
	return false
}
