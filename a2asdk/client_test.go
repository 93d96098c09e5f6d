package a2asdk_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/refagent"
	"github.com/a2awire/a2awire/ws"
)

const extension = "https://ext.example/geo/v1"

func newReference(t *testing.T) binding.Agent {
	a := refagent.New(&refagent.Options{Extensions: []string{extension}})
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}

// The SDK's client calls the reference agent over every binding.
func TestClient(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		iface.Tenant = "acme"
		card := agent.(*refagent.Agent).Card(iface)
		c := clientOf(t, card)
		ctx := t.Context()

		result, err := c.SendMessage(ctx, say("hello"))
		require.NoError(t, err)
		task := result.(*a2a.Task)
		assert.Equal(t, a2a.TaskStateCompleted, task.Status.State)
		assert.Equal(t, "echo: hello", task.Artifacts[0].Parts[0].Text())

		result, err = c.SendMessage(ctx, say("message hi"))
		require.NoError(t, err)
		assert.Equal(t, "hi", result.(*a2a.Message).Parts[0].Text())

		evs, err := streamed(ctx, c, say("stream 3"))
		require.NoError(t, err)
		require.Len(t, evs, 6)
		assert.IsType(t, &a2a.Task{}, evs[0])
		assert.True(t, evs[4].(*a2a.TaskArtifactUpdateEvent).LastChunk)
		assert.Equal(t, a2a.TaskStateCompleted, evs[5].(*a2a.TaskStatusUpdateEvent).Status.State)

		got, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: new(0)})
		require.NoError(t, err)
		assert.Empty(t, got.History)
		assert.Equal(t, task.Artifacts, got.Artifacts)

		listed, err := c.ListTasks(ctx, &a2a.ListTasksRequest{Status: a2a.TaskStateCompleted, PageSize: 1})
		require.NoError(t, err)
		assert.Len(t, listed.Tasks, 1)
		assert.Equal(t, 2, listed.TotalSize)
		assert.NotEmpty(t, listed.NextPageToken)
		listed, err = c.ListTasks(ctx, &a2a.ListTasksRequest{PageToken: listed.NextPageToken, PageSize: 1, Status: a2a.TaskStateCompleted, IncludeArtifacts: true})
		require.NoError(t, err)
		assert.Empty(t, listed.NextPageToken)
		assert.Equal(t, "echo: hello", listed.Tasks[0].Artifacts[0].Parts[0].Text())

		extended, err := c.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		require.NoError(t, err)
		assert.Len(t, extended.Skills, len(card.GetSkills())+1)
	})
}

// A conversation of turns, a subscription and a cancel.
func TestClientSubscribesAndCancels(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		result, err := c.SendMessage(t.Context(), say("input"))
		require.NoError(t, err)
		task := result.(*a2a.Task)
		require.Equal(t, a2a.TaskStateInputRequired, task.Status.State)

		var states []a2a.TaskState
		for ev, err := range c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: task.ID}) {
			require.NoError(t, err)
			switch ev := ev.(type) {
			case *a2a.Task:
				states = append(states, ev.Status.State)
				canceled, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID, Metadata: map[string]any{"why": "enough"}})
				require.NoError(t, err)
				assert.Equal(t, a2a.TaskStateCanceled, canceled.Status.State)
			case *a2a.TaskStatusUpdateEvent:
				states = append(states, ev.Status.State)
			}
		}
		assert.Equal(t, []a2a.TaskState{a2a.TaskStateInputRequired, a2a.TaskStateCanceled}, states)

		_, err = c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID})
		require.ErrorIs(t, err, a2a.ErrTaskNotCancelable)
		for _, err := range c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: "nope"}) {
			require.ErrorIs(t, err, a2a.ErrTaskNotFound)
		}
	})
}

func TestClientPushConfigs(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		result, err := c.SendMessage(t.Context(), say("input"))
		require.NoError(t, err)
		id := result.(*a2a.Task).ID
		for _, p := range []string{"p1", "p2", "p3"} {
			made, err := c.CreateTaskPushConfig(t.Context(), &a2a.PushConfig{
				TaskID: id, ID: p, URL: "https://93.184.215.14/hook", Token: "t", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "c"},
			})
			require.NoError(t, err)
			assert.Equal(t, p, made.ID)
		}
		got, err := c.GetTaskPushConfig(t.Context(), &a2a.GetTaskPushConfigRequest{TaskID: id, ID: "p2"})
		require.NoError(t, err)
		assert.Equal(t, "https://93.184.215.14/hook", got.URL)
		require.NoError(t, c.DeleteTaskPushConfig(t.Context(), &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: "p2"}))
		configs, err := c.ListTaskPushConfigs(t.Context(), &a2a.ListTaskPushConfigRequest{TaskID: id})
		require.NoError(t, err)
		assert.Len(t, configs, 2)
		_, err = c.GetTaskPushConfig(t.Context(), &a2a.GetTaskPushConfigRequest{TaskID: id, ID: "p2"})
		require.ErrorIs(t, err, a2a.ErrTaskNotFound)
	})
}

