package golden

import (
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

func message(id string, role pb.Role, text string) *pb.Message {
	return &pb.Message{MessageId: id, Role: role, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}
}

func send(text string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: message("m-1", pb.Role_ROLE_USER, text)}
}

func status(state pb.TaskState) *pb.TaskStatus {
	return &pb.TaskStatus{State: state, Timestamp: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC))}
}

func task(state pb.TaskState) *pb.Task {
	return &pb.Task{Id: "t-1", ContextId: "c-1", Status: status(state)}
}

func config() *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Id: "p-1", TaskId: "t-1", Url: "https://hook.example/n", Token: "tok-1",
		Authentication: &pb.AuthenticationInfo{Scheme: "Bearer", Credentials: "s3cr3t"}}
}

func metadata(key string, v *structpb.Value) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{key: v}}
}

func artifact() *pb.Artifact {
	return &pb.Artifact{ArtifactId: "a-1", Parts: []*pb.Part{
		{Content: &pb.Part_Raw{Raw: []byte{0xfb, 0xff, 0}}, MediaType: "application/octet-stream", Filename: "x.bin"},
		{Content: &pb.Part_Url{Url: "https://files.example/x"}},
		{Content: &pb.Part_Data{Data: structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewNumberValue(1.5), structpb.NewNullValue()}})}},
	}}
}

func card() *pb.AgentCard {
	return &pb.AgentCard{
		Name: "agent", Description: "of the goldens", Version: "1",
		SupportedInterfaces: []*pb.AgentInterface{{Url: "https://agent.example", ProtocolBinding: "GRPC", ProtocolVersion: binding.Version}},
		Capabilities:        &pb.AgentCapabilities{Streaming: proto.Bool(false)},
		DefaultInputModes:   []string{"text/plain"},
	}
}

// operations are every operation, in the specification's order, and requests
// whose fields travel in a way of their own on some wire.
func operations() []*call {
	return []*call{
		{
			name: "SendMessage", op: binding.OpSendMessage,
			beside: binding.Call{Params: binding.Params{"a2a-extensions": "https://ext.example/a, https://ext.example/b", "x-trace": "1"}, Credential: "Bearer s3cr3t"},
			req:    &pb.SendMessageRequest{Message: message("m-1", pb.Role_ROLE_USER, "hi <&> ü"), Configuration: &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0)}},
			reply:  binding.Params{"a2a-extensions": "https://ext.example/a"},
			answer: &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: message("a-1", pb.Role_ROLE_AGENT, "hello")}},
		},
		{
			name: "SendMessage, for a tenant, answered with a task", op: binding.OpSendMessage,
			req: &pb.SendMessageRequest{Tenant: "a/b", Message: message("m-1", pb.Role_ROLE_USER, "hi"), Metadata: metadata("deep", structpb.NewStructValue(metadata("n", structpb.NewNumberValue(1))))},
			answer: &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: &pb.Task{Id: "t-1", ContextId: "c-1", Status: status(pb.TaskState_TASK_STATE_COMPLETED),
				Artifacts: []*pb.Artifact{artifact()}, History: []*pb.Message{message("m-1", pb.Role_ROLE_USER, "hi")}}}},
		},
		{
			name: "SendStreamingMessage", op: binding.OpSendStreamingMessage, req: send("hi"),
			events: []*pb.StreamResponse{started(), finished()},
		},
		{
			name: "GetTask", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "t-1", HistoryLength: proto.Int32(0)},
			answer: task(pb.TaskState_TASK_STATE_WORKING),
		},
		{
			name: "GetTask, of an id that needs escaping", op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "a/b?c:cancel"},
			answer: task(pb.TaskState_TASK_STATE_WORKING),
		},
		{
			name: "ListTasks", op: binding.OpListTasks, req: &pb.ListTasksRequest{},
			answer: &pb.ListTasksResponse{PageSize: 50},
		},
		{
			name: "ListTasks, every filter", op: binding.OpListTasks,
			req: &pb.ListTasksRequest{
				Tenant: "tasks", ContextId: "c 1", Status: pb.TaskState_TASK_STATE_WORKING, PageSize: proto.Int32(2), PageToken: "p=1", HistoryLength: proto.Int32(0),
				StatusTimestampAfter: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), IncludeArtifacts: proto.Bool(false),
			},
			answer: &pb.ListTasksResponse{Tasks: []*pb.Task{task(pb.TaskState_TASK_STATE_WORKING)}, NextPageToken: "p=2", PageSize: 2, TotalSize: 7},
		},
		{
			name: "CancelTask", op: binding.OpCancelTask,
			req:    &pb.CancelTaskRequest{Id: "t-1", Tenant: "acme", Metadata: metadata("why", structpb.NewStringValue("late"))},
			answer: task(pb.TaskState_TASK_STATE_CANCELED),
		},
		{
			name: "SubscribeToTask", op: binding.OpSubscribeToTask, req: &pb.SubscribeToTaskRequest{Id: "t-1", Tenant: "acme"},
			events: []*pb.StreamResponse{started(), finished()},
		},
		{name: "CreateTaskPushNotificationConfig", op: binding.OpCreateTaskPushNotificationConfig, req: config(), answer: config()},
		{
			name: "GetTaskPushNotificationConfig", op: binding.OpGetTaskPushNotificationConfig,
			req: &pb.GetTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"}, answer: config(),
		},
		{
			name: "ListTaskPushNotificationConfigs", op: binding.OpListTaskPushNotificationConfigs,
			req:    &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t-1", PageSize: 1, PageToken: "p1"},
			answer: &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config()}, NextPageToken: "p2"},
		},
		{
			name: "DeleteTaskPushNotificationConfig", op: binding.OpDeleteTaskPushNotificationConfig,
			req: &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"}, answer: &emptypb.Empty{},
		},
		{name: "GetExtendedAgentCard", op: binding.OpGetExtendedAgentCard, req: &pb.GetExtendedAgentCardRequest{Tenant: "acme"}, answer: card()},
	}
}

