package a2asdk

import (
	"context"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/a2awire/a2awire/binding"
)

// WithBindings are the options that have a client of the SDK use the bindings
// of a registry, under their names and aliases, for interfaces of 1.0. A name
// that the SDK has a transport for, JSONRPC or HTTP+JSON, is taken over.
//
//	client, err := a2aclient.NewFromCard(ctx, card, a2asdk.WithBindings(registry)...)
func WithBindings(r *binding.Registry) []a2aclient.FactoryOption {
	var out []a2aclient.FactoryOption
	for _, name := range r.Names() {
		dial := func(ctx context.Context, _ *a2a.AgentCard, iface *a2a.AgentInterface) (a2aclient.Transport, error) {
			b, err := r.Lookup(name)
			if err != nil {
				return nil, err
			}
			c, err := b.Dial(ctx, fromInterface(iface))
			if err != nil {
				return nil, toError(err)
			}
			return ToTransport(c), nil
		}
		out = append(out, a2aclient.WithTransport(a2a.TransportProtocol(name), a2aclient.TransportFactoryFn(dial)))
	}
	return out
}

// ToTransport is a dialed agent as a transport of the SDK's client. Destroy
// closes it.
//
// Service parameters cross as they are, "Authorization" as the credential; names
// that belong to a transport, as in the parameters that a handler was asked with,
// stay out. [WithReply] collects those of the answer. Errors are as [ToHandler] has them,
// with their first detail that is no ErrorInfo in Details, too. ListTaskPushConfigs
// without a page size is the configurations of all pages: its result has no
// place for the token of the next.
func ToTransport(c binding.Client) a2aclient.Transport { return transport{c} }

type transport struct{ client binding.Client }

var _ a2aclient.Transport = transport{}

// send makes a call with the SDK's types.
func send[SDKReq, Req, Resp, SDKResp any](ctx context.Context, params a2aclient.ServiceParams, req *SDKReq,
	from func(*SDKReq) Req, op func(context.Context, *binding.Call, Req) (Resp, error), to func(Resp) SDKResp,
) (SDKResp, error) {
	c := fromParams(params)
	resp, err := do(ctx, c, req, from, op, to)
	collect(ctx, c)
	return resp, clientError(err)
}

// collect gives the service parameters of an answer to who asked for them.
func collect(ctx context.Context, c *binding.Call) {
	if r, ok := ctx.Value(replyKey{}).(*Reply); ok {
		r.add(c.Reply)
	}
}

func (t transport) SendMessage(ctx context.Context, params a2aclient.ServiceParams, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return send(ctx, params, req, fromSendMessage, t.client.SendMessage, toResult)
}

func (t transport) GetTask(ctx context.Context, params a2aclient.ServiceParams, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return send(ctx, params, req, fromGetTask, t.client.GetTask, toTask)
}

func (t transport) ListTasks(ctx context.Context, params a2aclient.ServiceParams, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return send(ctx, params, req, fromListTasks, t.client.ListTasks, toTasks)
}

func (t transport) CancelTask(ctx context.Context, params a2aclient.ServiceParams, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return send(ctx, params, req, fromCancelTask, t.client.CancelTask, toTask)
}

func (t transport) CreateTaskPushConfig(ctx context.Context, params a2aclient.ServiceParams, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return send(ctx, params, req, fromPushConfig, t.client.CreateTaskPushNotificationConfig, toPushConfig)
}

func (t transport) GetTaskPushConfig(ctx context.Context, params a2aclient.ServiceParams, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return send(ctx, params, req, fromGetConfig, t.client.GetTaskPushNotificationConfig, toPushConfig)
}

func (t transport) DeleteTaskPushConfig(ctx context.Context, params a2aclient.ServiceParams, req *a2a.DeleteTaskPushConfigRequest) error {
	_, err := send(ctx, params, req, fromDeleteConfig, t.client.DeleteTaskPushNotificationConfig, same)
	return err
}

func (t transport) GetExtendedAgentCard(ctx context.Context, params a2aclient.ServiceParams, req *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return send(ctx, params, req, fromGetCard, t.client.GetExtendedAgentCard, ToCard)
}

// maxPushConfigs bounds what ListTaskPushConfigs collects over all pages.
const maxPushConfigs = 10_000

func (t transport) ListTaskPushConfigs(ctx context.Context, params a2aclient.ServiceParams, req *a2a.ListTaskPushConfigRequest) ([]*a2a.PushConfig, error) {
	page := a2a.ListTaskPushConfigRequest{}
	if req != nil {
		page = *req
	}
	all := []*a2a.PushConfig{}
	for {
		resp, err := send(ctx, params, &page, fromListConfigs, t.client.ListTaskPushNotificationConfigs, toConfigs)
		if err != nil {
			return nil, err
		}
		all = append(all, resp.Configs...)
		switch next := resp.NextPageToken; {
		case next == "" || page.PageSize != 0:
			return all, nil
		case next == page.PageToken || len(resp.Configs) == 0:
			return nil, clientError(toError(binding.Errorf(binding.InvalidAgentResponse, "a page of push notification configurations leads nowhere")))
		case len(all) > maxPushConfigs:
			return nil, clientError(toError(binding.Errorf(binding.ResourceExhausted, "more than %d push notification configurations", maxPushConfigs)))
		default:
			page.PageToken = next
		}
	}
}

func (t transport) SendStreamingMessage(ctx context.Context, params a2aclient.ServiceParams, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		c := fromParams(params)
		stream(ctx, c, req, fromSendMessage, t.client.SendStreamingMessage, func() { collect(ctx, c) }, clientErrors(yield))
	}
}

func (t transport) SubscribeToTask(ctx context.Context, params a2aclient.ServiceParams, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		c := fromParams(params)
		stream(ctx, c, req, fromSubscribe, t.client.SubscribeToTask, func() { collect(ctx, c) }, clientErrors(yield))
	}
}

// Destroy closes the client.
func (t transport) Destroy() error { return t.client.Close() }

func clientErrors(yield func(a2a.Event, error) bool) func(a2a.Event, error) bool {
	return func(ev a2a.Event, err error) bool { return yield(ev, clientError(err)) }
}