// What travels beside a call: parameters, tenant, extensions, and those that
// were activated.
func TestClientParameters(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		iface.Tenant = "acme"
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		ctx, reply := a2asdk.WithReply(a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{
			"a2a-extensions": {extension, "https://ext.example/other"}, "x-custom": {"a", "b"},
		}))
		mirror := say("mirror")
		mirror.Message.Parts = append(mirror.Message.Parts, a2a.NewDataPart([]any{1, "x", nil}))
		mirror.Metadata = map[string]any{"k": []string{"v"}}
		result, err := c.SendMessage(ctx, mirror)
		require.NoError(t, err)
		seen := result.(*a2a.Task).Artifacts[0].Parts[0].Data().(map[string]any)
		assert.Equal(t, "acme", seen["tenant"])
		assert.Equal(t, map[string]any{"k": []any{"v"}}, seen["metadata"])
		params := seen["serviceParameters"].(map[string]any)
		assert.Equal(t, "1.0", params["a2a-version"])
		assert.Equal(t, "a, b", params["x-custom"])
		assert.Equal(t, []string{extension, "https://ext.example/other"}, binding.SplitList(params["a2a-extensions"].(string)))
		assert.Equal(t, extension, reply.Param("A2A-Extensions"))

		ctx, reply = a2asdk.WithReply(ctx)
		for _, err := range c.SendStreamingMessage(ctx, say("stream 1")) {
			require.NoError(t, err)
			assert.Equal(t, extension, reply.Param("a2a-extensions"))
		}
	})
}

// An agent of the SDK that passes on what it was asked with: the version of its
// own caller, and all headers of the request.
func TestClientPassesParametersOn(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		ctx := a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{
			"a2a-version": {"1.0"}, "user-agent": {"x"}, "content-type": {"application/json"}, "content-length": {"7"}, "x-custom": {"v"},
		})
		result, err := c.SendMessage(ctx, say("mirror"))
		require.NoError(t, err)
		seen := result.(*a2a.Task).Artifacts[0].Parts[0].Data().(map[string]any)
		assert.Equal(t, map[string]any{"a2a-version": "1.0", "x-custom": "v"}, seen["serviceParameters"])
	})
}

// Every error of the reference agent, to a call and after a stream's first events.
func TestClientErrors(t *testing.T) {
	names := map[string]error{
		"TaskNotFoundError": a2a.ErrTaskNotFound, "TaskNotCancelableError": a2a.ErrTaskNotCancelable,
		"PushNotificationNotSupportedError": a2a.ErrPushNotificationNotSupported, "UnsupportedOperationError": a2a.ErrUnsupportedOperation,
		"ContentTypeNotSupportedError": a2a.ErrUnsupportedContentType, "InvalidAgentResponseError": a2a.ErrInvalidAgentResponse,
		"ExtendedAgentCardNotConfiguredError": a2a.ErrExtendedCardNotConfigured,
		"ExtensionSupportRequiredError":       a2a.ErrExtensionSupportRequired, "VersionNotSupportedError": a2a.ErrVersionNotSupported,
		"JSONParseError": a2a.ErrParseError, "InvalidRequestError": a2a.ErrInvalidRequest, "MethodNotFoundError": a2a.ErrMethodNotFound,
		"InvalidParamsError": a2a.ErrInvalidParams, "InternalError": a2a.ErrInternalError,
		"UnauthenticatedError": a2a.ErrUnauthenticated, "PermissionDeniedError": a2a.ErrUnauthorized,
		"UnavailableError": binding.ErrUnavailable, "ResourceExhaustedError": binding.ErrResourceExhausted,
		"DeadlineExceededError": context.DeadlineExceeded, "CanceledError": context.Canceled,
	}
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		for name, want := range names {
			_, err := c.SendMessage(t.Context(), say("error "+name))
			evs, late := streamed(t.Context(), c, say("error-after 2 "+name))
			assert.Len(t, evs, 2)
			for _, err := range []error{err, late} {
				require.ErrorIs(t, err, want, name)
				var e *a2a.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, name+", as asked", e.Error())
				assert.Equal(t, name, e.ErrorInfo().Value["metadata"].(map[string]any)["error"])
				assert.NotEmpty(t, e.Details)
			}
		}
	})
}

// A client that cannot connect, and one whose agent has gone.
func TestClientUnavailable(t *testing.T) {
	onEveryWire(t, newReference, func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent) {
		c := clientOf(t, agent.(*refagent.Agent).Card(iface))
		require.NoError(t, agent.(*refagent.Agent).Close())
		_, err := c.SendMessage(t.Context(), say("hello"))
		require.ErrorIs(t, err, binding.ErrUnavailable)
	})
	_, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{a2a.NewAgentInterface("ws://127.0.0.1:1/a2a", a2a.TransportProtocol(ws.Protocol))},
		a2asdk.WithBindings(binding.NewRegistry(ws.Binding{}))...)
	require.ErrorContains(t, err, "ws: dial")
}
