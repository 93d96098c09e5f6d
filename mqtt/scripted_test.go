package mqtt_test

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

// scripted answers each operation with one fixed answer.
type scripted struct{ binding.Unimplemented }

func task() *pb.Task {
	return &pb.Task{Id: "t-1", ContextId: "c-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}
}

func config() *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Id: "p-1", TaskId: "t-1", Url: "https://hooks.example.com/x"}
}

func message(id string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: id, Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hi"}}}}}
}

func (scripted) SendMessage(_ context.Context, call *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	call.ActivateExtensions(call.Extensions()...)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: r.GetMessage()}}, nil
}

func (scripted) SendStreamingMessage(ctx context.Context, call *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if r.GetMessage().GetMessageId() == "early" {
			yield(nil, binding.ErrContentTypeNotSupported)
			return
		}
		call.ActivateExtensions(call.Extensions()...)
		if r.GetMessage().GetMessageId() == "left" {
			if yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil) {
				<-ctx.Done()
			}
			return
		}
		_ = yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil) &&
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: "t-1", ContextId: "c-1", Status: task().Status}}}, nil) &&
			r.GetMessage().GetMessageId() == "late" && yield(nil, binding.Errorf(binding.Internal, "boom"))
	}
}

func (scripted) GetTask(_ context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	if r.GetId() == "nope" {
		return nil, binding.Errorf(binding.TaskNotFound, "no task nope").WithInfo("taskId", "nope")
	}
	return task(), nil
}

func (scripted) ListTasks(context.Context, *binding.Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return &pb.ListTasksResponse{PageSize: 50}, nil
}

func (scripted) CancelTask(context.Context, *binding.Call, *pb.CancelTaskRequest) (*pb.Task, error) {
	return nil, binding.ErrTaskNotCancelable
}

func (scripted) SubscribeToTask(context.Context, *binding.Call, *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil)
	}
}

func (scripted) CreateTaskPushNotificationConfig(context.Context, *binding.Call, *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (scripted) GetTaskPushNotificationConfig(context.Context, *binding.Call, *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (scripted) ListTaskPushNotificationConfigs(context.Context, *binding.Call, *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config()}}, nil
}

func (scripted) DeleteTaskPushNotificationConfig(context.Context, *binding.Call, *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return new(emptypb.Empty), nil
}

func (scripted) GetExtendedAgentCard(_ context.Context, call *binding.Call, _ *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	if call.Credential == "" {
		return nil, binding.ErrUnauthenticated
	}
	return card("Extended"), nil
}
