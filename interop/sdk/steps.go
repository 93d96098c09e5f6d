//go:build interop

package sdk

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// step is one step of the conversations, and what it must come to. The names
// are those that the conversations print.
type step struct {
	op   string // what it asks of the agent in the first place
	name string
	held Conversations
	is   Check
}

// Conversations are those in which a step is held.
type Conversations uint8

// The conversations. Those through a bridge are our client's; the SDK's client
// cannot tell a bridge from the agent.
const (
	TheirFull Conversations = 1 << iota // their client with our agent
	TheirStrict
	OurFull // our client with their server
	OurStrict
	ViaFull // the same through our bridge
	ViaStrict

	full   = TheirFull | OurFull | ViaFull
	strict = TheirStrict | OurStrict | ViaStrict
)

// What requests have that both sides know of.
const (
	ExtensionCite     = "https://ext.example/cite"
	ExtensionRequired = "https://ext.example/required"
	Webhook           = "http://hooks.example/a2a"
	PushID            = "push 1/2"
)

// The operations of the specification (5.3).
const (
	opSend         = "SendMessage"
	opStream       = "SendStreamingMessage"
	opGet          = "GetTask"
	opList         = "ListTasks"
	opCancel       = "CancelTask"
	opSubscribe    = "SubscribeToTask"
	opCreateConfig = "CreateTaskPushNotificationConfig"
	opGetConfig    = "GetTaskPushNotificationConfig"
	opListConfigs  = "ListTaskPushNotificationConfigs"
	opDeleteConfig = "DeleteTaskPushNotificationConfig"
	opCard         = "GetExtendedAgentCard"
)

// LargeText is what "send large" says, which is more than the buffers of any transport.
func LargeText() string { return "echo " + strings.Repeat("x", 300<<10) }

// EveryByte is what "mirror raw" sends.
func EveryByte() []byte {
	out := make([]byte, 256)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}

// Errors are those that the SDK's client asks our agent for: the specification's
// (3.3.2), and two that every binding has.
func Errors() []leg.AskedError {
	return slices.DeleteFunc(leg.Asked(), func(e leg.AskedError) bool {
		return !e.Specified && e.Code != binding.InvalidParams && e.Code != binding.Internal
	})
}

func errorSteps() (all []step) {
	for _, e := range Errors() {
		all = append(all, step{opSend, "error " + e.Name, TheirFull, asked(e.Code)})
	}
	return all
}

// Detailed are the steps whose errors have metadata, for the [Fault] of those who
// drop them.
func Detailed() []string {
	out := []string{"error in stream UnsupportedOperationError", "error before stream"}
	for _, e := range Errors() {
		if e.Code != binding.Internal {
			out = append(out, "error "+e.Name)
		}
	}
	return out
}

