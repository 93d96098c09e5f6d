//go:build interop

package js_test

import (
	"encoding/base64"
	"encoding/json"
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
	name string
	held conversations
	is   check
}

// conversations are those in which a step is held.
type conversations uint8

const (
	theirFull conversations = 1 << iota // their client with our agent
	theirStrict
	ourFull // our client with their server
	ourStrict
	viaFull // the same through our bridge
	viaStrict

	full   = theirFull | ourFull | viaFull
	strict = theirStrict | ourStrict | viaStrict
)

const (
	extensionCite     = "https://ext.example/cite"
	extensionRequired = "https://ext.example/required"
	webhook           = "http://hooks.example/a2a"
	pushID            = "push 1/2"
)

// largeText is more than the buffers of any transport.
func largeText() string { return "echo " + strings.Repeat("x", 300<<10) }

func everyByte() []byte {
	out := make([]byte, 256)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}

// steps are all steps.
var steps = []step{
	{"card", full, cards},

	{"send echo", full, completed("echo: echo hello")},
	{"send message", full, func(t require.TestingT, o outcome) {
		m := as(t, o, new(pb.SendMessageResponse)).GetMessage()
		assert.Equal(t, "hello", leg.Text(m.GetParts()))
		assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
	}},
	{"send unicode", full, completed("echo: echo " + leg.Unicode)},
	{"send large", full, completed("echo: " + largeText())},
	{"send without history", full, func(t require.TestingT, o outcome) {
		completed("echo: echo hello")(t, o)
		assert.Empty(t, o.task(t).GetHistory())
	}},
	{"fail", full, stopped(pb.TaskState_TASK_STATE_FAILED)},
	{"reject", full, stopped(pb.TaskState_TASK_STATE_REJECTED)},

	{"mirror raw", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, base64.StdEncoding.EncodeToString(everyByte()), at(t, r, "params", "message", "parts", 1, "raw"))
		assert.Equal(t, "application/octet-stream", at(t, r, "params", "message", "parts", 1, "mediaType"))
	})},
	{"mirror data", full, mirrored(func(t require.TestingT, r map[string]any) {
		want := []any{1.0, 2.5, nil, true, "x", map[string]any{"deep": map[string]any{}}}
		assert.Equal(t, want, at(t, r, "params", "message", "parts", 1, "data", "list"))
	})},
	{"mirror metadata", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, []any{"a", 1.0}, at(t, r, "metadata", "https://ext.example/k"))
	})},
	{"mirror tenant", full, mirrored(func(t require.TestingT, r map[string]any) {
		assert.Equal(t, "acme", at(t, r, "tenant"))
	})},
	{"mirror extensions", full, mirrored(func(t require.TestingT, r map[string]any) {
		got, _ := at(t, r, "serviceParameters", binding.ParamExtensions).(string)
		assert.Equal(t, []string{leg.ExtensionGeo, extensionCite}, binding.SplitList(got))
	})},
	// The SDK's client does not say what was activated.
	{"activated extensions", ourFull | viaFull, func(t require.TestingT, o outcome) {
		assert.JSONEq(t, `["`+leg.ExtensionGeo+`","`+extensionCite+`"]`, string(o.succeeded(t)))
	}},

	{"input", full, stopped(pb.TaskState_TASK_STATE_INPUT_REQUIRED)},
	{"input answer", full, completed("got: more")},
	{"history all", full, history(3)},
	{"history one", full, history(1)},
	{"history none", full, history(0)},
	{"auth", theirFull, stopped(pb.TaskState_TASK_STATE_AUTH_REQUIRED)},
	{"auth answer", theirFull, completed("got: more")},

	{"get", full, func(t require.TestingT, o outcome) {
		assert.Equal(t, "echo: echo two", artifactText(as(t, o, new(pb.Task))))
	}},
	{"get unknown", full, fails(binding.TaskNotFound)},
	{"list", full, func(t require.TestingT, o outcome) {
		page := as(t, o, new(pb.ListTasksResponse))
		assert.EqualValues(t, 2, page.GetTotalSize())
		assert.Empty(t, page.GetNextPageToken())
		if assert.Len(t, page.GetTasks(), 2) {
			both := []string{artifactText(page.GetTasks()[0]), artifactText(page.GetTasks()[1])}
			assert.ElementsMatch(t, []string{"echo: echo one", "echo: echo two"}, both)
		}
	}},
	{"list page one", full, page(true)},
	{"list page two", full, page(false)},
	{"list by status", full, func(t require.TestingT, o outcome) {
		list := as(t, o, new(pb.ListTasksResponse))
		assert.Empty(t, list.GetTasks())
		assert.Zero(t, list.GetTotalSize())
	}},
	{"list too many", full, fails(binding.InvalidParams)},
	{"cancel finished", full, fails(binding.TaskNotCancelable)},
	{"subscribe finished", full, fails(binding.UnsupportedOperation)},

	{"send and return", full, func(t require.TestingT, o outcome) {
		atWork := []pb.TaskState{pb.TaskState_TASK_STATE_SUBMITTED, pb.TaskState_TASK_STATE_WORKING}
		assert.Contains(t, atWork, o.task(t).GetStatus().GetState())
	}},
	{"subscribe", full, func(t require.TestingT, o outcome) {
		o.succeeded(t)
		events := shapes(o.events(t))
		require.NotEmpty(t, events)
		assert.Equal(t, "task", events[0])
		assert.Equal(t, "TASK_STATE_CANCELED", events[len(events)-1])
	}},
	{"cancel", full, in(pb.TaskState_TASK_STATE_CANCELED)},
	{"cancel unknown", full, fails(binding.TaskNotFound)},
	{"subscribe unknown", full, fails(binding.TaskNotFound)},

	{"stream", full, streamed("task", "TASK_STATE_WORKING",
		"artifact chunk 1 append=false last=false",
		"artifact chunk 2 append=true last=false",
		"artifact chunk 3 append=true last=true",
		"TASK_STATE_COMPLETED")},
	{"stream message", full, streamed("message hello")},
	{"stream large", full, func(t require.TestingT, o outcome) {
		streamed("task", "TASK_STATE_WORKING", "artifact echo: echo xxxxxxxxx append=false last=true", "TASK_STATE_COMPLETED")(t, o)
		same(t, "echo: "+largeText(), leg.Text(o.events(t)[2].GetArtifactUpdate().GetArtifact().GetParts()))
	}},
	{"stream left", full, streamed("task", "TASK_STATE_WORKING")},
	{"stream left goes on", full, func(t require.TestingT, o outcome) {
		assert.Equal(t, pb.TaskState_TASK_STATE_WORKING, as(t, o, new(pb.Task)).GetStatus().GetState())
	}},

	{"push create", full, pushConfig},
	{"push get", full, pushConfig},
	{"push list", full, func(t require.TestingT, o outcome) {
		list := as(t, o, new(pb.ListTaskPushNotificationConfigsResponse))
		if assert.Len(t, list.GetConfigs(), 1) {
			assert.Equal(t, pushID, list.GetConfigs()[0].GetId())
		}
	}},
	{"push delete", full, func(t require.TestingT, o outcome) { o.succeeded(t) }},
	{"push list deleted", full, func(t require.TestingT, o outcome) {
		assert.Empty(t, as(t, o, new(pb.ListTaskPushNotificationConfigsResponse)).GetConfigs())
	}},
	{"push get deleted", full, fails(binding.TaskNotFound)},
	{"push unknown", full, fails(binding.TaskNotFound)},
	{"push inline", theirFull, completed("echo: echo pushed")},

	{"error TaskNotFoundError", theirFull, asked(binding.TaskNotFound)},
	{"error TaskNotCancelableError", theirFull, asked(binding.TaskNotCancelable)},
	{"error PushNotificationNotSupportedError", theirFull, asked(binding.PushNotificationNotSupported)},
	{"error UnsupportedOperationError", theirFull, asked(binding.UnsupportedOperation)},
	{"error ContentTypeNotSupportedError", theirFull, asked(binding.ContentTypeNotSupported)},
	{"error InvalidAgentResponseError", theirFull, asked(binding.InvalidAgentResponse)},
	{"error ExtendedAgentCardNotConfiguredError", theirFull, asked(binding.ExtendedAgentCardNotConfigured)},
	{"error ExtensionSupportRequiredError", theirFull, asked(binding.ExtensionSupportRequired)},
	{"error VersionNotSupportedError", theirFull, asked(binding.VersionNotSupported)},
	{"error InvalidParamsError", theirFull, asked(binding.InvalidParams)},
	{"error InternalError", theirFull, asked(binding.Internal)},
	{"error in stream InternalError", theirFull, brokenOff(2, binding.Internal)},
	{"error in stream UnsupportedOperationError", theirFull, brokenOff(2, binding.UnsupportedOperation)},
	{"error before stream", theirFull, asked(binding.TaskNotFound)},
	{"missing messageId", full, fails(binding.InvalidParams)},
	{"missing parts", full, fails(binding.InvalidParams)},
	{"version", full, fails(binding.VersionNotSupported)},

	{"strict send", strict, completed("echo: echo hello")},
	{"strict large", strict, completed("echo: " + largeText())},
	{"strict unnamed", strict, fails(binding.ExtensionSupportRequired)},
	// The SDK's client sends the message without a stream then.
	{"strict stream falls back", theirStrict, streamed("task")},
	{"strict stream", strict, fails(binding.UnsupportedOperation)},
	{"strict subscribe", strict, fails(binding.UnsupportedOperation)},
	{"strict card", strict, fails(binding.UnsupportedOperation)},
	{"strict push by client", theirStrict, fails(binding.PushNotificationNotSupported)},
	{"strict push create", strict, fails(binding.PushNotificationNotSupported)},
	{"strict push get", strict, fails(binding.PushNotificationNotSupported)},
	{"strict push list", strict, fails(binding.PushNotificationNotSupported)},
	{"strict push delete", strict, fails(binding.PushNotificationNotSupported)},
	{"strict push inline", strict, fails(binding.PushNotificationNotSupported)},
}

