package binding_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// agent answers with what its functions say.
type agent struct {
	binding.Unimplemented
	asked  int
	send   func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error)
	stream func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error]
}

func (a *agent) SendMessage(ctx context.Context, call *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	a.asked++
	return a.send(ctx, call, r)
}

func (a *agent) SendStreamingMessage(ctx context.Context, call *binding.Call, _ *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	a.asked++
	return a.stream(ctx, call)
}

func (a *agent) SubscribeToTask(ctx context.Context, call *binding.Call, _ *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	a.asked++
	return a.stream(ctx, call)
}

func answerTask(id string) *pb.SendMessageResponse {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: taskOf(id)}}
}

func taskOf(id string) *pb.Task {
	return &pb.Task{Id: id, Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}
}

func eventTask(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: taskOf(id)}}
}

func eventStatus(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
		TaskId: id, ContextId: "c", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}}}
}

func eventMessage() *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: request().Message}}
}

func events(evs ...*pb.StreamResponse) func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
	return func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			for _, ev := range evs {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
}

func v1(more ...string) *binding.Call {
	c := &binding.Call{Params: binding.Params{"a2a-version": "1.0"}}
	for i := 0; i < len(more); i += 2 {
		c.Params[more[i]] = more[i+1]
	}
	return c
}

func violation(t *testing.T, err error) string {
	t.Helper()
	var e *binding.Error
	require.ErrorAs(t, err, &e)
	for _, d := range e.Details {
		bad := new(errdetails.BadRequest)
		if d.MessageIs(bad) && d.UnmarshalTo(bad) == nil {
			return bad.GetFieldViolations()[0].GetField()
		}
	}
	return ""
}

// call sends to a server's shared layer, as a wire does.
func call(in *binding.Inbound, c *binding.Call, op *binding.Op, m proto.Message) error {
	var p binding.Payload
	if m != nil {
		p = binding.MessagePayload(m)
	}
	if op != nil && op.Streaming {
		for _, err := range in.Stream(context.Background(), op, c, p) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	_, err := in.Invoke(context.Background(), op, c, p)
	return err
}

func card(c *pb.AgentCapabilities) *binding.Options {
	return &binding.Options{Card: binding.StaticCard(&pb.AgentCard{Capabilities: c})}
}

func TestVersions(t *testing.T) { // spec 3.6
	a := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		return answerTask("t"), nil
	}}
	in := binding.NewInbound(a, nil)
	for v, ok := range map[string]bool{"1.0": true, "1.0.7": true, "": false, "0.3": false, "2.0": false, "99.0": false, "1": false, "1.1": false, "latest": false} {
		err := call(in, &binding.Call{Params: binding.Params{"a2a-version": v}}, binding.OpSendMessage, request())
		if ok {
			assert.NoError(t, err, v)
			continue
		}
		assert.ErrorIs(t, err, binding.ErrVersionNotSupported, v)
		assert.Equal(t, "1.0", binding.Flatten(err).Info().GetMetadata()["supportedVersions"])
	}
	assert.Equal(t, 2, a.asked)
	assert.ErrorIs(t, call(in, new(binding.Call), binding.OpSendMessage, request()), binding.ErrVersionNotSupported, "absent is 0.3")
	lax := binding.NewInbound(a, &binding.Options{DefaultVersion: "1.0"})
	assert.NoError(t, call(lax, new(binding.Call), binding.OpSendMessage, request()))
	assert.ErrorIs(t, call(in, new(binding.Call), nil, nil), binding.ErrVersionNotSupported, "the version comes before the method")
	assert.ErrorIs(t, call(in, v1(), nil, nil), binding.ErrMethodNotFound)
	assert.ErrorIs(t, call(in, new(binding.Call), binding.OpSendMessage, &pb.SendMessageRequest{}), binding.ErrVersionNotSupported, "and before the parameters")
}

