package a2asdk_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// parrot is an executor as the SDK's documentation has them. It repeats what
// it is told; "ask" asks back, and "error" fails before there is a task.
type parrot struct{}

func (parrot) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := x.Message.Parts[0].Text()
		if text == "error" {
			yield(nil, a2a.NewError(a2a.ErrUnsupportedContentType, "no such words").WithErrorInfoMeta(map[string]string{"word": text}))
			return
		}
		if extensions, ok := a2asrv.ExtensionsFrom(ctx); ok && extensions.Requested(&a2a.AgentExtension{URI: extension}) {
			extensions.Activate(&a2a.AgentExtension{URI: extension})
		}
		a2asdk.SetReply(ctx, "X-Parrot", "polly")
		credential, _ := x.ServiceParams.Get("authorization")
		custom, _ := x.ServiceParams.Get("x-custom")
		said := fmt.Sprintf("%s for %s, %v %v, peer %t", text, x.Tenant, credential, custom, a2asdk.Peer(ctx) != "")

		state := a2a.TaskStateCompleted
		if text == "ask" {
			state = a2a.TaskStateInputRequired
		}
		if x.StoredTask == nil && !yield(a2a.NewSubmittedTask(x, x.Message), nil) {
			return
		}
		_ = yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateWorking, nil), nil) &&
			yield(a2a.NewArtifactEvent(x, a2a.NewTextPart(said), a2a.NewDataPart([]int{1, 2})), nil) &&
			yield(a2a.NewStatusUpdateEvent(x, state, nil), nil)
	}
}

func (parrot) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}

func newParrot(*testing.T) binding.Agent {
	return a2asdk.FromHandler(a2asrv.NewHandler(parrot{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler))))
}

func tell(text, task string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Tenant: "acme", Message: &pb.Message{
		MessageId: "m-" + text, TaskId: task, Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}},
	}}
}

// An executor of the SDK is called over every binding.
func TestExecutor(t *testing.T) {
	onEveryWire(t, newParrot, func(t *testing.T, iface *pb.AgentInterface, _ binding.Agent) {
		c, err := catalogue.Registry(binding.Options{}).Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface}})
		require.NoError(t, err)
		defer func() { assert.NoError(t, c.Close()) }()
		call := func() *binding.Call {
			return &binding.Call{
				Params:     binding.Params{binding.ParamExtensions: "https://ext.example/x, " + extension, "x-custom": "one, two"},
				Credential: "Bearer abc",
			}
		}
		const said = "hello for acme, [Bearer abc] [one, two], peer true"

		unary := call()
		resp, err := c.SendMessage(t.Context(), unary, tell("hello", ""))
		require.NoError(t, err)
		task := resp.GetTask()
		assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, task.GetStatus().GetState())
		assert.Equal(t, said, task.GetArtifacts()[0].GetParts()[0].GetText())
		assert.Len(t, task.GetArtifacts()[0].GetParts()[1].GetData().GetListValue().GetValues(), 2)
		assert.Equal(t, extension, unary.Reply.Get(binding.ParamExtensions))
		assert.Equal(t, "polly", unary.Reply.Get("x-parrot"))

		streamed := call()
		var kinds []string
		for ev, err := range c.SendStreamingMessage(t.Context(), streamed, tell("hello", "")) {
			require.NoError(t, err)
			assert.Equal(t, "polly", streamed.Reply.Get("x-parrot"))
			assert.Equal(t, extension, streamed.Reply.Get(binding.ParamExtensions))
			kinds = append(kinds, fmt.Sprintf("%T", ev.GetPayload()))
		}
		assert.Equal(t, []string{"*a2apb.StreamResponse_Task", "*a2apb.StreamResponse_StatusUpdate", "*a2apb.StreamResponse_ArtifactUpdate", "*a2apb.StreamResponse_StatusUpdate"}, kinds)

		got, err := c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: task.GetId()})
		require.NoError(t, err)
		assert.Equal(t, task.GetArtifacts()[0].GetArtifactId(), got.GetArtifacts()[0].GetArtifactId())
		_, err = c.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: task.GetId()})
		require.ErrorIs(t, err, binding.ErrTaskNotCancelable)
		_, err = c.ListTaskPushNotificationConfigs(t.Context(), nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: task.GetId()})
		require.ErrorIs(t, err, binding.ErrPushNotificationNotSupported)
		_, err = c.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
		require.ErrorIs(t, err, binding.ErrExtendedAgentCardNotConfigured)
	})
}

