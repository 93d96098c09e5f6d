//go:build interop

package sdk

import (
	"crypto/rand"
	"encoding/json"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// fullTalk is our conversation with an agent that can do everything.
func fullTalk(k *talk) {
	k.card()
	k.sending()
	k.mirrors()
	k.turns()
	k.lists()
	k.cancelling()
	k.streams()
	k.pushing()
	k.errors()
}

func (k *talk) card() {
	card, err := k.client.GetExtendedAgentCard(k.ctx, nil, &pb.GetExtendedAgentCardRequest{})
	require.NoError(k.t, err)
	both, err := json.Marshal(map[string]json.RawMessage{"public": k.json(k.public), "extended": k.json(card)})
	require.NoError(k.t, err)
	k.outcomes = append(k.outcomes, Outcome{Step: "card", OK: true, Result: both})
}

func (k *talk) sending() {
	k.step("send echo", got(k.send(nil, say("echo hello"))))
	k.step("send message", got(k.send(nil, say("message hello"))))
	k.step("send unicode", got(k.send(nil, say("echo "+leg.Unicode))))
	k.step("send large", got(k.send(nil, say(LargeText()))))
	forgetful := &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0)}
	k.step("send without history", got(k.send(nil, configured(say("echo hello"), forgetful))))
	k.step("fail", got(k.send(nil, say("fail"))))
	k.step("reject", got(k.send(nil, say("reject"))))
}

func (k *talk) mirrors() {
	raw := &pb.Part{Content: &pb.Part_Raw{Raw: EveryByte()}, MediaType: "application/octet-stream"}
	k.step("mirror raw", got(k.send(nil, say("mirror", raw))))

	list, err := structpb.NewValue(map[string]any{"list": []any{1, 2.5, nil, true, "x", map[string]any{"deep": map[string]any{}}}})
	require.NoError(k.t, err)
	k.step("mirror data", got(k.send(nil, say("mirror", &pb.Part{Content: &pb.Part_Data{Data: list}}))))

	metadata, err := structpb.NewStruct(map[string]any{"https://ext.example/k": []any{"a", 1}})
	require.NoError(k.t, err)
	k.step("mirror metadata", got(k.send(nil, with(say("mirror"), func(r *pb.SendMessageRequest) { r.Metadata = metadata }))))
	k.step("mirror tenant", got(k.send(nil, with(say("mirror"), func(r *pb.SendMessageRequest) { r.Tenant = "acme" }))))

	call := naming(leg.ExtensionGeo + ", " + ExtensionCite)
	k.step("mirror extensions", got(k.send(call, say("mirror"))))
	activated, err := json.Marshal(binding.SplitList(call.Reply.Get(binding.ParamExtensions)))
	require.NoError(k.t, err)
	k.outcomes = append(k.outcomes, Outcome{Step: "activated extensions", OK: true, Result: activated})
}

func (k *talk) turns() {
	waiting, err := k.send(nil, say("input"))
	k.step("input", answer{waiting, err})
	id := waiting.GetTask().GetId()
	k.step("input answer", got(k.send(nil, with(say("more"), func(r *pb.SendMessageRequest) { r.Message.TaskId = id }))))
	for name, n := range map[string]*int32{"all": nil, "one": proto.Int32(1), "none": proto.Int32(0)} {
		k.step("history "+name, got(k.client.GetTask(k.ctx, nil, &pb.GetTaskRequest{Id: id, HistoryLength: n})))
	}
}

func (k *talk) lists() {
	contextID := "context-" + rand.Text()
	in := func(r *pb.SendMessageRequest) { r.Message.ContextId = contextID }
	k.task(with(say("echo one"), in))
	last := k.task(with(say("echo two"), in))

	k.step("get", got(k.client.GetTask(k.ctx, nil, &pb.GetTaskRequest{Id: last.GetId()})))
	k.step("get unknown", got(k.client.GetTask(k.ctx, nil, &pb.GetTaskRequest{Id: "no such task"})))
	k.step("list", got(k.client.ListTasks(k.ctx, nil, &pb.ListTasksRequest{ContextId: contextID, IncludeArtifacts: proto.Bool(true)})))
	first, err := k.client.ListTasks(k.ctx, nil, &pb.ListTasksRequest{ContextId: contextID, PageSize: proto.Int32(1)})
	k.step("list page one", answer{first, err})
	k.step("list page two", got(k.client.ListTasks(k.ctx, nil, &pb.ListTasksRequest{
		ContextId: contextID, PageSize: proto.Int32(1), PageToken: first.GetNextPageToken(),
	})))
	k.step("list by status", got(k.client.ListTasks(k.ctx, nil, &pb.ListTasksRequest{
		ContextId: contextID, Status: pb.TaskState_TASK_STATE_FAILED,
	})))
	k.step("list too many", got(k.client.ListTasks(k.ctx, nil, &pb.ListTasksRequest{ContextId: contextID, PageSize: proto.Int32(1000)})))
	k.step("cancel finished", got(k.cancel(last.GetId())))
	k.stream("subscribe finished", k.client.SubscribeToTask(k.ctx, nil, &pb.SubscribeToTaskRequest{Id: last.GetId()}), nil)
}