// steps are all steps.
var steps = append(errorSteps(), []step{
	{opCard, "card", full, cards},

	{opSend, "send echo", full, Completed("echo: echo hello")},
	{opSend, "send message", full, func(t require.TestingT, o Outcome) {
		m := as(t, o, new(pb.SendMessageResponse)).GetMessage()
		assert.Equal(t, "hello", leg.Text(m.GetParts()))
		assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
	}},
	{opSend, "send unicode", full, Completed("echo: echo " + leg.Unicode)},
	{opSend, "send large", full, Completed("echo: " + LargeText())},
	{opSend, "send without history", full, func(t require.TestingT, o Outcome) {
		Completed("echo: echo hello")(t, o)
		assert.Empty(t, o.task(t).GetHistory())
	}},
	{opSend, "fail", full, stopped(pb.TaskState_TASK_STATE_FAILED)},
	{opSend, "reject", full, stopped(pb.TaskState_TASK_STATE_REJECTED)},

	{opSend, "mirror raw", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, base64.StdEncoding.EncodeToString(EveryByte()), at(t, r, "params", "message", "parts", 1, "raw"))
		assert.Equal(t, "application/octet-stream", at(t, r, "params", "message", "parts", 1, "mediaType"))
	})},
	{opSend, "mirror data", full, mirrored(func(t require.TestingT, r map[string]any) {
		want := []any{1.0, 2.5, nil, true, "x", map[string]any{"deep": map[string]any{}}}
		assert.Equal(t, want, at(t, r, "params", "message", "parts", 1, "data", "list"))
	})},
	{opSend, "mirror metadata", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, []any{"a", 1.0}, at(t, r, "metadata", "https://ext.example/k"))
	})},
	{opSend, "mirror tenant", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, "acme", at(t, r, "tenant"))
	})},
	{opSend, "mirror extensions", full, mirrored(func(t require.TestingT, r map[string]any) {
		got, _ := at(t, r, "serviceParameters", binding.ParamExtensions).(string)
		assert.ElementsMatch(t, []string{leg.ExtensionGeo, ExtensionCite}, binding.SplitList(got)) // to some SDKs they are a set
	})},
	// The SDK's client does not say what was activated.
	{opSend, "activated extensions", OurFull | ViaFull, func(t require.TestingT, o Outcome) {
		var got []string
		require.NoError(t, json.Unmarshal(o.succeeded(t), &got))
		assert.ElementsMatch(t, []string{leg.ExtensionGeo, ExtensionCite}, got)
	}},

	{opSend, "input", full, stopped(pb.TaskState_TASK_STATE_INPUT_REQUIRED)},
	{opSend, "input answer", full, Completed("got: more")},
	{opGet, "history all", full, history(3)},
	{opGet, "history one", full, history(1)},
	{opGet, "history none", full, history(0)},
	{opSend, "auth", TheirFull, stopped(pb.TaskState_TASK_STATE_AUTH_REQUIRED)},
	{opSend, "auth answer", TheirFull, Completed("got: more")},

	{opGet, "get", full, func(t require.TestingT, o Outcome) {
		assert.Equal(t, "echo: echo two", artifactText(as(t, o, new(pb.Task))))
	}},
	{opGet, "get unknown", full, Fails(binding.TaskNotFound)},
	{opList, "list", full, func(t require.TestingT, o Outcome) {
		page := as(t, o, new(pb.ListTasksResponse))
		assert.EqualValues(t, 2, page.GetTotalSize())
		assert.Empty(t, page.GetNextPageToken())
		if assert.Len(t, page.GetTasks(), 2) {
			both := []string{artifactText(page.GetTasks()[0]), artifactText(page.GetTasks()[1])}
			assert.ElementsMatch(t, []string{"echo: echo one", "echo: echo two"}, both)
		}
	}},
	{opList, "list page one", full, page(true)},
	{opList, "list page two", full, page(false)},
	{opList, "list by status", full, func(t require.TestingT, o Outcome) {
		list := as(t, o, new(pb.ListTasksResponse))
		assert.Empty(t, list.GetTasks())
		assert.Zero(t, list.GetTotalSize())
	}},
	{opList, "list too many", full, Fails(binding.InvalidParams)},
	{opCancel, "cancel finished", full, Fails(binding.TaskNotCancelable)},
	{opSubscribe, "subscribe finished", full, Fails(binding.UnsupportedOperation)},

	{opSend, "send and return", full, func(t require.TestingT, o Outcome) {
		atWork := []pb.TaskState{pb.TaskState_TASK_STATE_SUBMITTED, pb.TaskState_TASK_STATE_WORKING}
		assert.Contains(t, atWork, o.task(t).GetStatus().GetState())
	}},
	{opSubscribe, "subscribe", full, func(t require.TestingT, o Outcome) {
		o.succeeded(t)
		events := shapes(o.events(t))
		require.NotEmpty(t, events)
		assert.Equal(t, "task", events[0])
		assert.Equal(t, "TASK_STATE_CANCELED", events[len(events)-1])
	}},
	{opCancel, "cancel", full, in(pb.TaskState_TASK_STATE_CANCELED)},
	{opCancel, "cancel unknown", full, Fails(binding.TaskNotFound)},
	{opSubscribe, "subscribe unknown", full, Fails(binding.TaskNotFound)},

	{opStream, "stream", full, Streamed("task", "TASK_STATE_WORKING",
		"artifact chunk 1 append=false last=false",
		"artifact chunk 2 append=true last=false",
		"artifact chunk 3 append=true last=true",
		"TASK_STATE_COMPLETED")},
	{opStream, "stream message", full, Streamed("message hello")},
	{opStream, "stream large", full, func(t require.TestingT, o Outcome) {
		Streamed("task", "TASK_STATE_WORKING", "artifact echo: echo xxxxxxxxx append=false last=true", "TASK_STATE_COMPLETED")(t, o)
		same(t, "echo: "+LargeText(), leg.Text(o.events(t)[2].GetArtifactUpdate().GetArtifact().GetParts()))
	}},
	{opStream, "stream left", full, Streamed("task", "TASK_STATE_WORKING")},
	{opStream, "stream left goes on", full, func(t require.TestingT, o Outcome) {
		assert.Equal(t, pb.TaskState_TASK_STATE_WORKING, as(t, o, new(pb.Task)).GetStatus().GetState())
	}},

	{opCreateConfig, "push create", full, pushConfig},
	{opGetConfig, "push get", full, pushConfig},
	{opListConfigs, "push list", full, func(t require.TestingT, o Outcome) {
		list := as(t, o, new(pb.ListTaskPushNotificationConfigsResponse))
		if assert.Len(t, list.GetConfigs(), 1) {
			assert.Equal(t, PushID, list.GetConfigs()[0].GetId())
		}
	}},
	{opDeleteConfig, "push delete", full, func(t require.TestingT, o Outcome) { o.succeeded(t) }},
	{opListConfigs, "push list deleted", full, func(t require.TestingT, o Outcome) {
		assert.Empty(t, as(t, o, new(pb.ListTaskPushNotificationConfigsResponse)).GetConfigs())
	}},
	{opGetConfig, "push get deleted", full, Fails(binding.TaskNotFound)},
	{opCreateConfig, "push unknown", full, Fails(binding.TaskNotFound)},
	{opSend, "push inline", TheirFull, Completed("echo: echo pushed")},

	{opStream, "error in stream InternalError", TheirFull, BrokenOff(2, binding.Internal)},
	{opStream, "error in stream UnsupportedOperationError", TheirFull, BrokenOff(2, binding.UnsupportedOperation)},
	{opStream, "error before stream", TheirFull, asked(binding.TaskNotFound)},
	{opSend, "missing messageId", full, Fails(binding.InvalidParams)},
	{opSend, "missing parts", full, Fails(binding.InvalidParams)},
	{opSend, "version", full, Fails(binding.VersionNotSupported)},

	{opSend, "strict send", strict, Completed("echo: echo hello")},
	{opSend, "strict large", strict, Completed("echo: " + LargeText())},
	{opSend, "strict unnamed", strict, Fails(binding.ExtensionSupportRequired)},
	// The SDK's client sends the message without a stream then.
	{opStream, "strict stream falls back", TheirStrict, Streamed("task")},
	{opStream, "strict stream", strict, Fails(binding.UnsupportedOperation)},
	{opSubscribe, "strict subscribe", strict, Fails(binding.UnsupportedOperation)},
	{opCard, "strict card", strict, Fails(binding.UnsupportedOperation)},
	{opCreateConfig, "strict push by client", TheirStrict, Fails(binding.PushNotificationNotSupported)},
	{opCreateConfig, "strict push create", strict, Fails(binding.PushNotificationNotSupported)},
	{opGetConfig, "strict push get", strict, Fails(binding.PushNotificationNotSupported)},
	{opListConfigs, "strict push list", strict, Fails(binding.PushNotificationNotSupported)},
	{opDeleteConfig, "strict push delete", strict, Fails(binding.PushNotificationNotSupported)},
	{opSend, "strict push inline", strict, Fails(binding.PushNotificationNotSupported)},
}...)