// An executor's own error, before it has a task, has its code, words and
// details.
func TestExecutorFails(t *testing.T) {
	onEveryWire(t, newParrot, func(t *testing.T, iface *pb.AgentInterface, _ binding.Agent) {
		c, err := catalogue.Registry(binding.Options{}).Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface}})
		require.NoError(t, err)
		defer func() { assert.NoError(t, c.Close()) }()
		_, unary := c.SendMessage(t.Context(), nil, tell("error", ""))
		var streamed error
		for ev, err := range c.SendStreamingMessage(t.Context(), nil, tell("error", "")) {
			assert.Nil(t, ev)
			streamed = err
		}
		for _, err := range []error{unary, streamed} {
			require.ErrorIs(t, err, binding.ErrContentTypeNotSupported)
			e := binding.Flatten(err)
			assert.Contains(t, e.Text(), "no such words")
			assert.True(t, e.Remote)
			assert.Equal(t, string(binding.ContentTypeNotSupported), e.Info().GetReason())
			assert.Equal(t, map[string]string{"word": "error"}, e.Info().GetMetadata())
		}
	})
}

// The stream of a further turn, which an executor begins with an update,
// begins with the task as it was (spec 3.1.2).
func TestExecutorTakesTurns(t *testing.T) {
	c := binding.Remote(binding.NewInbound(newParrot(t), &binding.Options{DefaultVersion: binding.Version}))
	resp, err := c.SendMessage(t.Context(), nil, tell("ask", ""))
	require.NoError(t, err)
	task := resp.GetTask()
	require.Equal(t, pb.TaskState_TASK_STATE_INPUT_REQUIRED, task.GetStatus().GetState())

	var evs []*pb.StreamResponse
	for ev, err := range c.SendStreamingMessage(t.Context(), nil, tell("answer", task.GetId())) {
		require.NoError(t, err)
		evs = append(evs, ev)
	}
	require.Len(t, evs, 4)
	assert.Equal(t, pb.TaskState_TASK_STATE_INPUT_REQUIRED, evs[0].GetTask().GetStatus().GetState())
	assert.Len(t, evs[0].GetTask().GetArtifacts(), 1)
	assert.Equal(t, pb.TaskState_TASK_STATE_WORKING, evs[1].GetStatusUpdate().GetStatus().GetState())
	assert.Contains(t, evs[2].GetArtifactUpdate().GetArtifact().GetParts()[0].GetText(), "answer")
	assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, evs[3].GetStatusUpdate().GetStatus().GetState())

	// A task that is not there is the handler's to report.
	for _, err := range c.SendStreamingMessage(t.Context(), nil, tell("answer", "nope")) {
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
	}
}

// A caller leaves its stream; the task goes on, and is canceled (spec 3.5.2).
func TestExecutorOutlivesItsCaller(t *testing.T) {
	h := a2asrv.NewHandler(patient{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	c := binding.Remote(binding.NewInbound(a2asdk.FromHandler(h), &binding.Options{DefaultVersion: binding.Version}))
	id := ""
	for ev, err := range c.SendStreamingMessage(t.Context(), nil, tell("wait", "")) {
		require.NoError(t, err)
		id = ev.GetTask().GetId()
		break
	}
	var last pb.TaskState
	for ev, err := range c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: id}) {
		require.NoError(t, err)
		if ev.GetTask().GetStatus().GetState() == pb.TaskState_TASK_STATE_SUBMITTED {
			got, err := c.CancelTask(t.Context(), nil, &pb.CancelTaskRequest{Id: id})
			require.NoError(t, err)
			assert.Equal(t, pb.TaskState_TASK_STATE_CANCELED, got.GetStatus().GetState())
		}
		last = ev.GetTask().GetStatus().GetState() + ev.GetStatusUpdate().GetStatus().GetState()
	}
	assert.Equal(t, pb.TaskState_TASK_STATE_CANCELED, last)
}

// patient works until its task is canceled.
type patient struct{ parrot }

func (patient) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if yield(a2a.NewSubmittedTask(x, x.Message), nil) {
			<-ctx.Done()
		}
	}
}
