//go:build interop

package ws_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// step is one step of client.mjs, by the name that it prints, and what it must
// come to.
type step struct {
	name string
	in   scripts
	is   check
}

// scripts are those in which a step is.
type scripts uint8

const (
	withFlow    scripts = 1 << iota // the conversation in the dialect with flow control
	withoutFlow                     // the same without
	atTheEnd                        // handshakes that are refused, connections that are closed
	inTalk      = withFlow | withoutFlow
)

// judge checks outcomes by the table: each step once, and none missing.
func judge(t *testing.T, in scripts, outcomes []outcome) {
	t.Helper()
	got := map[string]outcome{}
	for _, o := range outcomes {
		assert.NotContains(t, got, o.Step, "a step is there twice")
		got[o.Step] = o
	}
	for _, s := range steps() {
		if s.in&in == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			o, ok := got[s.name]
			require.True(t, ok, "the step is missing")
			require.Empty(t, o.Error)
			s.is(t, o)
		})
		delete(got, s.name)
	}
	for name := range got {
		assert.Fail(t, "a step is not in the table", name)
	}
}

// Shapes of events.
const (
	submitted = "task TASK_STATE_SUBMITTED"
	working   = "TASK_STATE_WORKING"
	done      = "TASK_STATE_COMPLETED"
	canceled  = "TASK_STATE_CANCELED"
)

func chunk(i, n int) string { return fmt.Sprintf("chunk %d append=%t last=%t", i, i > 1, i == n) }

// steps are all steps.
func steps() []step {
	return append(append(append(operations(), refusals()...), streams()...), endings()...)
}

func operations() []step {
	out := []step{
		{"send", inTalk, result(`1`, completed("echo: echo hello"))},
		{"send message", inTalk, result(`2`, message("hello"))},
		{"send unicode", inTalk, result(`3`, completed("echo: echo "+leg.Unicode))},
		{"send large", inTalk, result(`4`, completed("echo: echo "+strings.Repeat("x", 300<<10)))},
		{"service parameters", inTalk, parameters},
		{"two turns", inTalk, parts(
			part{1, result(`6`, func(t require.TestingT, result json.RawMessage) {
				task := leg.As(t, result, new(pb.SendMessageResponse)).GetTask()
				assert.Equal(t, pb.TaskState_TASK_STATE_INPUT_REQUIRED, task.GetStatus().GetState())
			})},
			part{1, result(`7`, completed("got: blue"))})},

		{"send to get", inTalk, result(`1`, completed("echo: echo kept"))},
		{"get", inTalk, result(`2`, func(t require.TestingT, result json.RawMessage) {
			inState(pb.TaskState_TASK_STATE_COMPLETED)(t, result)
			assert.NotContains(t, string(result), `"history"`)
		})},
		{"list", inTalk, result(`3`, func(t require.TestingT, result json.RawMessage) {
			list := leg.As(t, result, new(pb.ListTasksResponse))
			assert.NotEmpty(t, list.GetTasks())
			for _, task := range list.GetTasks() {
				assert.Equal(t, "echo: echo kept", leg.Text(task.GetArtifacts()[0].GetParts()))
			}
		})},
		{"list nothing", inTalk, result(`4`, exactly(`{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`))},
		{"get unknown", inTalk, refusal(`5`, binding.TaskNotFound)},
		{"cancel", inTalk, result(`7`, inState(pb.TaskState_TASK_STATE_CANCELED))},
		{"cancel again", inTalk, refusal(`8`, binding.TaskNotCancelable)},
		{"extended card", inTalk, result(`9`, func(t require.TestingT, result json.RawMessage) {
			card := leg.As(t, result, new(pb.AgentCard))
			require.NotEmpty(t, card.GetSkills())
			assert.Equal(t, "tck", card.GetSkills()[len(card.GetSkills())-1].GetId())
		})},

		{"push create", inTalk, result(`1`, config)},
		{"push get", inTalk, result(`2`, config)},
		{"push list", inTalk, result(`3`, func(t require.TestingT, result json.RawMessage) {
			configs := leg.As(t, result, new(pb.ListTaskPushNotificationConfigsResponse)).GetConfigs()
			require.Len(t, configs, 1)
			assert.Equal(t, "push 1/2", configs[0].GetId())
		})},
		{"push delete", inTalk, result(`4`, exactly(`{}`))},
		{"push get deleted", inTalk, refusal(`5`, binding.TaskNotFound)},
	}
	for _, id := range []string{`1`, `"1"`, `"a b"`, `"é\u00e9"`, `9007199254740993`, `1.50`, `-0`, `""`} {
		out = append(out, step{"id " + id, inTalk, result(id, message("hello"))})
	}
	return out
}

