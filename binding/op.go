package binding

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/internal/datamodel"
)

// Capability is what an Agent Card must declare before an operation may be
// called (spec 3.3.4).
type Capability uint8

// The capabilities that operations depend on.
const (
	CapabilityNone Capability = iota
	CapabilityStreaming
	CapabilityPushNotifications
	CapabilityExtendedAgentCard
)

// Op is one row of the specification's method table (spec 5.3). There are
// eleven; they are compared by pointer.
type Op struct {
	// Name is the method's name, verbatim: of the JSON-RPC method and of the gRPC method alike.
	Name string
	// Streaming operations answer with a stream of StreamResponse.
	Streaming bool
	// ReadOnly operations change nothing at the agent, and may be repeated (spec 3.3.1).
	ReadOnly bool
	// Capability is what the agent's card must declare.
	Capability Capability

	request, response *datamodel.Type
	tenant            protoreflect.FieldDescriptor
	check             func(proto.Message) error
	invoke            func(context.Context, Agent, *Call, proto.Message) (proto.Message, error)
	stream            func(context.Context, Agent, *Call, proto.Message) iter.Seq2[*pb.StreamResponse, error]
}

// NewRequest is an empty request message of the operation.
func (o *Op) NewRequest() proto.Message { return o.request.New() }

// NewResponse is an empty response message, or event, of the operation.
func (o *Op) NewResponse() proto.Message { return o.response.New() }

// RequestJSON is a payload of the operation's request in ProtoJSON. The bytes
// must not change afterwards.
func (o *Op) RequestJSON(b []byte) Payload { return jsonPayload(o.request, b) }

// ResponseJSON is a payload of the operation's response, or event, in
// ProtoJSON. The bytes must not change afterwards.
func (o *Op) ResponseJSON(b []byte) Payload { return jsonPayload(o.response, b) }

// String is the operation's name.
func (o *Op) String() string { return o.Name }

// The eleven operations (spec 5.3).
var (
	OpSendMessage = unary("SendMessage", Op{check: checkSend}, Agent.SendMessage)

	OpSendStreamingMessage = streaming("SendStreamingMessage", Op{check: checkSend}, Agent.SendStreamingMessage)

	OpGetTask = unary("GetTask", Op{ReadOnly: true, check: checkGetTask}, Agent.GetTask)

	OpListTasks = unary("ListTasks", Op{ReadOnly: true, check: checkListTasks}, Agent.ListTasks)

	OpCancelTask = unary("CancelTask", Op{}, Agent.CancelTask)

	OpSubscribeToTask = streaming("SubscribeToTask", Op{ReadOnly: true}, Agent.SubscribeToTask)

	OpCreateTaskPushNotificationConfig = unary("CreateTaskPushNotificationConfig",
		Op{Capability: CapabilityPushNotifications, check: checkCreateConfig}, Agent.CreateTaskPushNotificationConfig)

	OpGetTaskPushNotificationConfig = unary("GetTaskPushNotificationConfig",
		Op{ReadOnly: true, Capability: CapabilityPushNotifications}, Agent.GetTaskPushNotificationConfig)

	OpListTaskPushNotificationConfigs = unary("ListTaskPushNotificationConfigs",
		Op{ReadOnly: true, Capability: CapabilityPushNotifications, check: checkListConfigs}, Agent.ListTaskPushNotificationConfigs)

	OpDeleteTaskPushNotificationConfig = unary("DeleteTaskPushNotificationConfig",
		Op{Capability: CapabilityPushNotifications}, Agent.DeleteTaskPushNotificationConfig)

	OpGetExtendedAgentCard = unary("GetExtendedAgentCard",
		Op{ReadOnly: true, Capability: CapabilityExtendedAgentCard}, Agent.GetExtendedAgentCard)
)

var ops = [...]*Op{
	OpSendMessage, OpSendStreamingMessage, OpGetTask, OpListTasks, OpCancelTask, OpSubscribeToTask,
	OpCreateTaskPushNotificationConfig, OpGetTaskPushNotificationConfig, OpListTaskPushNotificationConfigs,
	OpDeleteTaskPushNotificationConfig, OpGetExtendedAgentCard,
}

// Ops are the eleven operations, in the specification's order.
func Ops() []*Op { return append([]*Op(nil), ops[:]...) }

// Lookup is the operation of that name, nil when there is none. Case counts.
func Lookup(name string) *Op {
	for _, o := range ops {
		if o.Name == name {
			return o
		}
	}
	return nil
}

func unary[Req, Resp proto.Message](name string, o Op, f func(Agent, context.Context, *Call, Req) (Resp, error)) *Op {
	var req Req
	var resp Resp
	o.describe(name, req, resp)
	o.invoke = func(ctx context.Context, a Agent, call *Call, m proto.Message) (proto.Message, error) {
		resp, err := f(a, ctx, call, m.(Req))
		if err != nil {
			return nil, err
		}
		return resp, nil
	}
	return &o
}

func streaming[Req proto.Message](name string, o Op, f func(Agent, context.Context, *Call, Req) iter.Seq2[*pb.StreamResponse, error]) *Op {
	var req Req
	o.describe(name, req, (*pb.StreamResponse)(nil))
	o.Streaming, o.Capability = true, CapabilityStreaming
	o.stream = func(ctx context.Context, a Agent, call *Call, m proto.Message) iter.Seq2[*pb.StreamResponse, error] {
		return f(a, ctx, call, m.(Req))
	}
	return &o
}

func (o *Op) describe(name string, req, resp proto.Message) {
	o.Name = name
	o.request, o.response = datamodel.TypeOf(req), datamodel.TypeOf(resp)
	o.tenant = req.ProtoReflect().Descriptor().Fields().ByName("tenant")
}

// The limits that the data model's comments set beyond required fields.

const maxPageSize = 100

func checkSend(m proto.Message) error {
	c := m.(*pb.SendMessageRequest).GetConfiguration()
	if c == nil {
		return nil
	}
	return checkHistoryLength("configuration.historyLength", c.HistoryLength)
}

func checkGetTask(m proto.Message) error {
	return checkHistoryLength("historyLength", m.(*pb.GetTaskRequest).HistoryLength)
}

func checkListTasks(m proto.Message) error {
	r := m.(*pb.ListTasksRequest)
	if r.PageSize != nil && (*r.PageSize < 1 || *r.PageSize > maxPageSize) {
		return InvalidField("pageSize", "must be between 1 and 100, got %d", *r.PageSize)
	}
	return checkHistoryLength("historyLength", r.HistoryLength)
}

func checkListConfigs(m proto.Message) error {
	if n := m.(*pb.ListTaskPushNotificationConfigsRequest).GetPageSize(); n < 0 {
		return InvalidField("pageSize", "must not be negative, got %d", n)
	}
	return nil
}

func checkCreateConfig(m proto.Message) error {
	if m.(*pb.TaskPushNotificationConfig).GetTaskId() == "" {
		return InvalidField("taskId", "is required")
	}
	return nil
}

func checkHistoryLength(field string, n *int32) error {
	if n != nil && *n < 0 {
		return InvalidField(field, "must not be negative, got %d", *n)
	}
	return nil
}
