//go:build interop

package mqttpeers_test

import (
	"encoding/json"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// steps are the steps of client.mjs.
func steps() []step[outcome] {
	out := operations()
	for _, more := range [][]step[outcome]{refusals(), envelopes(), streams(), repeats(), unanswerable()} {
		out = append(out, more...)
	}
	return out
}

func operations() []step[outcome] {
	out := []step[outcome]{
		{"send", result(`1`, completed("echo: echo hello"))},
		{"send message", result(`2`, message("hello"))},
		{"send unicode", result(`3`, completed("echo: echo "+leg.Unicode))},
		{"send large", result(`4`, completed("echo: echo "+strings.Repeat("x", 300<<10)))},
		{"service parameters", parameters},
		{"two turns", parts(
			part{1, result(`6`, func(t require.TestingT, result json.RawMessage) {
				task := leg.As(t, result, new(pb.SendMessageResponse)).GetTask()
				assert.Equal(t, pb.TaskState_TASK_STATE_INPUT_REQUIRED, task.GetStatus().GetState())
			})},
			part{1, result(`7`, completed("got: blue"))})},

		{"send to get", result(`1`, completed("echo: echo kept"))},
		{"get", result(`2`, func(t require.TestingT, result json.RawMessage) {
			inState(pb.TaskState_TASK_STATE_COMPLETED)(t, result)
			assert.NotContains(t, string(result), `"history"`)
		})},
		{"list", result(`3`, func(t require.TestingT, result json.RawMessage) {
			list := leg.As(t, result, new(pb.ListTasksResponse)).GetTasks()
			require.Len(t, list, 1)
			assert.Equal(t, "echo: echo kept", leg.Text(list[0].GetArtifacts()[0].GetParts()))
		})},
		{"list nothing", result(`4`, exactly(`{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`))},
		{"get unknown", refusal(`5`, binding.TaskNotFound)},
		{"cancel", result(`7`, inState(pb.TaskState_TASK_STATE_CANCELED))},
		{"cancel again", refusal(`8`, binding.TaskNotCancelable)},
		{"extended card", result(`9`, func(t require.TestingT, result json.RawMessage) {
			card := leg.As(t, result, new(pb.AgentCard))
			require.NotEmpty(t, card.GetSkills())
			assert.Equal(t, "tck", card.GetSkills()[len(card.GetSkills())-1].GetId())
		})},

		{"push create", result(`1`, config)},
		{"push get", result(`2`, config)},
		{"push list", result(`3`, func(t require.TestingT, result json.RawMessage) {
			configs := leg.As(t, result, new(pb.ListTaskPushNotificationConfigsResponse)).GetConfigs()
			require.Len(t, configs, 1)
			assert.Equal(t, "push 1/2", configs[0].GetId())
		})},
		{"push delete", result(`4`, exactly(`{}`))},
		{"push get deleted", refusal(`5`, binding.TaskNotFound)},

		{"time-out", refusal(`1`, binding.DeadlineExceeded)},
		{"reply too large", tooLarge},
		{"leave a call", nothing},
	}
	for _, id := range []string{`1`, `"1"`, `"a b"`, `"é\u00e9"`, `9007199254740993`, `1.50`, `-0`, `""`} {
		out = append(out, step[outcome]{"id " + id, result(id, message("hello"))})
	}
	return out
}

// parameters are service parameters as the agent saw them, and those of its
// answer. The credential is none.
func parameters(t require.TestingT, o outcome) {
	p := o.only(t)
	assert.Equal(t, leg.ExtensionGeo, p.Properties[binding.ParamExtensions])
	answered(t, p, `5`, func(t require.TestingT, result json.RawMessage) {
		task := leg.As(t, result, new(pb.SendMessageResponse)).GetTask()
		require.Len(t, task.GetArtifacts(), 1)
		saw, _ := task.GetArtifacts()[0].GetParts()[0].GetData().AsInterface().(map[string]any)
		assert.Equal(t, map[string]any{
			binding.ParamVersion:    binding.Version,
			binding.ParamExtensions: leg.ExtensionGeo + ", https://ext.example/none",
			"x-trace":               "Mixed Case",
		}, saw["serviceParameters"])
	})
}

// refusals are the errors that the agent gives.
func refusals() []step[outcome] {
	out := []step[outcome]{{"missing parts", func(t require.TestingT, o outcome) {
		message, details := refused(t, o.only(t), `"e"`, binding.InvalidParams)
		assert.Contains(t, leg.Kinds(details), "BadRequest")
		assert.Contains(t, message, "message.parts: ")
	}}}
	for _, e := range leg.Asked() {
		out = append(out, step[outcome]{"error " + e.Name, told(`"e"`, e.Name, e.Code, e.Details...)})
	}
	return out
}

// envelopes are those that are wrong, or nearly.
func envelopes() []step[outcome] {
	out := []step[outcome]{{"envelope notification of a look", nothing}}
	for _, r := range []struct {
		name, id string
		code     binding.Code
	}{
		{"unknown method", `1`, binding.MethodNotFound},
		{"old method", `"2"`, binding.MethodNotFound},
		{"version", `3`, binding.VersionNotSupported},
		{"version empty", `3`, binding.VersionNotSupported},
		{"version none", `3`, binding.TaskNotFound}, // is 1.0, and is answered
		{"batch", `null`, binding.InvalidRequest},
		{"notification", `null`, binding.InvalidRequest},
		{"id object", `null`, binding.InvalidRequest},
		{"jsonrpc 1.0", `5`, binding.InvalidRequest},
		{"params list", `6`, binding.InvalidParams},
		{"member twice", `null`, binding.InvalidRequest},
		{"not JSON", `null`, binding.JSONParse},
	} {
		out = append(out, step[outcome]{"envelope " + r.name, refusal(r.id, r.code)})
	}
	return out
}

func streams() []step[outcome] {
	begun := part{2, numbered(0, submitted, working)}
	return []step[outcome]{
		{"stream", streamed(chunks(3)...)},
		{"stream message", streamed("message hello")},
		{"stream input", streamed(submitted, working, "TASK_STATE_INPUT_REQUIRED")},
		{"stream error", parts(begun, part{1, brokenOff(2, "InternalError", binding.Internal)})},
		{"stream error at once", brokenOff(0, "TaskNotFoundError", binding.TaskNotFound)},
		{"stream without a window", plain(chunks(3)...)},

		{"subscribe", streamed("task TASK_STATE_WORKING", canceled)},
		{"subscribe unknown", refusedStream(binding.TaskNotFound)},
		{"subscribe ended", refusedStream(binding.UnsupportedOperation)},

		{"credits", streamed(chunks(6)...)},
		{"credits as they are used", streamed(chunks(200)...)},
		{"resend", parts(part{7, streamed(chunks(3)...)}, part{5, rest(2, chunks(3)[2:]...)})},
		{"resend of what is acknowledged", parts(
			part{7, numbered(0, chunks(6)[:7]...)},
			part{4, numbered(3, chunks(6)[3:7]...)},
			part{0, rest(7, chunks(6)[7:]...)})},

		{"leave", parts(begun,
			part{1, result(`8`, inState(pb.TaskState_TASK_STATE_WORKING))},
			part{1, result(`"cancel"`, inState(pb.TaskState_TASK_STATE_CANCELED))})},
		{"leave what is held back", numbered(0, submitted)},
		{"heartbeat", parts(begun, part{1, beat("2")}, part{0, rest(2, canceled)})},
	}
}

// repeats are requests that come twice, and how many tasks they have made.
func repeats() []step[outcome] {
	count := func(n int) part { return part{1, all(labelled("count"), result(`2`, tasks(n)))} }
	return []step[outcome]{
		{"repeat in flight", parts(part{2, all(labelled("first", "second"), alike)}, count(1))},
		{"repeat what was answered", parts(
			part{2, all(labelled("first", "second"), alike)},
			part{1, all(labelled("other"), result(`"s"`, completed("echo: echo once")))},
			count(2))},
		{"repeat a stream", parts(
			part{4, all(labelled("first", "first", "first", "first"), numbered(0, chunks(6)[:4]...))},
			part{10, all(labelled(slices.Repeat([]string{"second"}, 10)...), streamed(chunks(6)...))},
			part{1, all(labelled("third"), refusal(`"s"`, binding.Unavailable))},
			count(1))},
	}
}

// unanswerable is what is passed over.
func unanswerable() []step[outcome] {
	out := []step[outcome]{{"control of nothing", result(`1`, message("hello"))}}
	for _, name := range []string{"wildcard +", "wildcard #", "outside", "of a card", "too long"} {
		out = append(out, step[outcome]{"response topic " + name, nothing})
	}
	for _, name := range []string{"no response topic", "no correlation", "no payload", "nothing"} {
		out = append(out, step[outcome]{name, nothing})
	}
	return out
}