// cards is a public and an extended card, which has one skill more and names
// the same interfaces.
func cards(t require.TestingT, o Outcome) {
	var both struct{ Public, Extended json.RawMessage }
	require.NoError(t, json.Unmarshal(o.succeeded(t), &both))
	public, extended := new(pb.AgentCard), new(pb.AgentCard)
	require.NoError(t, protojson.Unmarshal(both.Public, public))
	require.NoError(t, protojson.Unmarshal(both.Extended, extended))
	assert.Len(t, extended.GetSkills(), len(public.GetSkills())+1)
	require.NotEmpty(t, public.GetSupportedInterfaces())
	require.Len(t, extended.GetSupportedInterfaces(), len(public.GetSupportedInterfaces()))
	for i, x := range public.GetSupportedInterfaces() {
		assert.Equal(t, x.GetUrl(), extended.GetSupportedInterfaces()[i].GetUrl())
	}
}

// history is the finished task of two turns with that many of its messages:
// the caller's two, and the agent's between them. The last one stays.
func history(n int) Check {
	return func(t require.TestingT, o Outcome) {
		got := as(t, o, new(pb.Task)).GetHistory()
		if assert.Len(t, got, n) && n > 0 {
			assert.Equal(t, "more", leg.Text(got[n-1].GetParts()))
		}
	}
}

// page is one of two pages, each with one task of the context.
func page(more bool) Check {
	return func(t require.TestingT, o Outcome) {
		p := as(t, o, new(pb.ListTasksResponse))
		assert.Len(t, p.GetTasks(), 1)
		assert.EqualValues(t, 2, p.GetTotalSize())
		assert.Equal(t, more, p.GetNextPageToken() != "")
	}
}

func pushConfig(t require.TestingT, o Outcome) {
	c := as(t, o, new(pb.TaskPushNotificationConfig))
	assert.Equal(t, PushID, c.GetId())
	assert.Equal(t, Webhook, c.GetUrl())
	assert.Equal(t, "secret", c.GetToken())
	assert.Equal(t, "Bearer", c.GetAuthentication().GetScheme())
	assert.NotEmpty(t, c.GetTaskId())
}

// asked is an error that the reference agent was asked for.
func asked(code binding.Code) Check {
	return func(t require.TestingT, o Outcome) {
		Fails(code)(t, o)
		told(t, o, code)
	}
}
