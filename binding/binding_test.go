package binding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

func TestOpsAreTheSpecificationsTable(t *testing.T) { // spec 5.3
	service := pb.File_a2av1_proto.Services().ByName("A2AService").Methods()
	require.Len(t, binding.Ops(), service.Len())
	for _, op := range binding.Ops() {
		m := service.ByName(protoreflect.Name(op.Name))
		require.NotNil(t, m, op.Name)
		assert.Equal(t, m.Input(), op.NewRequest().ProtoReflect().Descriptor())
		assert.Equal(t, m.Output(), op.NewResponse().ProtoReflect().Descriptor())
		assert.Equal(t, m.IsStreamingServer(), op.Streaming)
		assert.Same(t, op, binding.Lookup(op.Name))
	}
	assert.Nil(t, binding.Lookup("sendMessage"), "case counts")
}

// recorder is a Conn that says what it was called for.
type recorder struct {
	calls []string
	reply func(*binding.Op) (proto.Message, error)
}

func (r *recorder) Invoke(_ context.Context, op *binding.Op, _ *binding.Call, p binding.Payload) (binding.Payload, error) {
	m, _ := p.Message()
	r.calls = append(r.calls, fmt.Sprintf("%s %T", op, m))
	out, err := r.reply(op)
	if err != nil {
		return binding.Payload{}, err
	}
	return binding.MessagePayload(out), nil
}

func (r *recorder) Stream(_ context.Context, op *binding.Op, _ *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		out, err := r.Invoke(nil, op, nil, p) //nolint:staticcheck // not looked at
		yield(out, err)
	}
}

func (r *recorder) Close() error { r.calls = append(r.calls, "close"); return nil }

func empty(op *binding.Op) (proto.Message, error) { return op.NewResponse(), nil }

// callAll calls each operation of an agent.
func callAll(ctx context.Context, a binding.Agent) map[*binding.Op]error {
	out := map[*binding.Op]error{}
	note := func(op *binding.Op, err error) { out[op] = err }
	_, err := a.SendMessage(ctx, nil, request())
	note(binding.OpSendMessage, err)
	for _, err := range a.SendStreamingMessage(ctx, nil, request()) {
		note(binding.OpSendStreamingMessage, err)
	}
	_, err = a.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t"})
	note(binding.OpGetTask, err)
	_, err = a.ListTasks(ctx, nil, &pb.ListTasksRequest{})
	note(binding.OpListTasks, err)
	_, err = a.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: "t"})
	note(binding.OpCancelTask, err)
	for _, err := range a.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
		note(binding.OpSubscribeToTask, err)
	}
	_, err = a.CreateTaskPushNotificationConfig(ctx, nil, &pb.TaskPushNotificationConfig{TaskId: "t", Url: "https://h.example"})
	note(binding.OpCreateTaskPushNotificationConfig, err)
	_, err = a.GetTaskPushNotificationConfig(ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t", Id: "c"})
	note(binding.OpGetTaskPushNotificationConfig, err)
	_, err = a.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t"})
	note(binding.OpListTaskPushNotificationConfigs, err)
	_, err = a.DeleteTaskPushNotificationConfig(ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "c"})
	note(binding.OpDeleteTaskPushNotificationConfig, err)
	_, err = a.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{})
	note(binding.OpGetExtendedAgentCard, err)
	return out
}

func request() *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hi"}}}}}
}

func TestRemoteAndLocalCarryEveryOperation(t *testing.T) {
	r := &recorder{reply: empty}
	agent := binding.Remote(r)
	assert.Same(t, r, binding.Local(agent), "Local(Remote(c)) is c")
	for op, err := range callAll(t.Context(), agent) {
		assert.NoError(t, err, op)
	}
	require.Len(t, r.calls, 11)
	for i, op := range binding.Ops() {
		assert.Equal(t, fmt.Sprintf("%s %T", op, op.NewRequest()), r.calls[i])
	}
	require.NoError(t, agent.Close())

	// Through both adapters: an agent that wraps a client is an agent of its own.
	wrapped := struct{ binding.Client }{agent}
	assert.NotEqual(t, binding.Conn(r), binding.Local(wrapped))
	again := binding.Remote(binding.Local(wrapped))
	for op, err := range callAll(t.Context(), again) {
		assert.NoError(t, err, op)
	}
}

