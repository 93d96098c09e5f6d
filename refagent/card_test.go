package refagent

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/datamodel"
)

func TestCard_4_4_1(t *testing.T) {
	a := newAgent(t, &Options{Name: "N", Description: "D", NoPush: true, RequiredExtension: "urn:must", Extensions: []string{"urn:may"}})
	given := &pb.AgentInterface{Url: "https://a.example", ProtocolBinding: "JSONRPC"}
	card := a.Card(given)
	require.NoError(t, datamodel.Check(card))
	assert.Equal(t, []string{"N", "D"}, []string{card.GetName(), card.GetDescription()})
	assert.Empty(t, given.GetProtocolVersion(), "what was given is left alone")
	assert.Equal(t, "1.0", card.GetSupportedInterfaces()[0].GetProtocolVersion())
	c := card.GetCapabilities()
	assert.True(t, c.GetStreaming())
	assert.True(t, c.GetExtendedAgentCard())
	require.NotNil(t, c.PushNotifications)
	assert.False(t, c.GetPushNotifications())
	require.Len(t, c.GetExtensions(), 2)
	assert.Equal(t, "urn:must", c.GetExtensions()[0].GetUri())
	assert.True(t, c.GetExtensions()[0].GetRequired())
	assert.Equal(t, "urn:may", c.GetExtensions()[1].GetUri())
	assert.False(t, c.GetExtensions()[1].GetRequired())
	assert.Len(t, card.GetSkills(), len(commands))
	card.Name, card.SupportedInterfaces[0].Url = "changed", "changed"
	assert.NotEqual(t, card.GetName(), a.Card(given).GetName())
}

func TestGetExtendedAgentCard_3_1_11(t *testing.T) {
	a := newAgent(t, nil)
	_, err := a.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
	require.ErrorIs(t, err, binding.ErrExtendedAgentCardNotConfigured, "no interfaces to tell of")
	public := a.Card(&pb.AgentInterface{Url: "https://a.example", ProtocolBinding: "JSONRPC"})
	card, err := a.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
	require.NoError(t, err)
	require.NoError(t, datamodel.Check(card))
	require.Len(t, card.GetSkills(), len(public.GetSkills())+1)
	assert.Contains(t, card.GetSkills()[len(public.GetSkills())].GetDescription(), "tck-stream-002, ")
	card.Skills = card.Skills[:len(public.GetSkills())]
	assert.True(t, proto.Equal(public, card))
}

// everything calls every operation and gives the errors by name.
func everything(t *testing.T, a *Agent, call func() *binding.Call) map[string]error {
	ctx, errs := t.Context(), map[string]error{}
	_, errs["SendMessage"] = a.SendMessage(ctx, call(), say("message x"))
	_, errs["SendStreamingMessage"] = collect(a.SendStreamingMessage(ctx, call(), say("message x")))
	_, errs["GetTask"] = a.GetTask(ctx, call(), &pb.GetTaskRequest{Id: "t"})
	_, errs["ListTasks"] = a.ListTasks(ctx, call(), &pb.ListTasksRequest{})
	_, errs["CancelTask"] = a.CancelTask(ctx, call(), &pb.CancelTaskRequest{Id: "t"})
	_, errs["SubscribeToTask"] = collect(a.SubscribeToTask(ctx, call(), &pb.SubscribeToTaskRequest{Id: "t"}))
	_, errs["CreateTaskPushNotificationConfig"] = a.CreateTaskPushNotificationConfig(ctx, call(), &pb.TaskPushNotificationConfig{TaskId: "t", Url: hookURL})
	_, errs["GetTaskPushNotificationConfig"] = a.GetTaskPushNotificationConfig(ctx, call(), &pb.GetTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
	_, errs["ListTaskPushNotificationConfigs"] = a.ListTaskPushNotificationConfigs(ctx, call(), &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t"})
	_, errs["DeleteTaskPushNotificationConfig"] = a.DeleteTaskPushNotificationConfig(ctx, call(), &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
	_, errs["GetExtendedAgentCard"] = a.GetExtendedAgentCard(ctx, call(), &pb.GetExtendedAgentCardRequest{})
	require.Len(t, errs, len(binding.Ops()))
	return errs
}

func TestCapabilities_3_3_4_LackingOnesAreRefused(t *testing.T) {
	refuses := map[string]binding.Code{
		"SendStreamingMessage":             binding.UnsupportedOperation,
		"SubscribeToTask":                  binding.UnsupportedOperation,
		"CreateTaskPushNotificationConfig": binding.PushNotificationNotSupported,
		"GetTaskPushNotificationConfig":    binding.PushNotificationNotSupported,
		"ListTaskPushNotificationConfigs":  binding.PushNotificationNotSupported,
		"DeleteTaskPushNotificationConfig": binding.PushNotificationNotSupported,
		"GetExtendedAgentCard":             binding.UnsupportedOperation,
		"GetTask":                          binding.TaskNotFound,
		"CancelTask":                       binding.TaskNotFound,
		"SendMessage":                      "",
		"ListTasks":                        "",
	}
	a := newAgent(t, &Options{NoStreaming: true, NoPush: true, NoExtendedCard: true})
	for name, err := range everything(t, a, func() *binding.Call { return nil }) {
		assert.Equal(t, refuses[name], binding.CodeOf(err), name)
	}
	r := say("x")
	r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: hookURL}}
	assert.Equal(t, binding.PushNotificationNotSupported, sendFails(t, a, r).Code)
}

func TestExtensions_3_3_4_RequiredOneMustBeNamed(t *testing.T) {
	a := newAgent(t, &Options{RequiredExtension: "urn:must"})
	for name, err := range everything(t, a, func() *binding.Call {
		return &binding.Call{Params: binding.Params{"a2a-extensions": "urn:other"}}
	}) {
		require.ErrorIs(t, err, binding.ErrExtensionSupportRequired, name)
		assert.Equal(t, "urn:must", binding.Flatten(err).Info().GetMetadata()["extension"])
	}
	call := &binding.Call{Params: binding.Params{"a2a-extensions": "urn:must"}}
	_, err := a.SendMessage(t.Context(), call, say("x"))
	require.NoError(t, err)
	assert.Equal(t, "urn:must", call.Reply.Get("a2a-extensions"))
}

func TestExtensions_3_2_6_ActivatedOnesAreToldBack(t *testing.T) {
	a := newAgent(t, &Options{Extensions: []string{"urn:a", "urn:b", "urn:c"}})
	call := &binding.Call{Params: binding.Params{"a2a-extensions": "urn:c, urn:x,urn:a,urn:c"}}
	for range a.SendStreamingMessage(t.Context(), call, say("x")) {
		assert.Equal(t, "urn:c,urn:a", call.Reply.Get("a2a-extensions"), "from the first event on")
	}
	call = &binding.Call{Params: binding.Params{"a2a-extensions": "urn:x"}}
	_, err := a.SendMessage(t.Context(), call, say("x"))
	require.NoError(t, err)
	assert.Empty(t, call.Reply)
}
