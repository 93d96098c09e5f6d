package main

import (
	"context"
	"regexp"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// transcript is what an agent said to each operation of one conversation,
// without what differs from one to the next.
type transcript struct {
	said map[*binding.Op]string
	ok   map[*binding.Op]bool
}

// converseTime bounds a conversation.
const converseTime = 20 * time.Second

// passing holds what is made anew each time: ids, times, cursors, addresses.
var passing = regexp.MustCompile(`"(id|taskId|contextId|messageId|artifactId|timestamp|nextPageToken|tenant|url)":"[^"]*"`)

func (t *transcript) note(op *binding.Op, m proto.Message, err error) {
	if err != nil {
		t.said[op] += "error " + string(binding.CodeOf(err)) + ": " + err.Error() + "\n"
		t.ok[op] = false
		return
	}
	if c, ok := m.(*pb.AgentCard); ok {
		c = proto.Clone(c).(*pb.AgentCard)
		c.SupportedInterfaces = nil // a bridge has its own
		m = c
	}
	text, err := binding.MessagePayload(m).JSON()
	if err != nil {
		t.note(op, nil, err)
		return
	}
	if _, failed := t.ok[op]; !failed {
		t.ok[op] = true
	}
	t.said[op] += string(passing.ReplaceAll(text, []byte(`"$1":"…"`))) + "\n"
}

// converse calls each of the eleven operations once, and a few twice.
func converse(ctx context.Context, agent binding.Agent) transcript {
	ctx, cancel := context.WithTimeout(ctx, converseTime)
	defer cancel()
	t := transcript{said: map[*binding.Op]string{}, ok: map[*binding.Op]bool{}}

	done, err := agent.SendMessage(ctx, nil, say("hello"))
	t.note(binding.OpSendMessage, done, err)
	for ev, err := range agent.SendStreamingMessage(ctx, nil, say("stream 3")) {
		t.note(binding.OpSendStreamingMessage, ev, err)
	}
	task, err := agent.GetTask(ctx, nil, &pb.GetTaskRequest{Id: done.GetTask().GetId(), HistoryLength: proto.Int32(1)})
	t.note(binding.OpGetTask, task, err)
	list, err := agent.ListTasks(ctx, nil, &pb.ListTasksRequest{PageSize: proto.Int32(1), IncludeArtifacts: proto.Bool(true)})
	t.note(binding.OpListTasks, list, err)

	waiting, err := agent.SendMessage(ctx, nil, say("input"))
	t.note(binding.OpSendMessage, waiting, err)
	id := waiting.GetTask().GetId()
	made, err := agent.CreateTaskPushNotificationConfig(ctx, nil, &pb.TaskPushNotificationConfig{
		TaskId: id, Url: "https://hooks.example.com/a2awire", Authentication: &pb.AuthenticationInfo{Scheme: "Bearer", Credentials: "example"},
	})
	t.note(binding.OpCreateTaskPushNotificationConfig, made, err)
	config, err := agent.GetTaskPushNotificationConfig(ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: id, Id: made.GetId()})
	t.note(binding.OpGetTaskPushNotificationConfig, config, err)
	configs, err := agent.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: id})
	t.note(binding.OpListTaskPushNotificationConfigs, configs, err)
	gone, err := agent.DeleteTaskPushNotificationConfig(ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: id, Id: made.GetId()})
	t.note(binding.OpDeleteTaskPushNotificationConfig, gone, err)

	canceled := false
	for ev, err := range agent.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: id}) {
		t.note(binding.OpSubscribeToTask, ev, err)
		if !canceled {
			canceled = true
			task, err := agent.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: id})
			t.note(binding.OpCancelTask, task, err)
		}
	}
	card, err := agent.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{})
	t.note(binding.OpGetExtendedAgentCard, card, err)
	return t
}

func say(text string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "demo", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}},
	}}
}