func TestUnimplemented(t *testing.T) {
	got := callAll(t.Context(), binding.Unimplemented{})
	require.Len(t, got, 11)
	for op, err := range got {
		assert.ErrorIs(t, err, binding.ErrUnsupportedOperation, op)
		assert.ErrorContains(t, err, op.Name)
	}
}

func TestErrorIdentity(t *testing.T) {
	e := binding.Errorf(binding.DeadlineExceeded, "late: %w", io.EOF)
	assert.ErrorIs(t, e, context.DeadlineExceeded)
	assert.ErrorIs(t, e, binding.ErrDeadlineExceeded)
	assert.ErrorIs(t, e, io.EOF)
	assert.NotErrorIs(t, e, context.Canceled)
	assert.Equal(t, binding.Canceled, binding.CodeOf(context.Canceled))
	assert.Equal(t, binding.Internal, binding.CodeOf(io.EOF))
	assert.Equal(t, binding.Code(""), binding.CodeOf(nil))
	var typedNil *binding.Error
	assert.Equal(t, binding.Internal, binding.CodeOf(typedNil), "a typed nil is a mistake, not a success")

	f := binding.Flatten(fmt.Errorf("task 7: %w", binding.ErrTaskNotFound))
	assert.Equal(t, "task 7: task not found", f.Error())
	assert.Equal(t, "TASK_NOT_FOUND", f.Info().GetReason())
	assert.Empty(t, binding.ErrTaskNotFound.Details, "a sentinel is never written to")
	assert.Equal(t, "internal error", binding.Flatten(io.EOF).Error())
	twice := binding.Flatten(binding.Flatten(binding.InvalidField("a.b", "is %s", "bad")))
	require.Len(t, twice.Details, 2)
	assert.Equal(t, "a.b: is bad", twice.Error())

	w := binding.ErrTaskNotFound.WithInfo("a", "1").With(&errdetails.Help{}).WithInfo("b", "2")
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, w.Info().GetMetadata())
	assert.Len(t, w.Details, 2)
}

func TestCredentialIsNeverPrinted(t *testing.T) {
	call := &binding.Call{Credential: "Bearer s3cr3t"}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "credential", call.Credential, "call", call)
	text, err := json.Marshal(call)
	require.NoError(t, err)
	for _, s := range []string{fmt.Sprint(call.Credential), fmt.Sprintf("%+v %#v %q %s", call, call, call.Credential, call.Credential), log.String(), string(text)} {
		assert.NotContains(t, s, "s3cr3t")
	}
	assert.Equal(t, "Bearer s3cr3t", call.Credential.Reveal())
	assert.Empty(t, fmt.Sprint(binding.Credential("")))
}

func TestParams(t *testing.T) {
	p := binding.Params{}
	p.Add("X-Trace", "Ab")
	p.Add("x-trace", "c")
	assert.Equal(t, binding.Params{"x-trace": "Ab, c"}, p)
	assert.Equal(t, "Ab, c", p.Get("X-TRACE"))
	assert.Equal(t, []string{"a", "b"}, binding.SplitList(" a,, b ,"))

	var nobody *binding.Call
	assert.Empty(t, nobody.Param("a"))
	assert.Empty(t, nobody.Extensions())
	nobody.SetReply("a", "b")
	for k, v := range nobody.Outgoing() {
		assert.Equal(t, "a2a-version 1.0", k+" "+v)
	}
	call := &binding.Call{Params: binding.Params{"a2a-version": "2.0"}}
	for k, v := range call.Outgoing() {
		assert.Equal(t, "a2a-version 2.0", k+" "+v)
	}
	for _, name := range []string{"authorization", "cookie", "content-type", "host", "grpc-timeout", "x-bin", "sec-websocket-key", "x-forwarded-for"} {
		assert.True(t, binding.ReservedParam(name), name)
	}
}

func TestMajorMinor(t *testing.T) { // spec 3.6
	for in, want := range map[string]string{"1.0": "1.0", "1.0.1": "1.0", " 1.0 ": "1.0", "1": "1", "": "", "1.10.2": "1.10", "01.0": "01.0"} {
		assert.Equal(t, want, binding.MajorMinor(in), in)
	}
}