func (k *talk) cancelling() {
	working, err := k.send(nil, configured(say("long 60"), &pb.SendMessageConfiguration{ReturnImmediately: true}))
	k.step("send and return", answer{working, err})
	id := working.GetTask().GetId()
	var canceled *pb.Task
	cancelAtFirst := func(_ *pb.StreamResponse, n int) bool {
		if n == 1 {
			canceled, err = k.cancel(id)
		}
		return false
	}
	k.stream("subscribe", k.client.SubscribeToTask(k.ctx, nil, &pb.SubscribeToTaskRequest{Id: id}), cancelAtFirst)
	k.step("cancel", answer{&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: canceled}}, err})
	k.step("cancel unknown", got(k.cancel("no such task")))
	k.stream("subscribe unknown", k.client.SubscribeToTask(k.ctx, nil, &pb.SubscribeToTaskRequest{Id: "no such task"}), nil)
}

func (k *talk) streams() {
	stream := k.client.SendStreamingMessage
	k.stream("stream", stream(k.ctx, nil, say("stream 3")), nil)
	k.stream("stream message", stream(k.ctx, nil, say("message hello")), nil)
	k.stream("stream large", stream(k.ctx, nil, say(LargeText())), nil)
	var id string
	k.stream("stream left", stream(k.ctx, nil, say("long 60")), func(ev *pb.StreamResponse, n int) bool {
		if n == 1 {
			id = ev.GetTask().GetId()
		}
		return n == 2
	})
	k.step("stream left goes on", got(k.client.GetTask(k.ctx, nil, &pb.GetTaskRequest{Id: id})))
	_, err := k.cancel(id)
	require.NoError(k.t, err)
}

func (k *talk) pushing() {
	taskID := k.task(say("input")).GetId()
	config := func(task string) *pb.TaskPushNotificationConfig {
		return &pb.TaskPushNotificationConfig{
			TaskId: task, Id: PushID, Url: Webhook, Token: "secret",
			Authentication: &pb.AuthenticationInfo{Scheme: "Bearer", Credentials: "abc"},
		}
	}
	get := func() answer {
		req := &pb.GetTaskPushNotificationConfigRequest{TaskId: taskID, Id: PushID}
		return got(k.client.GetTaskPushNotificationConfig(k.ctx, nil, req))
	}
	list := func() answer {
		req := &pb.ListTaskPushNotificationConfigsRequest{TaskId: taskID}
		return got(k.client.ListTaskPushNotificationConfigs(k.ctx, nil, req))
	}
	remove := func() answer {
		req := &pb.DeleteTaskPushNotificationConfigRequest{TaskId: taskID, Id: PushID}
		return got(k.client.DeleteTaskPushNotificationConfig(k.ctx, nil, req))
	}
	k.step("push create", got(k.client.CreateTaskPushNotificationConfig(k.ctx, nil, config(taskID))))
	k.step("push get", get())
	k.step("push list", list())
	deleted := remove()
	if deleted.err == nil {
		deleted = remove() // is no error either
	}
	k.step("push delete", deleted)
	k.step("push list deleted", list())
	k.step("push get deleted", get())
	k.step("push unknown", got(k.client.CreateTaskPushNotificationConfig(k.ctx, nil, config("no such task"))))
}

func (k *talk) errors() {
	k.step("missing messageId", got(k.send(nil, with(say("echo"), func(r *pb.SendMessageRequest) { r.Message.MessageId = "" }))))
	k.step("missing parts", got(k.send(nil, with(say("echo"), func(r *pb.SendMessageRequest) { r.Message.Parts = nil }))))
	k.step("version", got(k.send(&binding.Call{Params: binding.Params{binding.ParamVersion: "9.9"}}, say("echo"))))
}

// strictTalk is our conversation with an agent that has neither streams, nor
// push notifications, nor an extended card, and requires an extension.
func strictTalk(k *talk) {
	named := func() *binding.Call { return naming(ExtensionRequired) }
	sent, err := k.send(named(), say("echo hello"))
	k.step("strict send", answer{sent, err})
	id := sent.GetTask().GetId()
	k.step("strict large", got(k.send(named(), say(LargeText()))))
	k.step("strict unnamed", got(k.send(nil, say("echo hello"))))
	k.stream("strict stream", k.client.SendStreamingMessage(k.ctx, named(), say("echo hello")), nil)
	k.stream("strict subscribe", k.client.SubscribeToTask(k.ctx, named(), &pb.SubscribeToTaskRequest{Id: id}), nil)
	k.step("strict card", got(k.client.GetExtendedAgentCard(k.ctx, named(), &pb.GetExtendedAgentCardRequest{})))

	config := &pb.TaskPushNotificationConfig{TaskId: id, Id: "p", Url: Webhook}
	k.step("strict push create", got(k.client.CreateTaskPushNotificationConfig(k.ctx, named(), config)))
	get := &pb.GetTaskPushNotificationConfigRequest{TaskId: id, Id: "p"}
	k.step("strict push get", got(k.client.GetTaskPushNotificationConfig(k.ctx, named(), get)))
	list := &pb.ListTaskPushNotificationConfigsRequest{TaskId: id}
	k.step("strict push list", got(k.client.ListTaskPushNotificationConfigs(k.ctx, named(), list)))
	remove := &pb.DeleteTaskPushNotificationConfigRequest{TaskId: id, Id: "p"}
	k.step("strict push delete", got(k.client.DeleteTaskPushNotificationConfig(k.ctx, named(), remove)))
	k.step("strict push inline", got(k.send(named(), configured(say("echo hello"), &pb.SendMessageConfiguration{
		TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: Webhook},
	}))))
}
