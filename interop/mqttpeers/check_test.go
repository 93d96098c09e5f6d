//go:build interop

package mqttpeers_test

import (
	"encoding/json"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/interop/leg"
)

// check says what is wrong with an outcome.
type check func(t require.TestingT, o outcome)

// look says what is wrong with the result of an answer.
type look func(t require.TestingT, result json.RawMessage)

// nothing is a step that the agent had nothing to say to.
func nothing(t require.TestingT, o outcome) { assert.Empty(t, o.Packets) }

// result is the one packet of an answer, and says what is wrong with its result.
func result(id string, see look) check {
	return func(t require.TestingT, o outcome) { answered(t, o.only(t), id, see) }
}

func answered(t require.TestingT, p packet, id string, see look) {
	r := p.read(t)
	require.Nil(t, r.Error, "%s", leg.Clip(p.Payload))
	require.Equal(t, id, string(r.ID), "the id comes back as it was written")
	see(t, r.Result)
}

// exactly is a result of that text.
func exactly(want string) look {
	return func(t require.TestingT, result json.RawMessage) { assert.Equal(t, want, string(result)) }
}

// message is a direct Message of that text.
func message(want string) look {
	return func(t require.TestingT, result json.RawMessage) {
		m := leg.As(t, result, new(pb.SendMessageResponse)).GetMessage()
		assert.Equal(t, want, leg.Text(m.GetParts()))
		assert.Equal(t, pb.Role_ROLE_AGENT, m.GetRole())
	}
}

// completed is a completed task whose artifact is that text.
func completed(want string) look {
	return func(t require.TestingT, result json.RawMessage) {
		task := leg.As(t, result, new(pb.SendMessageResponse)).GetTask()
		assert.NotEmpty(t, task.GetContextId())
		assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, task.GetStatus().GetState())
		require.Len(t, task.GetArtifacts(), 1)
		same(t, want, leg.Text(task.GetArtifacts()[0].GetParts()))
	}
}

// same compares texts without a diff: they may be long.
func same(t require.TestingT, want, got string) {
	if want != got {
		assert.Fail(t, "the text is another", "want %d bytes, %.80q; got %d, %.80q", len(want), want, len(got), got)
	}
}

// inState is a Task in a state.
func inState(want pb.TaskState) look {
	return func(t require.TestingT, result json.RawMessage) {
		task := leg.As(t, result, new(pb.Task))
		assert.NotEmpty(t, task.GetId())
		assert.Equal(t, want, task.GetStatus().GetState())
	}
}

// tasks is a list of so many tasks.
func tasks(n int) look {
	return func(t require.TestingT, result json.RawMessage) {
		assert.EqualValues(t, n, leg.As(t, result, new(pb.ListTasksResponse)).GetTotalSize())
	}
}

// config is the push notification configuration of the conversation.
func config(t require.TestingT, result json.RawMessage) {
	c := leg.As(t, result, new(pb.TaskPushNotificationConfig))
	assert.NotEmpty(t, c.GetTaskId())
	assert.Equal(t, "push 1/2", c.GetId())
	assert.Equal(t, "https://hooks.example/a2a", c.GetUrl())
}

// refusal is the one packet of an error, with the code of the table and the
// reason that tells errors of one code apart.
func refusal(id string, code binding.Code) check {
	return func(t require.TestingT, o outcome) { refused(t, o.only(t), id, code) }
}

// refused is an error, and gives its message and details.
func refused(t require.TestingT, p packet, id string, code binding.Code) (message string, details []map[string]any) {
	r := p.read(t)
	require.NotNil(t, r.Error, "not an error: %s", leg.Clip(p.Payload))
	assert.Nil(t, r.Result)
	assert.Equal(t, id, string(r.ID))
	assert.Equal(t, errmap.JSONRPC(&binding.Error{Code: code}), r.Error.Code, "%s", leg.Clip(p.Payload))
	transport, details := r.Error.details(t)
	assert.Empty(t, transport, "an error of A2A, not of the transport")
	assert.Equal(t, string(code), leg.ErrorInfo(details)["reason"], "%s", leg.Clip(p.Payload))
	assert.NotEmpty(t, r.Error.Message)
	return r.Error.Message, details
}

// told is an error that the reference agent was asked for, with its details.
func told(id, name string, code binding.Code, more ...string) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, 1)
		message, details := refused(t, o.Packets[0], id, code)
		assert.Equal(t, name+", as asked", message)
		assert.Equal(t, map[string]any{"error": name, "raisedBy": "refagent"}, leg.ErrorInfo(details)["metadata"])
		assert.ElementsMatch(t, append([]string{"ErrorInfo", "LocalizedMessage", "Help"}, more...), leg.Kinds(details))
	}
}

// tooLarge is an error of the transport.
func tooLarge(t require.TestingT, o outcome) {
	r := o.only(t).read(t)
	require.NotNil(t, r.Error)
	assert.Equal(t, "2", string(r.ID))
	assert.Equal(t, -32000, r.Error.Code)
	transport, details := r.Error.details(t)
	assert.Equal(t, "payload_too_large", transport)
	assert.Equal(t, string(binding.ResourceExhausted), leg.ErrorInfo(details)["reason"])
}

// labelled are packets for calls of these labels.
func labelled(labels ...string) check {
	return func(t require.TestingT, o outcome) {
		var got []string
		for _, p := range o.Packets {
			got = append(got, p.Call)
		}
		assert.Equal(t, labels, got)
	}
}

// alike are packets with one and the same payload.
func alike(t require.TestingT, o outcome) {
	for _, p := range o.Packets {
		assert.Equal(t, o.Packets[0].Payload, p.Payload)
	}
}

// part is a check of so many packets of an outcome; 0 is the rest.
type part struct {
	packets int
	is      check
}

// parts are several checks, one behind the other.
func parts(of ...part) check {
	return func(t require.TestingT, o outcome) {
		for _, p := range of {
			n := p.packets
			if n == 0 {
				n = len(o.Packets)
			}
			require.GreaterOrEqual(t, len(o.Packets), n)
			p.is(t, outcome{Packets: o.Packets[:n]})
			o.Packets = o.Packets[n:]
		}
		assert.Empty(t, o.Packets, "packets that nobody expects")
	}
}

// all are several checks of one outcome.
func all(checks ...check) check {
	return func(t require.TestingT, o outcome) {
		for _, c := range checks {
			c(t, o)
		}
	}
}
