package ws_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

// agent answers as its functions say, and otherwise with one fixed answer for
// each operation.
type agent struct {
	binding.Unimplemented
	get    func(context.Context, *binding.Call, *pb.GetTaskRequest) (*pb.Task, error)
	stream func(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error]
}

func task(id string) *pb.Task {
	return &pb.Task{Id: id, ContextId: "c-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}
}

func taskEvent(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task(id)}}
}

func textEvent(id, text string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
		TaskId: id, ContextId: "c-1",
		Artifact: &pb.Artifact{ArtifactId: "a-1", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}}}}
}

func doneEvent(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
		TaskId: id, ContextId: "c-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}}}
}

func config() *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Id: "p-1", TaskId: "t-1", Url: "https://hooks.example.com/x"}
}

func get(id string) *pb.GetTaskRequest { return &pb.GetTaskRequest{Id: id} }

func message(text string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m-1", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}}
}

func (*agent) SendMessage(_ context.Context, call *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	call.ActivateExtensions(call.Extensions()...)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: r.GetMessage()}}, nil
}

// SendStreamingMessage gives a task and N more events for "stream N", never
// ends "for ever", and fails "early" before the first event and "late" behind it.
func (a *agent) SendStreamingMessage(ctx context.Context, call *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	if a.stream != nil {
		return a.stream(ctx, call, r)
	}
	text := r.GetMessage().GetParts()[0].GetText()
	return func(yield func(*pb.StreamResponse, error) bool) {
		call.ActivateExtensions(call.Extensions()...)
		if text == "early" {
			yield(nil, binding.ErrContentTypeNotSupported)
			return
		}
		if !yield(taskEvent("t-1"), nil) {
			return
		}
		switch text {
		case "late":
			yield(nil, binding.Errorf(binding.Unavailable, "the model is gone"))
			return
		case "for ever":
			<-ctx.Done()
			return
		}
		n := 0
		_, _ = fmt.Sscanf(text, "stream %d", &n)
		for i := range n {
			if !yield(textEvent("t-1", fmt.Sprint("chunk ", i+1)), nil) {
				return
			}
		}
		yield(doneEvent("t-1"), nil)
	}
}

// GetTask waits for its end for "wait", and gives the error for a name in
// capitals.
func (a *agent) GetTask(ctx context.Context, call *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	switch id := r.GetId(); {
	case a.get != nil:
		return a.get(ctx, call, r)
	case id == "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case id == "nope":
		return nil, binding.Errorf(binding.TaskNotFound, "no task nope").WithInfo("taskId", "nope")
	case id == strings.ToUpper(id):
		return nil, &binding.Error{Code: binding.Code(id)}
	default:
		return task(id), nil
	}
}

func (*agent) ListTasks(context.Context, *binding.Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return &pb.ListTasksResponse{PageSize: 50}, nil
}

func (*agent) CancelTask(context.Context, *binding.Call, *pb.CancelTaskRequest) (*pb.Task, error) {
	return nil, binding.ErrTaskNotCancelable
}

func (*agent) SubscribeToTask(_ context.Context, _ *binding.Call, r *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		_ = yield(taskEvent(r.GetId()), nil) && yield(doneEvent(r.GetId()), nil)
	}
}

func (*agent) CreateTaskPushNotificationConfig(context.Context, *binding.Call, *pb.TaskPushNotificationConfig) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (*agent) GetTaskPushNotificationConfig(context.Context, *binding.Call, *pb.GetTaskPushNotificationConfigRequest) (*pb.TaskPushNotificationConfig, error) {
	return config(), nil
}

func (*agent) ListTaskPushNotificationConfigs(context.Context, *binding.Call, *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	return &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config()}}, nil
}

func (*agent) DeleteTaskPushNotificationConfig(context.Context, *binding.Call, *pb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (*agent) GetExtendedAgentCard(context.Context, *binding.Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return &pb.AgentCard{Name: "Agent", Description: "Answers.", Version: "1", Capabilities: &pb.AgentCapabilities{},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		SupportedInterfaces: []*pb.AgentInterface{{Url: "wss://agent.example.com/a2a", ProtocolBinding: "WEBSOCKET", ProtocolVersion: "1.0"}},
		Skills:              []*pb.AgentSkill{{Id: "s", Name: "S", Description: "It does.", Tags: []string{"x"}}}}, nil
}
