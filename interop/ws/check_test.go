//go:build interop

package ws_test

import (
	"encoding/json"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/interop/leg"
)

// check says what is wrong with an outcome.
type check func(t require.TestingT, o outcome)

// nothing is a step that the server had nothing to say to.
func nothing(t require.TestingT, o outcome) { assert.Empty(t, o.Frames) }

// result is the one frame of an answer, and says what is wrong with its result.
func result(id string, see func(t require.TestingT, result json.RawMessage)) check {
	return func(t require.TestingT, o outcome) { answered(t, o.only(t), id, see) }
}

func answered(t require.TestingT, f frame, id string, see func(t require.TestingT, result json.RawMessage)) {
	require.Nil(t, f.Error)
	require.Nil(t, f.StreamEnd)
	require.Equal(t, id, string(f.ID), "the id comes back as it was written")
	see(t, f.Result)
}

// exactly is a result of that text.
func exactly(want string) func(require.TestingT, json.RawMessage) {
	return func(t require.TestingT, result json.RawMessage) { assert.Equal(t, want, string(result)) }
}

// message is a direct Message of that text.
func message(want string) func(require.TestingT, json.RawMessage) {
	return func(t require.TestingT, result json.RawMessage) {
		m := leg.As(t, result, new(pb.SendMessageResponse)).GetMessage()
		assert.Equal(t, want, leg.Text(m.GetParts()))
		assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
	}
}

// completed is a completed task whose artifact is that text.
func completed(want string) func(require.TestingT, json.RawMessage) {
	return func(t require.TestingT, result json.RawMessage) {
		task := leg.As(t, result, new(pb.SendMessageResponse)).GetTask()
		assert.NotEmpty(t, task.GetContextId())
		assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, task.GetStatus().GetState())
		require.Len(t, task.GetArtifacts(), 1)
		got := leg.Text(task.GetArtifacts()[0].GetParts())
		if want != got { // without a diff: they may be long
			assert.Fail(t, "the artifact is another", "want %d bytes, %.80q; got %d, %.80q", len(want), want, len(got), got)
		}
	}
}

// inState is a Task in a state.
func inState(want pb.TaskState) func(require.TestingT, json.RawMessage) {
	return func(t require.TestingT, result json.RawMessage) {
		task := leg.As(t, result, new(pb.Task))
		assert.NotEmpty(t, task.GetId())
		assert.Equal(t, want, task.GetStatus().GetState())
	}
}

// config is the push notification configuration of the conversation.
func config(t require.TestingT, result json.RawMessage) {
	c := leg.As(t, result, new(pb.TaskPushNotificationConfig))
	assert.NotEmpty(t, c.GetTaskId())
	assert.Equal(t, "push 1/2", c.GetId())
	assert.Equal(t, "https://hooks.example/a2a", c.GetUrl())
}

// refusal is the one frame of an error, with the code of the table and the
// reason that tells errors of one code apart.
func refusal(id string, code binding.Code) check {
	return func(t require.TestingT, o outcome) { refused(t, o.only(t), id, code) }
}

func refused(t require.TestingT, f frame, id string, code binding.Code) {
	require.NotNil(t, f.Error, "not an error: %s", leg.Clip(string(f.Result)))
	assert.Nil(t, f.Result)
	assert.Nil(t, f.StreamEnd)
	assert.Equal(t, id, string(f.ID))
	assert.Equal(t, errmap.JSONRPC(&binding.Error{Code: code}), f.Error.Code, "%+v", f.Error)
	assert.Equal(t, string(code), leg.ErrorInfo(f.Error.Data)["reason"], "%+v", f.Error)
	assert.NotEmpty(t, f.Error.Message)
}

// told is an error that the reference agent was asked for, with its details.
func told(id, name string, code binding.Code, more ...string) check {
	return func(t require.TestingT, o outcome) {
		f := o.only(t)
		refused(t, f, id, code)
		assert.Equal(t, name+", as asked", f.Error.Message)
		assert.Equal(t, map[string]any{"error": name, "raisedBy": "refagent"}, leg.ErrorInfo(f.Error.Data)["metadata"])
		assert.ElementsMatch(t, append([]string{"ErrorInfo", "LocalizedMessage", "Help"}, more...), leg.Kinds(f.Error.Data))
	}
}

// streamed is a whole stream: events of these shapes, and one streamEnd behind them.
func streamed(id string, shapes ...string) check {
	return func(t require.TestingT, o outcome) {
		n := len(o.Frames) - 1
		require.GreaterOrEqual(t, n, 0)
		assert.Equal(t, shapes, events(t, id, o.Frames[:n]))
		assert.Equal(t, ended(id), o.Frames[n])
	}
}

// ended is the frame behind a stream that ended well.
func ended(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"streamEnd":true}` }

// events are the shapes of a stream's frames.
func events(t require.TestingT, id string, frames []string) []string {
	out := []string{}
	for _, text := range frames {
		answered(t, read(t, text), id, func(t require.TestingT, result json.RawMessage) {
			out = append(out, leg.Shape(leg.As(t, result, new(pb.StreamResponse))))
		})
	}
	return out
}

// chunks are the shapes of "stream N".
func chunks(n int) []string {
	out := []string{submitted, working}
	for i := 1; i <= n; i++ {
		out = append(out, chunk(i, n))
	}
	return append(out, done)
}

// parts are several checks, each on so many frames of an outcome; 0 is the rest.
func parts(of ...part) check {
	return func(t require.TestingT, o outcome) {
		for _, p := range of {
			n := p.frames
			if n == 0 {
				n = len(o.Frames)
			}
			require.GreaterOrEqual(t, len(o.Frames), n)
			p.is(t, outcome{Frames: o.Frames[:n]})
			o.Frames = o.Frames[n:]
		}
		assert.Empty(t, o.Frames, "frames that nobody expects")
	}
}

type part struct {
	frames int
	is     check
}

// is are events of a stream that goes on.
func is(id string, shapes ...string) check {
	return func(t require.TestingT, o outcome) { assert.Equal(t, shapes, events(t, id, o.Frames)) }
}

// end is the streamEnd of a stream.
func end(id string) check {
	return func(t require.TestingT, o outcome) { assert.Equal(t, []string{ended(id)}, o.Frames) }
}

// closed is a connection that the server closed, for a reason that it says.
func closed(code int, frames check) check {
	return func(t require.TestingT, o outcome) {
		require.NotNil(t, o.Close)
		assert.Equal(t, code, o.Close.Code)
		assert.NotEmpty(t, o.Close.Reason)
		frames(t, o)
	}
}

// status is a handshake that is refused with an HTTP status and an error (spec 11.6).
func status(code int, reason binding.Code) check {
	return func(t require.TestingT, o outcome) {
		assert.Equal(t, code, o.Status)
		require.Len(t, o.Frames, 1)
		assert.Contains(t, o.Frames[0], `"reason":"`+string(reason)+`"`)
	}
}

// bare is a handshake that is refused with an HTTP status.
func bare(code int) check {
	return func(t require.TestingT, o outcome) { assert.Equal(t, code, o.Status) }
}

// header is one that an answer to a handshake has.
func header(name, want string) check {
	return func(t require.TestingT, o outcome) { assert.Equal(t, want, o.Headers[strings.ToLower(name)]) }
}

// all are several checks of one outcome.
func all(checks ...check) check {
	return func(t require.TestingT, o outcome) {
		for _, c := range checks {
			c(t, o)
		}
	}
}
