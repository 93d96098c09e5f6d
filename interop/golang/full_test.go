//go:build interop

package golang_test

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/interop/sdk"
)

// full is the conversation with an agent that can do everything.
func (k *talk) full() {
	k.cards()
	k.sending()
	k.mirrors()
	k.turns()
	k.lists()
	k.cancelling()
	k.streams()
	k.pushing()
	k.errors()
}

// say is a request with a text, and more parts.
func say(text string, more ...*a2a.Part) *a2a.SendMessageRequest {
	parts := append([]*a2a.Part{a2a.NewTextPart(text)}, more...)
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, parts...)}
}

func (k *talk) send(name string, req *a2a.SendMessageRequest) a2a.SendMessageResult {
	r, err := k.client.SendMessage(k.ctx, req)
	out, _ := sent(r, err)
	step(name, out, err)
	return r
}

func (k *talk) cards() {
	extended, err := k.client.GetExtendedAgentCard(k.ctx, &a2a.GetExtendedAgentCardRequest{})
	step("card", map[string]any{"public": k.card, "extended": extended}, err)
}

func (k *talk) sending() {
	k.send("send echo", say("echo hello"))
	k.send("send message", say("message hello"))
	k.send("send unicode", say("echo "+leg.Unicode))
	k.send("send large", say(sdk.LargeText()))
	none := 0
	forgetful := say("echo hello")
	forgetful.Config = &a2a.SendMessageConfig{HistoryLength: &none}
	k.send("send without history", forgetful)
	k.send("fail", say("fail"))
	k.send("reject", say("reject"))
}

func (k *talk) mirrors() {
	raw := a2a.NewRawPart(sdk.EveryByte())
	raw.MediaType = "application/octet-stream"
	k.send("mirror raw", say("mirror", raw))
	list := []any{1, 2.5, nil, true, "x", map[string]any{"deep": map[string]any{}}}
	k.send("mirror data", say("mirror", a2a.NewDataPart(map[string]any{"list": list})))
	metadata := say("mirror")
	metadata.Metadata = map[string]any{"https://ext.example/k": []any{"a", 1}}
	k.send("mirror metadata", metadata)
	tenant := say("mirror")
	tenant.Tenant = "acme"
	k.send("mirror tenant", tenant)
	k.naming(leg.ExtensionGeo, sdk.ExtensionCite).send("mirror extensions", say("mirror"))
}

// naming is the talk with extensions named.
func (k *talk) naming(uris ...string) *talk {
	out := *k
	out.ctx = a2aclient.AttachServiceParams(k.ctx, a2aclient.ServiceParams{a2a.SvcParamExtensions: uris})
	return &out
}

// taskOf is a task, or nothing that can be asked for.
func taskOf(r a2a.SendMessageResult) *a2a.Task {
	if t, ok := r.(*a2a.Task); ok {
		return t
	}
	return &a2a.Task{ID: "none"}
}

func (k *talk) turns() {
	var task *a2a.Task
	for _, wait := range []string{"auth", "input"} {
		task = taskOf(k.send(wait, say(wait)))
		answer := say("more")
		answer.Message.TaskID, answer.Message.ContextID = task.ID, task.ContextID
		k.send(wait+" answer", answer)
	}
	one, none := 1, 0
	for name, n := range map[string]*int{"all": nil, "one": &one, "none": &none} {
		got, err := k.client.GetTask(k.ctx, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: n})
		step("history "+name, got, err)
	}
}

func (k *talk) lists() {
	contextID := a2a.NewContextID()
	var last *a2a.Task
	for _, text := range []string{"echo one", "echo two"} {
		req := say(text)
		req.Message.ContextID = contextID
		r, _ := k.client.SendMessage(k.ctx, req)
		last = taskOf(r)
	}
	get := func(name string, id a2a.TaskID) {
		got, err := k.client.GetTask(k.ctx, &a2a.GetTaskRequest{ID: id})
		step(name, got, err)
	}
	list := func(name string, req a2a.ListTasksRequest) string {
		req.ContextID = contextID
		page, err := k.client.ListTasks(k.ctx, &req)
		step(name, page, err)
		if err != nil {
			return ""
		}
		return page.NextPageToken
	}
	get("get", last.ID)
	get("get unknown", "no such task")
	list("list", a2a.ListTasksRequest{IncludeArtifacts: true})
	token := list("list page one", a2a.ListTasksRequest{PageSize: 1})
	list("list page two", a2a.ListTasksRequest{PageSize: 1, PageToken: token})
	list("list by status", a2a.ListTasksRequest{Status: a2a.TaskStateFailed})
	list("list too many", a2a.ListTasksRequest{PageSize: 1000})
	_, err := k.cancel(last.ID)
	step("cancel finished", nil, err)
	streamed("subscribe finished", k.client.SubscribeToTask(k.ctx, &a2a.SubscribeToTaskRequest{ID: last.ID}), nil)
}