func TestCapabilities(t *testing.T) { // spec 3.3.4
	requests := map[*binding.Op]proto.Message{
		binding.OpSendStreamingMessage: request(), binding.OpSubscribeToTask: &pb.SubscribeToTaskRequest{Id: "t"},
		binding.OpCreateTaskPushNotificationConfig: &pb.TaskPushNotificationConfig{}, binding.OpGetTaskPushNotificationConfig: &pb.GetTaskPushNotificationConfigRequest{},
		binding.OpListTaskPushNotificationConfigs: &pb.ListTaskPushNotificationConfigsRequest{}, binding.OpDeleteTaskPushNotificationConfig: &pb.DeleteTaskPushNotificationConfigRequest{},
		binding.OpGetExtendedAgentCard: &pb.GetExtendedAgentCardRequest{},
	}
	want := map[binding.Capability]error{
		binding.CapabilityStreaming: binding.ErrUnsupportedOperation, binding.CapabilityPushNotifications: binding.ErrPushNotificationNotSupported,
		binding.CapabilityExtendedAgentCard: binding.ErrUnsupportedOperation,
	}
	for _, o := range []*binding.Options{card(nil), card(&pb.AgentCapabilities{Streaming: proto.Bool(false)})} {
		a := &agent{}
		for op, m := range requests {
			assert.ErrorIs(t, call(binding.NewInbound(a, o), v1(), op, m), want[op.Capability], op)
		}
		inline := request()
		inline.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: "https://h.example"}}
		assert.ErrorIs(t, call(binding.NewInbound(a, o), v1(), binding.OpSendMessage, inline), binding.ErrPushNotificationNotSupported)
		assert.Zero(t, a.asked)
	}
}

func TestRequiredExtensions(t *testing.T) {
	a := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		return answerTask("t"), nil
	}}
	in := binding.NewInbound(a, card(&pb.AgentCapabilities{Extensions: []*pb.AgentExtension{{Uri: "https://x.example/optional"}, {Uri: "https://x.example/a", Required: true}}}))
	err := call(in, v1(), binding.OpSendMessage, request())
	assert.ErrorIs(t, err, binding.ErrExtensionSupportRequired)
	assert.Equal(t, "https://x.example/a", binding.Flatten(err).Info().GetMetadata()["extension"])
	assert.ErrorIs(t, call(in, v1("a2a-extensions", "https://X.example/a"), binding.OpSendMessage, request()), binding.ErrExtensionSupportRequired, "values have case")
	assert.NoError(t, call(in, v1("a2a-extensions", "https://y.example ,https://x.example/a"), binding.OpSendMessage, request()))
}

func TestBadRequestsNameTheField(t *testing.T) {
	a := &agent{}
	in := binding.NewInbound(a, nil)
	noParts := request()
	noParts.Message.Parts = nil
	badHistory := request()
	badHistory.Configuration = &pb.SendMessageConfiguration{HistoryLength: proto.Int32(-1)}
	for _, c := range []struct {
		op    *binding.Op
		m     proto.Message
		field string
	}{
		{binding.OpSendMessage, &pb.SendMessageRequest{}, "message"},
		{binding.OpSendStreamingMessage, noParts, "message.parts"},
		{binding.OpSendMessage, badHistory, "configuration.historyLength"},
		{binding.OpGetTask, &pb.GetTaskRequest{}, "id"},
		{binding.OpGetTask, &pb.GetTaskRequest{Id: "t", HistoryLength: proto.Int32(-5)}, "historyLength"},
		{binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(0)}, "pageSize"},
		{binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(101)}, "pageSize"},
		{binding.OpListTasks, &pb.ListTasksRequest{Status: 42}, "status"},
		{binding.OpCancelTask, &pb.CancelTaskRequest{}, "id"},
		{binding.OpSubscribeToTask, &pb.SubscribeToTaskRequest{}, "id"},
		{binding.OpCreateTaskPushNotificationConfig, &pb.TaskPushNotificationConfig{Url: "https://h.example"}, "taskId"},
		{binding.OpCreateTaskPushNotificationConfig, &pb.TaskPushNotificationConfig{TaskId: "t"}, "url"},
		{binding.OpGetTaskPushNotificationConfig, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t"}, "id"},
		{binding.OpListTaskPushNotificationConfigs, &pb.ListTaskPushNotificationConfigsRequest{}, "taskId"},
		{binding.OpListTaskPushNotificationConfigs, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t", PageSize: -1}, "pageSize"},
		{binding.OpDeleteTaskPushNotificationConfig, &pb.DeleteTaskPushNotificationConfigRequest{Id: "c"}, "taskId"},
	} {
		err := call(in, v1(), c.op, c.m)
		assert.ErrorIs(t, err, binding.ErrInvalidParams, "%s %s", c.op, c.field)
		assert.Equal(t, c.field, violation(t, err), c.op)
	}
	for key, value := range map[string]string{"x-ünicode": "v", "X-Upper": "v", "x-newline": "a\nb", "x-space": " a", "authorization": "b", "x-high": "\xff"} {
		assert.Equal(t, key, violation(t, call(in, v1(key, value), binding.OpSendMessage, request())))
	}
	assert.Zero(t, a.asked)
}

