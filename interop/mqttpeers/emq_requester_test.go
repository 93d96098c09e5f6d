//go:build interop

package mqttpeers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// heard is what one step of requester.py came to.
type heard struct {
	Step    string
	Task    string  // the id that the SDK made, "" for none
	Replies []reply // kinds and texts
}

type reply [2]string

// EMQ's requester with our agent.
func TestEMQRequester(t *testing.T) {
	for _, agent := range agents {
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			url := startMosquitto(t)
			server := serve(t, url, agent.make(t))
			host, port := hostPort(t, url)
			got := map[string]heard{}
			for _, h := range leg.Run[heard](t, patience, python, "requester.py", host, port, address.Org, address.Unit, address.Agent) {
				assert.NotContains(t, got, h.Step, "a step is there twice")
				got[h.Step] = h
			}
			judge(t, requesterSteps(), requesterFaults, got)

			client, err := mqtt.Dial(t.Context(), server.Interface().GetUrl(), nil)
			require.NoError(t, err)
			defer client.Close()
			assert.Eventually(t, func() bool { return executed(t, client, "echo: echo forgotten") == 1 }, 5*time.Second, 50*time.Millisecond,
				"a request whose reply nobody reads is executed all the same")
			assert.Equal(t, 1, executed(t, client, "long done"), "a request that is repeated is executed once")
		})
	}
}

// executed is how many tasks there are with that artifact.
func executed(t *testing.T, client binding.Client, artifact string) (n int) {
	t.Helper()
	list, err := client.ListTasks(within(t, 10*time.Second), nil, &pb.ListTasksRequest{IncludeArtifacts: new(true)})
	require.NoError(t, err)
	assert.Empty(t, list.GetNextPageToken(), "all are on one page")
	for _, task := range list.GetTasks() {
		if slices.ContainsFunc(task.GetArtifacts(), func(a *pb.Artifact) bool { return leg.Text(a.GetParts()) == artifact }) {
			n++
		}
	}
	return n
}

// hears are replies.
func hears(want ...reply) func(require.TestingT, heard) {
	return func(t require.TestingT, h heard) {
		if assert.Len(t, h.Replies, len(want)) {
			for i := range want {
				assert.Equal(t, want[i][0], h.Replies[i][0])
				same(t, want[i][1], h.Replies[i][1])
			}
		}
	}
}

// begun are the replies of a stream, which begins with the id that the SDK made.
func begun(more ...reply) func(require.TestingT, heard) {
	return func(t require.TestingT, h heard) {
		hears(append([]reply{{"submitted", h.Task}, {"text", ""}}, more...)...)(t, h)
	}
}

// ends is a last reply of a kind.
func ends(kind string) func(require.TestingT, heard) {
	return func(t require.TestingT, h heard) {
		require.NotEmpty(t, h.Replies)
		assert.Equal(t, kind, h.Replies[len(h.Replies)-1][0])
	}
}

// What the reference agent asks for.
const (
	wantsInput = "What shall the task go on with?"
	wantsAuth  = "Send any message to authorize the task."
)

// requesterSteps are the steps of requester.py.
func requesterSteps() []step[heard] {
	return []step[heard]{
		{"send", hears(reply{"terminal", "echo: echo hello"})},
		{"send unicode", hears(reply{"terminal", "echo: echo " + leg.Unicode})},
		{"send large", hears(reply{"terminal", "echo: echo " + strings.Repeat("x", 300<<10)})},
		{"message", hears(reply{"text", "hello"})},
		{"fail", hears(reply{"failed", "The task failed, as asked."})},
		{"reject", hears(reply{"failed", "The task was rejected, as asked."})},
		{"error", hears(reply{"error", "UnsupportedOperationError, as asked"})},
		{"input", hears(reply{"input_required", wantsInput})},
		{"next turn", hears(reply{"terminal", "got: blue"})},

		{"stream", begun(reply{"artifact", "chunk 1"}, reply{"artifact", "chunk 2"}, reply{"terminal", ""})},
		{"stream input", begun(reply{"input_required", wantsInput})},
		{"stream auth", ends("timeout")}, // nobody authorizes it
		{"stream error", begun(reply{"error", "InternalError, as asked"})},
		{"stream canceled", begun(reply{"failed", "Task canceled"})},

		{"send to get", hears(reply{"terminal", "echo: echo kept"})},
		{"get", hears(reply{"terminal", "echo: echo kept"})},
		{"get unknown", ends("error")},
		{"cancel", ends("failed")},
		{"cancel ended", ends("error")},

		{"retry", hears(reply{"terminal", "long done"})},
		{"nobody", ends("error")},
	}
}

// requesterFaults are those of the SDK as a requester. Each must still be there.
var requesterFaults = []knownFault[heard]{
	{sdkVersion, "message", hears(reply{"text", "hello"}, reply{"timeout", ""}),
		"it waits for more after a Message, which is all that its operation answers (spec 3.1.1)"},
	{sdkVersion, "stream auth", begun(reply{"input_required", wantsAuth}),
		"it leaves a stream at AUTH_REQUIRED, after which the stream goes on (spec 7.6.1)"},
	{sdkVersion, "get", hears(reply{"timeout", ""}),
		"it passes over a Task that is the result itself, as GetTask has it (spec 9.4.3)"},
	{sdkVersion, "cancel", hears(reply{"timeout", ""}),
		"the same with CancelTask (spec 9.4.5); the task is canceled all the same"},
	{sdkVersion, "nobody", hears(reply{"timeout", ""}),
		"it passes over the broker's word that nobody is there"},
}
