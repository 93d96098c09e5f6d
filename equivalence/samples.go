package equivalence

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

// The least messages that the data model takes, and agents that give them.

// fullCard is the card that scenarios start from: every capability.
func fullCard() *pb.AgentCard {
	return &pb.AgentCard{
		Name: "equivalence", Description: "a scripted agent", Version: "1",
		SupportedInterfaces: []*pb.AgentInterface{{Url: "https://agent.example", ProtocolBinding: "JSONRPC", ProtocolVersion: binding.Version}},
		Capabilities: &pb.AgentCapabilities{
			Streaming: proto.Bool(true), PushNotifications: proto.Bool(true), ExtendedAgentCard: proto.Bool(true),
		},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []*pb.AgentSkill{{Id: "s", Name: "skill", Description: "a skill", Tags: []string{"test"}}},
	}
}

func textPart(s string) *pb.Part { return &pb.Part{Content: &pb.Part_Text{Text: s}} }

func message(id string, role pb.Role, parts ...*pb.Part) *pb.Message {
	return &pb.Message{MessageId: id, Role: role, Parts: parts}
}

// text is a message of the agent.
func text(id, s string) *pb.Message { return message(id, pb.Role_ROLE_AGENT, textPart(s)) }

// send is a request with one text part.
func send(id, s string) *pb.SendMessageRequest { return sendParts(id, textPart(s)) }

func sendParts(id string, parts ...*pb.Part) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: message(id, pb.Role_ROLE_USER, parts...)}
}

func taskIn(id string, state pb.TaskState) *pb.Task {
	return &pb.Task{Id: id, ContextId: "c", Status: &pb.TaskStatus{State: state}}
}

func task(id string) *pb.Task { return taskIn(id, pb.TaskState_TASK_STATE_WORKING) }

func event(m proto.Message) *pb.StreamResponse {
	switch m := m.(type) {
	case *pb.Task:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: m}}
	case *pb.Message:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: m}}
	case *pb.TaskStatusUpdateEvent:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: m}}
	case *pb.TaskArtifactUpdateEvent:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: m}}
	}
	return new(pb.StreamResponse)
}

func taskEvent(id string) *pb.StreamResponse { return event(task(id)) }

func status(id string, state pb.TaskState) *pb.StreamResponse {
	return event(&pb.TaskStatusUpdateEvent{TaskId: id, ContextId: "c", Status: &pb.TaskStatus{State: state}})
}

func completed(id string) *pb.StreamResponse { return status(id, pb.TaskState_TASK_STATE_COMPLETED) }

// chunk is the i-th piece of a task's artifact.
func chunk(id string, i int, s string) *pb.StreamResponse {
	return event(&pb.TaskArtifactUpdateEvent{
		TaskId: id, ContextId: "c", Append: i > 0,
		Artifact: &pb.Artifact{ArtifactId: "a", Name: fmt.Sprint(i), Parts: []*pb.Part{textPart(s)}},
	})
}

// place is a chunk's i, -1 for other events.
func place(ev *pb.StreamResponse) int {
	i := -1
	_, _ = fmt.Sscan(ev.GetArtifactUpdate().GetArtifact().GetName(), &i)
	return i
}

// minimal are the least requests and answers of the operations. Streams answer
// with events instead.
var minimal = map[*binding.Op]struct {
	request, answer func() proto.Message
}{
	binding.OpSendMessage: {
		func() proto.Message { return send("m", "hello") },
		func() proto.Message {
			return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: task("t")}}
		},
	},
	binding.OpSendStreamingMessage: {func() proto.Message { return send("m", "hello") }, nil},
	binding.OpGetTask: {
		func() proto.Message { return &pb.GetTaskRequest{Id: "t"} },
		func() proto.Message { return task("t") },
	},
	binding.OpListTasks: {
		func() proto.Message { return &pb.ListTasksRequest{} },
		func() proto.Message { return &pb.ListTasksResponse{} },
	},
	binding.OpCancelTask: {
		func() proto.Message { return &pb.CancelTaskRequest{Id: "t"} },
		func() proto.Message { return taskIn("t", pb.TaskState_TASK_STATE_CANCELED) },
	},
	binding.OpSubscribeToTask: {func() proto.Message { return &pb.SubscribeToTaskRequest{Id: "t"} }, nil},
	binding.OpCreateTaskPushNotificationConfig: {
		func() proto.Message {
			return &pb.TaskPushNotificationConfig{TaskId: "t", Url: "https://hook.example/n"}
		},
		func() proto.Message {
			return &pb.TaskPushNotificationConfig{Id: "p", TaskId: "t", Url: "https://hook.example/n"}
		},
	},
	binding.OpGetTaskPushNotificationConfig: {
		func() proto.Message { return &pb.GetTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"} },
		func() proto.Message {
			return &pb.TaskPushNotificationConfig{Id: "p", TaskId: "t", Url: "https://hook.example/n"}
		},
	},
	binding.OpListTaskPushNotificationConfigs: {
		func() proto.Message { return &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t"} },
		func() proto.Message { return &pb.ListTaskPushNotificationConfigsResponse{} },
	},
	binding.OpDeleteTaskPushNotificationConfig: {
		func() proto.Message { return &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"} },
		func() proto.Message { return &emptypb.Empty{} },
	},
	binding.OpGetExtendedAgentCard: {
		func() proto.Message { return &pb.GetExtendedAgentCardRequest{} },
		func() proto.Message { return fullCard() },
	},
}

// request is the least request of an operation.
func request(op *binding.Op) proto.Message { return minimal[op].request() }

// answersMinimal answers every operation with its least answer.
func answersMinimal(v *visit) (proto.Message, error) { return minimal[v.op].answer(), nil }

// answers gives one message, always.
func answers(m proto.Message) func(*visit) (proto.Message, error) {
	return func(*visit) (proto.Message, error) { return m, nil }
}

// fails gives one error, always.
func fails(err error) func(*visit) (proto.Message, error) {
	return func(*visit) (proto.Message, error) { return nil, err }
}

// emits emits events and then ends with the error, which may be nil.
func emits(err error, evs ...*pb.StreamResponse) func(*visit, func(*pb.StreamResponse) bool) error {
	return func(_ *visit, emit func(*pb.StreamResponse) bool) error {
		for _, ev := range evs {
			if !emit(ev) {
				return nil
			}
		}
		return err
	}
}

// emitsMinimal is a stream of the least task and its end.
func emitsMinimal(_ *visit, emit func(*pb.StreamResponse) bool) error {
	_ = emit(taskEvent("t")) && emit(completed("t"))
	return nil
}

// agrees makes an agent that does everything, of least answers.
func agrees(p *play) { p.answer, p.stream = answersMinimal, emitsMinimal }

// do makes a call of either kind and is its error.
func (c *talk) do(op *binding.Op, call *binding.Call, req proto.Message) *binding.Error {
	if op.Streaming {
		_, e := c.stream(op, call, req, nil)
		return e
	}
	_, e := c.invoke(op, call, req)
	return e
}

// classes are operations that stand for all, where running the eleven shows no more.
var classes = []*binding.Op{
	binding.OpSendMessage, binding.OpSendStreamingMessage, binding.OpGetTask, binding.OpSubscribeToTask, binding.OpListTaskPushNotificationConfigs,
}
