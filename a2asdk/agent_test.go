package a2asdk

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// A stream that begins with its task, or with a message, is left as it is.
func TestStreamBeginsOnce(t *testing.T) {
	for _, answer := range []a2a.Event{
		&a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
		a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("x")),
	} {
		n := 0
		for ev, err := range FromHandler(answering{answer}).SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: &pb.Message{TaskId: "t"}}) {
			require.NoError(t, err)
			assert.NotNil(t, ev)
			n++
		}
		assert.Equal(t, 1, n)
	}
}

// callers is an agent that keeps who called it.
type callers struct {
	binding.Unimplemented
	peers []string
}

func (c *callers) GetTask(_ context.Context, call *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
	c.peers = append(c.peers, call.Peer)
	return nil, binding.ErrTaskNotFound
}

// Who called is known behind an agent that was a handler in between.
func TestPeer(t *testing.T) {
	agent := new(callers)
	_, err := FromHandler(ToHandler(agent, nil)).GetTask(t.Context(), &binding.Call{Peer: "10.0.0.1:7"}, &pb.GetTaskRequest{Id: "t"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
	assert.Equal(t, []string{"10.0.0.1:7"}, agent.peers)
}
