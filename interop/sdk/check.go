//go:build interop

package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// Check says what is wrong with an outcome.
type Check func(t require.TestingT, o Outcome)

// in is a task in a state.
func in(state pb.TaskState) Check {
	return func(t require.TestingT, o Outcome) { assert.Equal(t, state, o.task(t).GetStatus().GetState()) }
}

// stopped is a task in a state, with a status message of the agent's.
func stopped(state pb.TaskState) Check {
	return func(t require.TestingT, o Outcome) {
		in(state)(t, o)
		m := o.task(t).GetStatus().GetMessage()
		assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
		assert.NotEmpty(t, leg.Text(m.GetParts()))
	}
}

// Completed is a completed task whose artifact is that text.
func Completed(want string) Check {
	return func(t require.TestingT, o Outcome) {
		in(pb.TaskState_TASK_STATE_COMPLETED)(t, o)
		same(t, want, artifactText(o.task(t)))
	}
}

// same compares texts that may be long, and shows where they part.
func same(t require.TestingT, want, got string) {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	if i < len(want) || i < len(got) {
		assert.Fail(t, "the text is another", "byte %d of %d and %d: want %.60q, got %.60q", i, len(want), len(got), want[i:], got[i:])
	}
}

// Fails is an error that every transport has told apart.
func Fails(code binding.Code) Check {
	return func(t require.TestingT, o Outcome) {
		require.False(t, o.OK, "the step succeeded: %s", leg.Clip(string(o.Result)))
		assert.Equal(t, string(code), o.Error.Reason, "%+v", o.Error)
		assert.NotEmpty(t, o.Error.Message)
		if o.Error.Code != 0 {
			assert.Equal(t, wireCodes[code][o.transport], o.Error.Code, "%+v", o.Error)
		}
	}
}

// wireCodes are the codes of spec 5.4 and 9.5 by transport.
var wireCodes = map[binding.Code]map[string]int{
	binding.TaskNotFound:                   {"jsonrpc": -32001, "grpc": 5, "rest": 404},
	binding.TaskNotCancelable:              {"jsonrpc": -32002, "grpc": 9, "rest": 400},
	binding.PushNotificationNotSupported:   {"jsonrpc": -32003, "grpc": 9, "rest": 400},
	binding.UnsupportedOperation:           {"jsonrpc": -32004, "grpc": 9, "rest": 400},
	binding.ContentTypeNotSupported:        {"jsonrpc": -32005, "grpc": 3, "rest": 400},
	binding.InvalidAgentResponse:           {"jsonrpc": -32006, "grpc": 13, "rest": 500},
	binding.ExtendedAgentCardNotConfigured: {"jsonrpc": -32007, "grpc": 9, "rest": 400},
	binding.ExtensionSupportRequired:       {"jsonrpc": -32008, "grpc": 9, "rest": 400},
	binding.VersionNotSupported:            {"jsonrpc": -32009, "grpc": 9, "rest": 400},
	binding.InvalidParams:                  {"jsonrpc": -32602, "grpc": 3, "rest": 400},
	binding.Internal:                       {"jsonrpc": -32603, "grpc": 13, "rest": 500},
}

// Streamed is a stream of that shape which ended well.
func Streamed(want ...string) Check {
	return func(t require.TestingT, o Outcome) {
		o.succeeded(t)
		require.Equal(t, want, shapes(o.events(t)))
	}
}

// BrokenOff is a stream of that many events and then an error.
func BrokenOff(n int, code binding.Code) Check {
	return func(t require.TestingT, o Outcome) {
		assert.Len(t, o.events(t), n)
		require.False(t, o.OK, "the stream ended well: %s", leg.Clip(string(o.Result)))
		assert.Equal(t, string(code), o.Error.Reason, "%+v", o.Error)
		told(t, o, code)
	}
}

// told is what the reference agent says of an error that it was asked for. Of
// internal errors some SDKs keep the message alone.
func told(t require.TestingT, o Outcome, code binding.Code) {
	assert.Contains(t, o.Error.Message, ", as asked")
	if code != binding.Internal {
		assert.Equal(t, "refagent", o.Error.Metadata["raisedBy"], "%+v", o.Error)
	}
}

// Bare is an error that the reference agent was asked for, as its message says,
// where the metadata were dropped.
func Bare(t require.TestingT, o Outcome) {
	require.False(t, o.OK, "the step succeeded: %s", leg.Clip(string(o.Result)))
	name, _, _ := strings.Cut(o.Error.Message, ", as asked")
	asked := leg.Asked()
	i := slices.IndexFunc(asked, func(a leg.AskedError) bool { return a.Name == name })
	require.GreaterOrEqual(t, i, 0, "%+v", o.Error)
	Fails(asked[i].Code)(t, o)
	assert.Empty(t, o.Error.Metadata)
}

// shapes are events as words: what each is, and what it says.
func shapes(events []*pb.StreamResponse) []string {
	out := make([]string, len(events))
	for i, e := range events {
		switch x := e.GetPayload().(type) {
		case *pb.StreamResponse_Task:
			out[i] = "task"
		case *pb.StreamResponse_Message:
			out[i] = "message " + leg.Text(x.Message.GetParts())
		case *pb.StreamResponse_StatusUpdate:
			out[i] = x.StatusUpdate.GetStatus().GetState().String()
		case *pb.StreamResponse_ArtifactUpdate:
			u := x.ArtifactUpdate
			out[i] = fmt.Sprintf("artifact %.20s append=%t last=%t", leg.Text(u.GetArtifact().GetParts()), u.GetAppend(), u.GetLastChunk())
		default:
			out[i] = "nothing"
		}
	}
	return out
}

// mirrored is what a field of a mirrored request was, as ProtoJSON made it.
func mirrored(see func(t require.TestingT, request map[string]any)) Check {
	return func(t require.TestingT, o Outcome) {
		in(pb.TaskState_TASK_STATE_COMPLETED)(t, o)
		artifacts := o.task(t).GetArtifacts()
		require.Len(t, artifacts, 1)
		require.Len(t, artifacts[0].GetParts(), 1)
		request, ok := artifacts[0].GetParts()[0].GetData().AsInterface().(map[string]any)
		require.True(t, ok, "%s", leg.Clip(string(o.Result)))
		see(t, request)
	}
}

// at walks into nested objects and lists.
func at(t require.TestingT, v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			require.Contains(t, m, p)
			v = m[p]
		case int:
			l, _ := v.([]any)
			require.Greater(t, len(l), p)
			v = l[p]
		}
	}
	return v
}

// Is is a result that is that JSON, where it is not the right one.
func Is(want string) Check {
	return func(t require.TestingT, o Outcome) { assert.JSONEq(t, want, string(o.succeeded(t))) }
}

// Sees is a result in whose JSON, without spaces, that text is, where it is not
// the right one.
func Sees(text string) Check {
	return func(t require.TestingT, o Outcome) {
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, o.succeeded(t)))
		assert.Contains(t, compact.String(), text)
	}
}

// Errs is an error whose description has that text, where it is not the right
// one.
func Errs(text string) Check {
	return func(t require.TestingT, o Outcome) {
		require.False(t, o.OK, "the step succeeded: %s", leg.Clip(string(o.Result)))
		assert.Contains(t, o.Error.Reason+" "+o.Error.Name+" "+o.Error.Message, text, "%+v", o.Error)
	}
}