func TestAnswersAreHeldAgainstTheModel(t *testing.T) {
	for field, resp := range map[string]*pb.SendMessageResponse{
		"":            {},
		"task.id":     answerTask(""),
		"task.status": {Payload: &pb.SendMessageResponse_Task{Task: &pb.Task{Id: "t"}}},
	} {
		a := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			return resp, nil
		}}
		err := call(binding.NewInbound(a, nil), v1(), binding.OpSendMessage, request())
		assert.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
		assert.Equal(t, field, violation(t, err))
		err = call(binding.NewInbound(a, nil, binding.CarriesJSON), v1(), binding.OpSendMessage, request())
		assert.Equal(t, field, violation(t, err), "the same where the wire is JSON")
	}
	silent := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		return nil, nil
	}}
	assert.ErrorIs(t, call(binding.NewInbound(silent, nil), v1(), binding.OpSendMessage, request()), binding.ErrInvalidAgentResponse)
	badReply := &agent{send: func(_ context.Context, c *binding.Call, _ *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		c.SetReply("x-a", "a\r\nb")
		return answerTask("t"), nil
	}}
	c := v1()
	assert.ErrorContains(t, call(binding.NewInbound(badReply, nil), c, binding.OpSendMessage, request()), "x-a")
	assert.Empty(t, c.Reply, "and no wire is given it")
	badError := &agent{send: func(_ context.Context, c *binding.Call, _ *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		c.SetReply("grpc-status-details-bin", "\x00")
		return nil, binding.ErrTaskNotFound
	}}
	assert.ErrorIs(t, call(binding.NewInbound(badError, nil), c, binding.OpSendMessage, request()), binding.ErrTaskNotFound)
	assert.Empty(t, c.Reply, "nor beside an error")
}

func TestStreamRules(t *testing.T) { // spec 3.1.2, 3.1.6
	for name, c := range map[string]struct {
		op  *binding.Op
		evs []*pb.StreamResponse
		bad string
	}{
		"task then updates":          {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventTask("t"), eventStatus("t"), eventTask("t")}, ""},
		"one message":                {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventMessage()}, ""},
		"nothing":                    {binding.OpSendStreamingMessage, nil, ""},
		"status first":               {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventStatus("t")}, "begin with its task"},
		"another task":               {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventTask("t"), eventStatus("u")}, "another task"},
		"two messages":               {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventMessage(), eventMessage()}, "after the only message"},
		"message in a task's stream": {binding.OpSendStreamingMessage, []*pb.StreamResponse{eventTask("t"), eventMessage()}, "a message in the stream"},
		"message to a subscriber":    {binding.OpSubscribeToTask, []*pb.StreamResponse{eventMessage()}, "a message in the stream"},
		"nil event":                  {binding.OpSubscribeToTask, []*pb.StreamResponse{nil}, "neither an event nor an error"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &agent{stream: events(c.evs...)}
			var m proto.Message = request()
			if c.op == binding.OpSubscribeToTask {
				m = &pb.SubscribeToTaskRequest{Id: "t"}
			}
			err := call(binding.NewInbound(a, nil), v1(), c.op, m)
			if c.bad == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
			assert.ErrorContains(t, err, c.bad)
		})
	}
}