func TestPayload(t *testing.T) {
	text := []byte(`{"id":"t","vendor":12345678901234567890}`)
	p := binding.OpGetTask.RequestJSON(text)
	got, err := p.JSON()
	require.NoError(t, err)
	assert.Same(t, &text[0], &got[0], "the bytes it came as")
	m1, err := p.Message()
	require.NoError(t, err)
	m2, _ := p.Message()
	assert.Same(t, m1, m2, "decoded once")
	assert.Equal(t, "t", m1.(*pb.GetTaskRequest).GetId())

	q := binding.MessagePayload(&pb.GetTaskRequest{Id: "t"})
	assert.False(t, q.HasJSON())
	out, err := q.AppendJSON([]byte("x"))
	require.NoError(t, err)
	assert.Equal(t, `x{"id":"t"}`, string(out))

	var none binding.Payload
	assert.True(t, none.IsZero())
	_, err = none.Message()
	assert.Error(t, err)
	_, err = none.JSON()
	assert.Error(t, err)
	_, err = binding.OpGetTask.RequestJSON([]byte(`{"id":1}`)).Message()
	assert.ErrorContains(t, err, "id: must be a string")
}

// fake is a binding that can be dialed or not.
type fake struct {
	name string
	err  error
	got  *[]string
}

func (f fake) Protocol() string { return f.name }
func (f fake) Dial(_ context.Context, i *pb.AgentInterface) (binding.Client, error) {
	*f.got = append(*f.got, f.name+" "+i.GetUrl()+" "+i.GetTenant())
	if f.err != nil {
		return nil, f.err
	}
	return binding.Remote(&recorder{reply: empty}), nil
}
func (f fake) Serve(context.Context, *pb.AgentInterface, binding.Agent) (binding.Server, error) {
	return nil, errors.ErrUnsupported
}

func TestRegistry(t *testing.T) {
	var got []string
	r := binding.NewRegistry(fake{"A", nil, &got})
	r.Register(fake{"B", nil, &got}, "b-alias")
	assert.PanicsWithValue(t, "binding: A is registered already", func() { r.Register(fake{"A", nil, &got}) })
	assert.PanicsWithValue(t, "binding: b-alias is registered already", func() { r.Register(fake{"C", nil, &got}, "b-alias") })
	b, err := r.Lookup("b-alias")
	require.NoError(t, err)
	assert.Equal(t, "B", b.Protocol())
	assert.Equal(t, []string{"b-alias"}, r.Aliases(b))
	assert.Equal(t, []string{"A", "B", "b-alias"}, r.Names())
	assert.Len(t, r.Bindings(), 2)
	_, err = r.Lookup("X")
	assert.EqualError(t, err, `binding: no binding for "X"; registered are A, B, b-alias`)
}

func TestDialByCard(t *testing.T) { // spec 5.2, 8.3.2
	var got []string
	down := fake{"DOWN", binding.Errorf(binding.Unavailable, "nobody there"), &got}
	r := binding.NewRegistry(down, fake{"UP", nil, &got}, fake{"LATER", nil, &got})
	iface := func(name, version string) *pb.AgentInterface {
		return &pb.AgentInterface{ProtocolBinding: name, ProtocolVersion: version, Url: "u", Tenant: "t"}
	}
	c, err := r.Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{
		iface("UNKNOWN", "1.0"), iface("UP", "0.3"), iface("DOWN", "1.0"), iface("UP", "1.0.1"), iface("LATER", "1.0"),
	}})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	assert.Equal(t, []string{"DOWN u t", "UP u t"}, got)

	_, err = r.Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface("UNKNOWN", "1.0"), iface("UP", "0.3"), iface("DOWN", "1.0")}})
	assert.ErrorIs(t, err, binding.ErrUnavailable)
	for _, part := range []string{`"UNKNOWN"`, `speaks "0.3"`, "nobody there"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = r.Dial(t.Context(), &pb.AgentCard{})
	assert.ErrorContains(t, err, "names no interface")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got = nil
	_, err = r.Dial(ctx, &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface("DOWN", "1.0"), iface("UP", "1.0")}})
	assert.Error(t, err)
	assert.Equal(t, []string{"DOWN u t"}, got, "who gave up is not kept waiting")
}
