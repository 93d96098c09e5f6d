package binding

import (
	"context"
	"io"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Conn carries operations to an agent: what the author of a wire writes for
// the client side, what a server calls, and what a relay and its policies are.
//
// Invoke and Stream may be called at the same time. Their contexts bound the
// call alone, never the connection. Streams keep the rules of [Agent]. A call
// is never nil; a Conn fills its Reply before Invoke returns or the first item
// of a stream is yielded. Errors are [*Error] or become one by [Flatten].
type Conn interface {
	// Invoke carries an operation with one answer.
	Invoke(context.Context, *Op, *Call, Payload) (Payload, error)
	// Stream carries an operation with a stream of answers.
	Stream(context.Context, *Op, *Call, Payload) iter.Seq2[Payload, error]
	// Close releases the connection. Calls in flight fail with Unavailable.
	// It may be called more than once, at any time, and waits until what the
	// connection started is gone.
	Close() error
}

// Client is a dialed agent.
type Client interface {
	Agent
	// Conn is the connection below, for relays.
	Conn() Conn
	// Close closes the connection.
	Close() error
}

// Local is the Conn of an agent in this process. Local(Remote(c)) is c.
// Closing it closes the agent if that is an io.Closer.
func Local(a Agent) Conn {
	// Only what Remote made: a middleware that embeds a Client is an Agent of its own.
	if r, ok := a.(remote); ok {
		return r.conn
	}
	return local{a}
}

type local struct{ agent Agent }

func (l local) Invoke(ctx context.Context, op *Op, call *Call, p Payload) (Payload, error) {
	if op.Streaming {
		return Payload{}, Errorf(Internal, "%s is a stream", op)
	}
	m, err := p.Message()
	if err != nil {
		return Payload{}, modelError(InvalidParams, err)
	}
	resp, err := op.invoke(ctx, l.agent, call, m)
	if err != nil {
		return Payload{}, err
	}
	if resp == nil || !resp.ProtoReflect().IsValid() {
		return Payload{}, Errorf(InvalidAgentResponse, "%s: the agent gave neither an answer nor an error", op)
	}
	return messagePayload(op.response, resp), nil
}

func (l local) Stream(ctx context.Context, op *Op, call *Call, p Payload) iter.Seq2[Payload, error] {
	return func(yield func(Payload, error) bool) {
		if !op.Streaming {
			yield(Payload{}, Errorf(Internal, "%s is not a stream", op))
			return
		}
		m, err := p.Message()
		if err != nil {
			yield(Payload{}, modelError(InvalidParams, err))
			return
		}
		for ev, err := range op.stream(ctx, l.agent, call, m) {
			switch {
			case err != nil:
				yield(Payload{}, err)
				return
			case ev == nil:
				yield(Payload{}, Errorf(InvalidAgentResponse, "%s: the agent gave neither an event nor an error", op))
				return
			}
			if !yield(messagePayload(op.response, ev), nil) {
				return
			}
		}
	}
}

func (l local) Close() error {
	if c, ok := l.agent.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Remote is the Agent, and Client, at the far end of a Conn. Remote(Local(a))
// answers as a does.
func Remote(c Conn) Client { return remote{c} }

type remote struct{ conn Conn }

var _ Client = remote{}

func (r remote) Conn() Conn   { return r.conn }
func (r remote) Close() error { return r.conn.Close() }

func invoke[Resp proto.Message](ctx context.Context, c Conn, op *Op, call *Call, req proto.Message) (Resp, error) {
	var none Resp
	if call == nil {
		call = new(Call)
	}
	p, err := c.Invoke(ctx, op, call, messagePayload(op.request, req))
	if err != nil {
		return none, err
	}
	m, err := p.Message()
	if err != nil {
		return none, modelError(InvalidAgentResponse, err)
	}
	resp, ok := m.(Resp)
	if !ok {
		return none, Errorf(InvalidAgentResponse, "%s: answer is a %T", op, m)
	}
	return resp, nil
}

func stream(ctx context.Context, c Conn, op *Op, call *Call, req proto.Message) iter.Seq2[*pb.StreamResponse, error] {
	if call == nil {
		call = new(Call)
	}
	return func(yield func(*pb.StreamResponse, error) bool) {
		for p, err := range c.Stream(ctx, op, call, messagePayload(op.request, req)) {
			if err != nil {
				yield(nil, err)
				return
			}
			m, err := p.Message()
			if err != nil {
				yield(nil, modelError(InvalidAgentResponse, err))
				return
			}
			ev, ok := m.(*pb.StreamResponse)
			if !ok {
				yield(nil, Errorf(InvalidAgentResponse, "%s: event is a %T", op, m))
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func (r remote) SendMessage(ctx context.Context, call *Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return invoke[*pb.SendMessageResponse](ctx, r.conn, OpSendMessage, call, req)
}

func (r remote) SendStreamingMessage(ctx context.Context, call *Call, req *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return stream(ctx, r.conn, OpSendStreamingMessage, call, req)
}

func (r remote) GetTask(ctx context.Context, call *Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	return invoke[*pb.Task](ctx, r.conn, OpGetTask, call, req)
}

func (r remote) ListTasks(ctx context.Context, call *Call, req *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return invoke[*pb.ListTasksResponse](ctx, r.conn, OpListTasks, call, req)
}

func (r remote) CancelTask(ctx context.Context, call *Call, req *pb.CancelTaskRequest) (*pb.Task, error) {
	return invoke[*pb.Task](ctx, r.conn, OpCancelTask, call, req)
}

func (r remote) SubscribeToTask(ctx context.Context, call *Call, req *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return stream(ctx, r.conn, OpSubscribeToTask, call, req)
}

func (r remote) CreateTaskPushNotificationConfig(ctx context.Context, call *Call, req *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return invoke[*pb.TaskPushNotificationConfig](ctx, r.conn, OpCreateTaskPushNotificationConfig, call, req)
}

func (r remote) GetTaskPushNotificationConfig(ctx context.Context, call *Call, req *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return invoke[*pb.TaskPushNotificationConfig](ctx, r.conn, OpGetTaskPushNotificationConfig, call, req)
}

func (r remote) ListTaskPushNotificationConfigs(ctx context.Context, call *Call, req *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return invoke[*pb.ListTaskPushNotificationConfigsResponse](ctx, r.conn, OpListTaskPushNotificationConfigs, call, req)
}

func (r remote) DeleteTaskPushNotificationConfig(ctx context.Context, call *Call, req *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return invoke[*emptypb.Empty](ctx, r.conn, OpDeleteTaskPushNotificationConfig, call, req)
}

func (r remote) GetExtendedAgentCard(ctx context.Context, call *Call, req *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return invoke[*pb.AgentCard](ctx, r.conn, OpGetExtendedAgentCard, call, req)
}