func TestPanicsAreTheAgents(t *testing.T) {
	var log strings.Builder
	o := &binding.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	a := &agent{
		send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			panic("secret")
		},
		stream: func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error] { panic("secret") },
	}
	in := binding.NewInbound(a, o)
	for _, op := range []*binding.Op{binding.OpSendMessage, binding.OpSendStreamingMessage} {
		err := call(in, v1(), op, request())
		assert.ErrorIs(t, err, binding.ErrInternal)
		assert.NotContains(t, err.Error(), "secret")
		assert.Contains(t, log.String(), "secret", "the log is told")
	}
	// A panic in the loop's body is its own.
	a.stream = events(eventTask("t"))
	assert.PanicsWithValue(t, "mine", func() {
		for range in.Stream(t.Context(), binding.OpSendStreamingMessage, v1(), binding.MessagePayload(request())) {
			panic("mine")
		}
	})
	// An agent that goes on after its stream was left, or after its own error.
	a.stream = func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			for range 3 {
				yield(eventTask("t"), nil)
			}
		}
	}
	log.Reset()
	for range in.Stream(t.Context(), binding.OpSendStreamingMessage, v1(), binding.MessagePayload(request())) {
		break
	}
	assert.Contains(t, log.String(), "agent panicked", "the log alone is told")
	a.stream = func(context.Context, *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			yield(nil, binding.ErrTaskNotFound)
			panic("behind its error")
		}
	}
	assert.ErrorIs(t, call(in, v1(), binding.OpSendStreamingMessage, request()), binding.ErrTaskNotFound)
	require.NoError(t, in.Shutdown(t.Context()), "and leaves nothing in flight")
}

// cardAgent has an extended card.
type cardAgent struct {
	binding.Unimplemented
	card *pb.AgentCard
}

func (a cardAgent) GetExtendedAgentCard(context.Context, *binding.Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return a.card, nil
}

// A card of empty skills is the message whose forms differ most.
func TestSizeOfCards(t *testing.T) {
	card := &pb.AgentCard{Name: "n", Capabilities: &pb.AgentCapabilities{}, Skills: make([]*pb.AgentSkill, 100)}
	for i := range card.Skills {
		card.Skills[i] = new(pb.AgentSkill)
	}
	a := cardAgent{card: card}
	for _, traits := range [][]binding.Trait{nil, {binding.CarriesJSON}} {
		in := binding.NewInbound(a, &binding.Options{MaxMessageBytes: 4000}, traits...)
		_, err := in.Invoke(t.Context(), binding.OpGetExtendedAgentCard, v1(), binding.MessagePayload(&pb.GetExtendedAgentCardRequest{}))
		assert.ErrorIs(t, err, binding.ErrResourceExhausted, "%v", traits)
	}
}

