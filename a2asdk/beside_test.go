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

// activating is an agent that activates extensions.
type activating struct {
	binding.Unimplemented
	uris []string
}

func (a activating) GetTask(_ context.Context, call *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
	call.ActivateExtensions(a.uris...)
	call.SetReply("x-agent", "a")
	return nil, binding.ErrTaskNotFound
}

// Extensions that a handler sets and those that are activated are told
// together, once each.
func TestExtensionsTold(t *testing.T) {
	for _, c := range []struct {
		set, activated []string
		want           string
	}{
		{nil, nil, ""},
		{nil, []string{"x", "y"}, "x,y"},
		{[]string{"z, x, z"}, nil, "z,x"},
		{[]string{"w", "y, z"}, []string{"x", "y"}, "y,z,x"},
	} {
		call := new(binding.Call)
		ctx, told := asked(t.Context(), call)
		for _, uris := range c.set {
			SetReply(ctx, "A2A-Extensions", uris)
		}
		_, err := ToHandler(activating{uris: c.activated}, nil).GetTask(ctx, &a2a.GetTaskRequest{ID: "t"})
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
		told()
		assert.Equal(t, c.want, call.Reply.Get(binding.ParamExtensions))
		assert.Equal(t, "a", call.Reply.Get("x-agent"))
	}
}