func (k *talk) cancel(id a2a.TaskID) (*a2a.Task, error) {
	return k.client.CancelTask(k.ctx, &a2a.CancelTaskRequest{ID: id})
}

func (k *talk) cancelling() {
	long := say("long 60")
	long.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	task := taskOf(k.send("send and return", long))
	var canceled *a2a.Task
	var err error
	streamed("subscribe", k.client.SubscribeToTask(k.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}), func(_ a2a.Event, n int) bool {
		if n == 1 {
			canceled, err = k.cancel(task.ID)
		}
		return false
	})
	step("cancel", map[string]any{"task": canceled}, err)
	_, err = k.cancel("no such task")
	step("cancel unknown", nil, err)
	streamed("subscribe unknown", k.client.SubscribeToTask(k.ctx, &a2a.SubscribeToTaskRequest{ID: "no such task"}), nil)
}

func (k *talk) streams() {
	stream := func(text string) func(func(a2a.Event, error) bool) {
		return k.client.SendStreamingMessage(k.ctx, say(text))
	}
	streamed("stream", stream("stream 3"), nil)
	streamed("stream message", stream("message hello"), nil)
	streamed("stream large", stream(sdk.LargeText()), nil)
	var id a2a.TaskID
	streamed("stream left", stream("long 60"), func(ev a2a.Event, n int) bool {
		id = ev.TaskInfo().TaskID
		return n == 2
	})
	got, err := k.client.GetTask(k.ctx, &a2a.GetTaskRequest{ID: id})
	step("stream left goes on", got, err)
	_, _ = k.cancel(id)
}

func (k *talk) pushing() {
	r, _ := k.client.SendMessage(k.ctx, say("input"))
	id := taskOf(r).ID
	config := func(task a2a.TaskID) *a2a.PushConfig {
		return &a2a.PushConfig{
			TaskID: task, ID: sdk.PushID, URL: sdk.Webhook, Token: "secret",
			Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "abc"},
		}
	}
	get := func(name string) {
		got, err := k.client.GetTaskPushConfig(k.ctx, &a2a.GetTaskPushConfigRequest{TaskID: id, ID: sdk.PushID})
		step(name, got, err)
	}
	list := func(name string) {
		got, err := k.client.ListTaskPushConfigs(k.ctx, &a2a.ListTaskPushConfigRequest{TaskID: id})
		step(name, a2a.ListTaskPushConfigResponse{Configs: got}, err)
	}
	remove := func() error {
		return k.client.DeleteTaskPushConfig(k.ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: sdk.PushID})
	}
	created, err := k.client.CreateTaskPushConfig(k.ctx, config(id))
	step("push create", created, err)
	get("push get")
	list("push list")
	if err = remove(); err == nil {
		err = remove()
	}
	step("push delete", nil, err)
	list("push list deleted")
	get("push get deleted")
	unknown, err := k.client.CreateTaskPushConfig(k.ctx, config("no such task"))
	step("push unknown", unknown, err)
	inline := say("echo pushed")
	inline.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{ID: "inline", URL: sdk.Webhook, Token: "inline-token"}}
	k.send("push inline", inline)
}

func (k *talk) errors() {
	for _, e := range sdk.Errors() {
		k.send("error "+e.Name, say("error "+e.Name))
	}
	for _, name := range []string{"InternalError", "UnsupportedOperationError"} {
		streamed("error in stream "+name, k.client.SendStreamingMessage(k.ctx, say("error-after 2 "+name)), nil)
	}
	streamed("error before stream", k.client.SendStreamingMessage(k.ctx, say("error TaskNotFoundError")), nil)
	unnamed := say("echo")
	unnamed.Message.ID = ""
	k.send("missing messageId", unnamed)
	empty := say("echo")
	empty.Message.Parts = nil
	k.send("missing parts", empty)
	// The client sets the version itself; its transport does not.
	r, err := k.wire.SendMessage(context.WithoutCancel(k.ctx), a2aclient.ServiceParams{a2a.SvcParamVersion: {"9.9"}}, say("echo"))
	out, _ := sent(r, err)
	step("version", out, err)
}