// parameters are service parameters as the agent saw them, and those of its answer.
func parameters(t require.TestingT, o outcome) {
	f := o.only(t)
	assert.Equal(t, map[string]string{binding.ParamExtensions: leg.ExtensionGeo}, f.ServiceParams)
	answered(t, f, `5`, func(t require.TestingT, result json.RawMessage) {
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

// refusals are the errors that the agent gives, and those that envelopes get.
func refusals() []step {
	out := []step{
		{"missing parts", inTalk, func(t require.TestingT, o outcome) {
			f := o.only(t)
			refused(t, f, `"e"`, binding.InvalidParams)
			assert.Contains(t, leg.Kinds(f.Error.Data), "BadRequest")
			assert.Contains(t, f.Error.Message, "message.parts: ")
		}},
		{"unknown frames", inTalk, nothing},
	}
	for _, e := range leg.Asked() {
		out = append(out, step{"error " + e.Name, inTalk, told(`"e"`, e.Name, e.Code, e.Details...)})
	}
	for _, r := range []struct {
		name, id string
		code     binding.Code
	}{
		{"unknown method", `1`, binding.MethodNotFound},
		{"old method", `"2"`, binding.MethodNotFound},
		{"version", `3`, binding.VersionNotSupported},
		{"version empty", `3`, binding.VersionNotSupported},
		{"version none", `3`, binding.VersionNotSupported},
		{"batch", `null`, binding.InvalidRequest},
		{"notification", `null`, binding.InvalidRequest},
		{"id null", `null`, binding.InvalidRequest},
		{"id object", `null`, binding.InvalidRequest},
		{"jsonrpc 1.0", `5`, binding.InvalidRequest},
		{"params list", `6`, binding.InvalidParams},
		{"member twice", `null`, binding.InvalidRequest},
	} {
		out = append(out, step{"envelope " + r.name, inTalk, refusal(r.id, r.code)})
	}
	return out
}

func streams() []step {
	left := func(id string) part { return part{1, end(id)} }
	begun := func(id string) part { return part{2, is(id, submitted, working)} }
	out := []step{
		{"stream", inTalk, streamed(`"s"`, chunks(3)...)},
		{"stream message", inTalk, streamed(`"s"`, "message hello")},
		{"stream input", inTalk, streamed(`"s"`, submitted, working, "TASK_STATE_INPUT_REQUIRED")},
		{"stream error", inTalk, parts(begun(`"s"`), part{1, told(`"s"`, "InternalError", binding.Internal)})},
		{"stream error at once", inTalk, told(`"s"`, "TaskNotFoundError", binding.TaskNotFound)},
		{"stream the id again", inTalk, parts(
			part{4, streamed(`"s"`, submitted, working, done)}, part{4, streamed(`"s"`, submitted, working, done)})},

		{"subscribe", inTalk, streamed(`"sub"`, "task TASK_STATE_WORKING", canceled)},
		{"subscribe unknown", inTalk, refusal(`3`, binding.TaskNotFound)},
		{"subscribe ended", inTalk, refusal(`5`, binding.UnsupportedOperation)},

		{"leave", inTalk, parts(begun(`7`), left(`7`),
			part{1, result(`8`, inState(pb.TaskState_TASK_STATE_WORKING))},
			part{1, result(`"cancel"`, inState(pb.TaskState_TASK_STATE_CANCELED))})},
		{"leave at once", inTalk, end(`7`)},
		{"leave a call", inTalk, refusal(`9`, binding.Canceled)},
		{`"1" and 1 at once`, inTalk, parts(begun(`1`), begun(`"1"`), left(`1`), left(`"1"`))},

		{"credits", withFlow, streamed(`7`, chunks(6)...)},
		{"credits of a window", withFlow, streamed(`7`, done)},
		{"credits as they are used", withFlow, streamed(`7`, done)},
		{"leave what is held back", withFlow, parts(part{1, is(`7`, submitted)}, left(`7`))},
		{"credit for nothing", withFlow, nothing},
		{"no credits", withoutFlow, func(t require.TestingT, o outcome) {
			require.Len(t, o.Frames, 3)
			assert.Equal(t, "1004", o.Frames[0], "of frames")
			streamed(`7`, done)(t, outcome{Frames: o.Frames[1:]})
		}},
	}
	for _, n := range []string{`0`, `-1`, `"4"`, `1.5`} {
		out = append(out, step{"window of " + n, withFlow, refusal(`7`, binding.InvalidParams)})
	}
	return out
}
