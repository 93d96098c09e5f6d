//go:build interop

package golang_test

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/a2awire/a2awire/interop/sdk"
)

// strict is the conversation with an agent that has neither streams, nor push
// notifications, nor an extended card, and requires an extension.
func (k *talk) strict() {
	named, wire := k.naming(sdk.ExtensionRequired), k.wire
	params := a2aclient.ServiceParams{a2a.SvcParamVersion: {"1.0"}, a2a.SvcParamExtensions: {sdk.ExtensionRequired}}

	task := taskOf(named.send("strict send", say("echo hello")))
	named.send("strict large", say(sdk.LargeText()))
	k.send("strict unnamed", say("echo hello"))
	streamed("strict stream falls back", named.client.SendStreamingMessage(named.ctx, say("echo hello")), nil)
	streamed("strict stream", wire.SendStreamingMessage(k.ctx, params, say("echo hello")), nil)
	streamed("strict subscribe", wire.SubscribeToTask(k.ctx, params, &a2a.SubscribeToTaskRequest{ID: task.ID}), nil)
	card, err := wire.GetExtendedAgentCard(k.ctx, params, &a2a.GetExtendedAgentCardRequest{})
	step("strict card", card, err)

	config := &a2a.PushConfig{TaskID: task.ID, ID: "p", URL: sdk.Webhook}
	made, err := named.client.CreateTaskPushConfig(named.ctx, config)
	step("strict push by client", made, err)
	made, err = wire.CreateTaskPushConfig(k.ctx, params, config)
	step("strict push create", made, err)
	got, err := wire.GetTaskPushConfig(k.ctx, params, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "p"})
	step("strict push get", got, err)
	list, err := wire.ListTaskPushConfigs(k.ctx, params, &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	step("strict push list", list, err)
	err = wire.DeleteTaskPushConfig(k.ctx, params, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "p"})
	step("strict push delete", nil, err)
	inline := say("echo hello")
	inline.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: sdk.Webhook}}
	named.send("strict push inline", inline)
}