// failures are every row of the table of errors, as an agent says them, and
// errors with more to them.
func failures() (all []*call) {
	get := func(name string, err error) *call {
		return &call{name: name, op: binding.OpGetTask, req: &pb.GetTaskRequest{Id: "t-1"}, err: err}
	}
	for _, row := range errmap.Table() {
		all = append(all, get(string(row.Code), &binding.Error{Code: row.Code}))
	}
	details := get("every detail", binding.Errorf(binding.TaskNotFound, "no task %q", "t-1").WithInfo("taskId", "t-1").With(
		&errdetails.RetryInfo{RetryDelay: durationpb.New(90 * time.Second)},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "id", Description: "is unknown"}}},
		metadata("n", structpb.NewNumberValue(1)),
	))
	details.reply = binding.Params{"x-node": "7"}
	return append(all, details,
		get("a challenge", binding.ErrUnauthenticated.WithInfo("wwwAuthenticate", `Bearer realm="a2a"`)),
		&call{name: "a field that the server refuses", op: binding.OpListTasks, req: &pb.ListTasksRequest{PageSize: proto.Int32(101)}, instead: binding.ErrInvalidParams},
		&call{name: "an answer that is none", op: binding.OpSendMessage, req: send("hi"), answer: &pb.SendMessageResponse{}, instead: binding.ErrInvalidAgentResponse},
	)
}

func event(state pb.TaskState) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: "t-1", ContextId: "c-1", Status: status(state)}}}
}

func started() *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task(pb.TaskState_TASK_STATE_WORKING)}}
}

func finished() *pb.StreamResponse { return event(pb.TaskState_TASK_STATE_COMPLETED) }

// long is longer than any bound of a whole request, and no multiple of the time
// between keep-alives: what happens at the same instant has no order.
const long = 4*time.Minute + 5*time.Second

// streams are the ways in which streams go.
func streams() (all []*call) {
	for _, op := range binding.Ops() {
		var req proto.Message = send("hi")
		switch {
		case !op.Streaming:
			continue
		case op == binding.OpSubscribeToTask:
			req = &pb.SubscribeToTaskRequest{Id: "t-1"}
		}
		all = append(all,
			&call{
				name: op.Name + ", every kind of event", op: op, req: req, reply: binding.Params{"a2a-extensions": "https://ext.example/a"},
				events: []*pb.StreamResponse{
					started(), event(pb.TaskState_TASK_STATE_INPUT_REQUIRED),
					{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{TaskId: "t-1", ContextId: "c-1", Artifact: artifact(), LastChunk: true}}},
					finished(),
				},
			},
			&call{name: op.Name + ", an error before the first event", op: op, req: req, err: binding.ErrUnsupportedOperation, reply: binding.Params{"x-node": "7"}},
			&call{name: op.Name + ", an error in the stream", op: op, req: req, events: []*pb.StreamResponse{started()}, err: binding.Errorf(binding.Unavailable, "the model is gone")},
			&call{name: op.Name + ", left by the client", op: op, req: req, events: []*pb.StreamResponse{started()}, leave: 1},
			&call{name: op.Name + ", silent for over four minutes", op: op, req: req, events: []*pb.StreamResponse{started(), finished()}, silence: long},
		)
	}
	return append(all, &call{
		name: "SendStreamingMessage, a message alone", op: binding.OpSendStreamingMessage, req: send("hi"),
		events: []*pb.StreamResponse{{Payload: &pb.StreamResponse_Message{Message: message("a-1", pb.Role_ROLE_AGENT, "hello")}}},
	})
}