// cards is a public and an extended card, which has one skill more and names
// the same interfaces.
func cards(t require.TestingT, o outcome) {
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
func history(n int) check {
	return func(t require.TestingT, o outcome) {
		got := as(t, o, new(pb.Task)).GetHistory()
		if assert.Len(t, got, n) && n > 0 {
			assert.Equal(t, "more", leg.Text(got[n-1].GetParts()))
		}
	}
}

// page is one of two pages, each with one task of the context.
func page(more bool) check {
	return func(t require.TestingT, o outcome) {
		p := as(t, o, new(pb.ListTasksResponse))
		assert.Len(t, p.GetTasks(), 1)
		assert.EqualValues(t, 2, p.GetTotalSize())
		assert.Equal(t, more, p.GetNextPageToken() != "")
	}
}

func pushConfig(t require.TestingT, o outcome) {
	c := as(t, o, new(pb.TaskPushNotificationConfig))
	assert.Equal(t, pushID, c.GetId())
	assert.Equal(t, webhook, c.GetUrl())
	assert.Equal(t, "secret", c.GetToken())
	assert.Equal(t, "Bearer", c.GetAuthentication().GetScheme())
	assert.NotEmpty(t, c.GetTaskId())
}

// asked is an error that the reference agent was asked for.
func asked(code binding.Code) check {
	return func(t require.TestingT, o outcome) {
		fails(code)(t, o)
		told(t, o, code)
	}
}