func TestSizeIsOneVerdict(t *testing.T) {
	const limit = 1000
	text := func(s string) *pb.SendMessageRequest {
		r := request()
		r.Message.Parts[0].Content = &pb.Part_Text{Text: s}
		return r
	}
	numbers := make([]*structpb.Value, 200) // small as JSON, large as protobuf
	for i := range numbers {
		numbers[i] = structpb.NewNumberValue(1)
	}
	list := request()
	list.Message.Parts[0].Content = &pb.Part_Data{Data: structpb.NewListValue(&structpb.ListValue{Values: numbers})}
	for name, c := range map[string]struct {
		m  *pb.SendMessageRequest
		ok bool
	}{
		"small":                  {text("x"), true},
		"just under":             {text(strings.Repeat("x", 800)), true},
		"over":                   {text(strings.Repeat("x", 1001)), false},
		"over only as JSON":      {text(strings.Repeat("\x01", 300)), false},
		"over only as protobuf":  {list, false},
		"half a limit of quotes": {text(strings.Repeat(`"`, 300)), true},
	} {
		p := binding.MessagePayload(c.m)
		asText, err := p.JSON()
		require.NoError(t, err)
		a := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			return answerTask("t"), nil
		}}
		o := &binding.Options{MaxMessageBytes: limit}
		for how, p := range map[string]binding.Payload{"message": binding.MessagePayload(c.m), "JSON": binding.OpSendMessage.RequestJSON(asText)} {
			for wire, in := range map[string]*binding.Inbound{"proto": binding.NewInbound(a, o), "JSON": binding.NewInbound(a, o, binding.CarriesJSON)} {
				_, err := in.Invoke(t.Context(), binding.OpSendMessage, v1(), p)
				if c.ok {
					assert.NoError(t, err, "%s as %s over %s", name, how, wire)
				} else {
					assert.ErrorIs(t, err, binding.ErrResourceExhausted, "%s as %s over %s", name, how, wire)
					assert.ErrorContains(t, err, "1000 bytes")
				}
			}
		}
	}
}

func TestOutboundRefusesBeforeSending(t *testing.T) {
	r := &recorder{reply: empty}
	nan := request()
	nan.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"x": structpb.NewNumberValue(math.NaN())}}
	utf8 := request()
	utf8.Message.TaskId = "\xff"
	big := request()
	big.Message.Parts[0].Content = &pb.Part_Text{Text: strings.Repeat("x", 2000)}
	for _, traits := range [][]binding.Trait{nil, {binding.CarriesJSON}, {binding.EndsCalls}} {
		c := binding.Remote(binding.Outbound(r, &binding.Options{MaxMessageBytes: 1000}, traits...))
		_, err := c.SendMessage(t.Context(), nil, nan)
		assert.Equal(t, "metadata.x", violation(t, err))
		_, err = c.SendMessage(t.Context(), nil, utf8)
		assert.Equal(t, "message.taskId", violation(t, err))
		_, err = c.SendMessage(t.Context(), nil, big)
		assert.ErrorIs(t, err, binding.ErrResourceExhausted)
		_, err = c.SendMessage(t.Context(), &binding.Call{Params: binding.Params{"content-type": "x"}}, request())
		assert.Equal(t, "content-type", violation(t, err))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = c.SendMessage(ctx, nil, request())
		assert.ErrorIs(t, err, context.Canceled)
	}
	assert.Empty(t, r.calls)
}

func TestOutboundRefusesGarbage(t *testing.T) {
	c := binding.Remote(binding.Outbound(&recorder{reply: empty}, nil))
	_, err := c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t"})
	assert.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
	assert.Equal(t, "id", violation(t, err))
	for _, err := range c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
		assert.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
	}
}

func TestTenantOfTheInterface(t *testing.T) { // spec 8.3.2
	var got []string
	r := &recorder{reply: func(*binding.Op) (proto.Message, error) { return answerTask("t"), nil }}
	c := binding.Remote(binding.Outbound(spy{r, func(m proto.Message) { got = append(got, m.(*pb.SendMessageRequest).GetTenant()) }}, &binding.Options{Tenant: "acme"}))
	mine := request()
	_, err := c.SendMessage(t.Context(), nil, mine)
	require.NoError(t, err)
	assert.Empty(t, mine.GetTenant(), "the caller's message is the caller's")
	mine.Tenant = "other"
	_, err = c.SendMessage(t.Context(), nil, mine)
	require.NoError(t, err)
	assert.Equal(t, []string{"acme", "other"}, got)
}

// spy is a Conn that sees requests.
type spy struct {
	*recorder
	see func(proto.Message)
}

