package a2asdk_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/refagent"
	"github.com/a2awire/a2awire/rest"
)

// The SDK's own client over REST reads errors of application/json alone, and
// asks for nothing but events where it streams. It still learns what happened.
func TestOwnClientReadsErrors(t *testing.T) {
	agent := refagent.New(nil)
	t.Cleanup(func() { assert.NoError(t, agent.Close()) })
	s, err := rest.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0"}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	c, err := a2aclient.NewFromCard(t.Context(), a2asdk.ToCard(agent.Card(binding.Interfaces(s)...)))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Destroy()) })

	_, err = c.SendMessage(t.Context(), say("error TaskNotCancelableError"))
	require.ErrorIs(t, err, a2a.ErrTaskNotCancelable)
	_, err = streamed(t.Context(), c, say("error TaskNotCancelableError"))
	require.ErrorIs(t, err, a2a.ErrTaskNotCancelable)
}
