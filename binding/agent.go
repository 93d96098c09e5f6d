package binding

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Agent answers the eleven A2A operations (spec 3.1, names of 5.3). A local
// agent and a dialed remote one are both Agents, and cannot be told apart but
// by time.
//
// All methods may be called at the same time. A context bounds its call alone.
// Call may be nil. Requests are the agent's to keep, and what it returns is
// the caller's: neither side changes a message after handing it over. Errors
// are or wrap an [*Error]; any other error is an internal one to the caller,
// who is not told its text.
//
// Streams are lazy and single use: nothing happens until they are ranged over.
// They yield at most one error, and that last, with a nil message; a message
// is nil exactly when there is an error. Leaving the loop, or ending the
// context, releases everything before the loop statement returns, and does not
// cancel the task (spec 3.5.2). A stream that ends without an error ended
// because the agent ended it; a lost connection is an error.
type Agent interface {
	// SendMessage is spec 3.1.1.
	SendMessage(context.Context, *Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error)
	// SendStreamingMessage is spec 3.1.2. The first event is a Task or the only Message.
	SendStreamingMessage(context.Context, *Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error]
	// GetTask is spec 3.1.3.
	GetTask(context.Context, *Call, *pb.GetTaskRequest) (*pb.Task, error)
	// ListTasks is spec 3.1.4.
	ListTasks(context.Context, *Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error)
	// CancelTask is spec 3.1.5.
	CancelTask(context.Context, *Call, *pb.CancelTaskRequest) (*pb.Task, error)
	// SubscribeToTask is spec 3.1.6. The first event is the Task as it is now.
	SubscribeToTask(context.Context, *Call, *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error]
	// CreateTaskPushNotificationConfig is spec 3.1.7.
	CreateTaskPushNotificationConfig(context.Context, *Call, *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error)
	// GetTaskPushNotificationConfig is spec 3.1.8.
	GetTaskPushNotificationConfig(context.Context, *Call, *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error)
	// ListTaskPushNotificationConfigs is spec 3.1.9.
	ListTaskPushNotificationConfigs(context.Context, *Call, *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error)
	// DeleteTaskPushNotificationConfig is spec 3.1.10. It is idempotent.
	DeleteTaskPushNotificationConfig(context.Context, *Call, *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error)
	// GetExtendedAgentCard is spec 3.1.11.
	GetExtendedAgentCard(context.Context, *Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error)
}

// Unimplemented is an Agent that answers every operation with
// UnsupportedOperationError. Embed it, and write the operations the agent has.
type Unimplemented struct{}

var _ Agent = Unimplemented{}

func unsupported(op *Op) error {
	return Errorf(UnsupportedOperation, "%s is not supported by this agent", op.Name)
}

func unsupportedStream(op *Op) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) { yield(nil, unsupported(op)) }
}

// SendMessage answers UnsupportedOperationError.
func (Unimplemented) SendMessage(context.Context, *Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return nil, unsupported(OpSendMessage)
}

// SendStreamingMessage answers UnsupportedOperationError.
func (Unimplemented) SendStreamingMessage(context.Context, *Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return unsupportedStream(OpSendStreamingMessage)
}

// GetTask answers UnsupportedOperationError.
func (Unimplemented) GetTask(context.Context, *Call, *pb.GetTaskRequest) (*pb.Task, error) {
	return nil, unsupported(OpGetTask)
}

// ListTasks answers UnsupportedOperationError.
func (Unimplemented) ListTasks(context.Context, *Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return nil, unsupported(OpListTasks)
}

// CancelTask answers UnsupportedOperationError.
func (Unimplemented) CancelTask(context.Context, *Call, *pb.CancelTaskRequest) (*pb.Task, error) {
	return nil, unsupported(OpCancelTask)
}

// SubscribeToTask answers UnsupportedOperationError.
func (Unimplemented) SubscribeToTask(context.Context, *Call, *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return unsupportedStream(OpSubscribeToTask)
}

// CreateTaskPushNotificationConfig answers UnsupportedOperationError.
func (Unimplemented) CreateTaskPushNotificationConfig(context.Context, *Call, *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return nil, unsupported(OpCreateTaskPushNotificationConfig)
}

// GetTaskPushNotificationConfig answers UnsupportedOperationError.
func (Unimplemented) GetTaskPushNotificationConfig(context.Context, *Call, *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return nil, unsupported(OpGetTaskPushNotificationConfig)
}

// ListTaskPushNotificationConfigs answers UnsupportedOperationError.
func (Unimplemented) ListTaskPushNotificationConfigs(context.Context, *Call, *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return nil, unsupported(OpListTaskPushNotificationConfigs)
}

// DeleteTaskPushNotificationConfig answers UnsupportedOperationError.
func (Unimplemented) DeleteTaskPushNotificationConfig(context.Context, *Call, *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return nil, unsupported(OpDeleteTaskPushNotificationConfig)
}

// GetExtendedAgentCard answers UnsupportedOperationError.
func (Unimplemented) GetExtendedAgentCard(context.Context, *Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return nil, unsupported(OpGetExtendedAgentCard)
}