func (s spy) Invoke(ctx context.Context, op *binding.Op, c *binding.Call, p binding.Payload) (binding.Payload, error) {
	m, _ := p.Message()
	s.see(m)
	return s.recorder.Invoke(ctx, op, c, p)
}

// waiting is a Conn whose calls end with their context.
type waiting struct{ started chan struct{} }

func (w waiting) Invoke(ctx context.Context, _ *binding.Op, _ *binding.Call, _ binding.Payload) (binding.Payload, error) {
	w.started <- struct{}{}
	<-ctx.Done()
	return binding.Payload{}, errors.New("the wire's own words")
}

func (w waiting) Stream(ctx context.Context, op *binding.Op, c *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) { yield(w.Invoke(ctx, op, c, p)) }
}

func (w waiting) Close() error { return nil }

func TestCloseEndsCallsInFlight(t *testing.T) {
	w := waiting{make(chan struct{}, 2)}
	c := binding.Remote(binding.Outbound(w, nil))
	errs := make(chan error, 2)
	go func() { _, err := c.SendMessage(context.Background(), nil, request()); errs <- err }()
	go func() {
		for _, err := range c.SendStreamingMessage(context.Background(), nil, request()) {
			errs <- err
		}
	}()
	<-w.started
	<-w.started
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	assert.ErrorIs(t, <-errs, binding.ErrUnavailable)
	assert.ErrorIs(t, <-errs, binding.ErrUnavailable)
	_, err := c.SendMessage(t.Context(), nil, request())
	assert.ErrorIs(t, err, binding.ErrUnavailable)
}

func TestDeadlineIsTheCallersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := binding.Remote(binding.Outbound(waiting{make(chan struct{}, 1)}, nil))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.SendMessage(ctx, nil, request())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.False(t, binding.Flatten(err).Remote)
	})
}

// An agent whose stream just stops when its context ends did not end it.
func TestCutStreamIsNoCleanEnd(t *testing.T) {
	started := make(chan struct{})
	a := &agent{stream: func(ctx context.Context, _ *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			yield(eventTask("t"), nil)
			close(started)
			<-ctx.Done()
		}
	}}
	in := binding.NewInbound(a, nil)
	got := make(chan error, 1)
	go func() { got <- call(in, v1(), binding.OpSendStreamingMessage, request()) }()
	<-started
	require.NoError(t, in.Close())
	assert.ErrorIs(t, <-got, binding.ErrUnavailable)
}

// The far agent's echo of the caller's own end is not what the call failed of.
func TestOwnDeadlineComesBeforeItsEcho(t *testing.T) {
	far := binding.Errorf(binding.Canceled, "the caller is gone")
	far.Remote = true
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	r := &recorder{reply: func(*binding.Op) (proto.Message, error) { cancel(); return nil, far }}
	_, err := binding.Remote(binding.Outbound(r, nil)).SendMessage(ctx, nil, request())
	assert.ErrorIs(t, err, context.Canceled)
	assert.False(t, binding.Flatten(err).Remote)
}

func TestShutdownOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := &agent{send: func(ctx context.Context, _ *binding.Call, _ *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		in := binding.NewInbound(block, nil)
		errs := make(chan error, 1)
		go func() { errs <- call(in, v1(), binding.OpSendMessage, request()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, in.Shutdown(ctx), context.DeadlineExceeded)
		assert.ErrorIs(t, <-errs, binding.ErrUnavailable, "not canceled: the caller did not")
		assert.ErrorIs(t, call(in, v1(), binding.OpSendMessage, request()), binding.ErrUnavailable)
		in.Wait()

		deaf := make(chan struct{})
		stuck := &agent{send: func(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			<-deaf
			return answerTask("t"), nil
		}}
		var log strings.Builder
		in = binding.NewInbound(stuck, &binding.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		go func() { errs <- call(in, v1(), binding.OpSendMessage, request()) }()
		synctest.Wait()
		require.NoError(t, in.Close())
		in.Wait()
		assert.Contains(t, log.String(), "does not heed its context")
		close(deaf)
		<-errs
	})
}
