package binding_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/a2awire/a2awire/binding"
)

// fate is what becomes of one call: its events or its answer, and the error
// that it ends with.
type fate struct {
	events []*pb.StreamResponse
	answer binding.Payload
	err    error
}

// fated is a Conn whose calls end one after another as was said before.
type fated struct {
	fates  []fate
	asked  []string
	times  []time.Time
	calls  []*binding.Call
	open   int // streams
	closed int
}

func (f *fated) next(op *binding.Op, call *binding.Call, p binding.Payload) fate {
	m, err := p.Message()
	if err != nil {
		return fate{err: err}
	}
	what := op.Name
	if r, ok := m.(interface{ GetId() string }); ok {
		what += " " + r.GetId()
	}
	if r, ok := m.(interface{ GetTenant() string }); ok && r.GetTenant() != "" {
		what += " of " + r.GetTenant()
	}
	f.asked, f.times, f.calls = append(f.asked, what), append(f.times, time.Now()), append(f.calls, call)
	call.SetReply("x-call", fmt.Sprint(len(f.asked)))
	if len(f.asked) > len(f.fates) {
		return fate{err: binding.Errorf(binding.Internal, "asked too often")}
	}
	return f.fates[len(f.asked)-1]
}

func (f *fated) Invoke(_ context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	n := f.next(op, call, p)
	return n.answer, n.err
}

func (f *fated) Stream(_ context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		f.open++
		defer func() { f.open-- }()
		n := f.next(op, call, p)
		for _, ev := range n.events {
			if !yield(binding.MessagePayload(ev), nil) {
				return
			}
		}
		if n.err != nil {
			yield(binding.Payload{}, n.err)
		}
	}
}

func (f *fated) Close() error { f.closed++; return nil }

func (f *fated) resume(o *binding.ResumeOptions) binding.Client {
	return binding.Resume(binding.Remote(f), o)
}

var (
	errLost  = binding.Errorf(binding.Unavailable, "the connection was lost")
	errEnded = binding.Errorf(binding.UnsupportedOperation, "the task has ended")
)

func interrupted(evs ...*pb.StreamResponse) fate { return fate{events: evs, err: errLost} }
func ended(evs ...*pb.StreamResponse) fate       { return fate{events: evs} }
func refused(err error) fate                     { return fate{err: err} }

func fetched(id string, s pb.TaskState) fate {
	return fate{answer: binding.MessagePayload(eventState(id, s).GetTask())}
}

func eventState(id string, s pb.TaskState) *pb.StreamResponse {
	ev := eventTask(id)
	ev.GetTask().Status.State = s
	return ev
}

func updateState(id string, s pb.TaskState) *pb.StreamResponse {
	ev := eventStatus(id)
	ev.GetStatusUpdate().Status.State = s
	return ev
}

func eventArtifact(id string) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
		TaskId: id, ContextId: "c", Artifact: &pb.Artifact{ArtifactId: "a", Parts: request().Message.Parts}}}}
}

// shown is an event in short.
func shown(ev *pb.StreamResponse) string {
	switch {
	case ev.GetTask() != nil:
		return "task " + ev.GetTask().GetStatus().GetState().String()[len("TASK_STATE_"):]
	case ev.GetStatusUpdate() != nil:
		return "status"
	case ev.GetArtifactUpdate() != nil:
		return "artifact"
	}
	return "message"
}

// read is a stream's events in short, and its error.
func read(evs iter.Seq2[*pb.StreamResponse, error]) (out []string, end error) {
	for ev, err := range evs {
		if end != nil {
			return append(out, "something after the error"), end
		}
		if end = err; err == nil {
			out = append(out, shown(ev))
		}
	}
	return out, end
}

const (
	working   = pb.TaskState_TASK_STATE_WORKING
	completed = pb.TaskState_TASK_STATE_COMPLETED
	input     = pb.TaskState_TASK_STATE_INPUT_REQUIRED
)

func TestResume(t *testing.T) { // spec 3.1.6, 3.5.2
	const send, sub, get = "SendStreamingMessage", "SubscribeToTask t", "GetTask t"
	said := &binding.Error{Code: binding.Unavailable, Message: "the server is shutting down", Remote: true}
	for name, c := range map[string]struct {
		subscribe bool
		fates     []fate
		events    []string
		code      binding.Code
		asked     []string
	}{
		"not interrupted": {false, []fate{ended(eventTask("t"), eventStatus("t"))}, []string{"task WORKING", "status"}, "", []string{send}},
		"a lost connection": {false, []fate{interrupted(eventTask("t"), eventStatus("t")), ended(eventTask("t"), eventStatus("t"))},
			[]string{"task WORKING", "status", "task WORKING", "status"}, "", []string{send, sub}},
		"a server that shuts down": {false, []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: said}, ended(eventTask("t"))},
			[]string{"task WORKING", "task WORKING"}, "", []string{send, sub}},
		"a subscription": {true, []fate{interrupted(eventTask("t")), ended(eventTask("t"), eventStatus("t"))},
			[]string{"task WORKING", "task WORKING", "status"}, "", []string{sub, sub}},
		"named by an artifact": {true, []fate{interrupted(eventArtifact("t")), ended(eventTask("t"))},
			[]string{"artifact", "task WORKING"}, "", []string{sub, sub}},
		"named by a status": {true, []fate{interrupted(eventStatus("t")), ended(eventTask("t"))},
			[]string{"status", "task WORKING"}, "", []string{sub, sub}},
		"twice": {false, []fate{interrupted(eventTask("t")), interrupted(eventTask("t"), eventArtifact("t")), ended(eventTask("t"))},
			[]string{"task WORKING", "task WORKING", "artifact", "task WORKING"}, "", []string{send, sub, sub}},
		"unavailable meanwhile": {false, []fate{interrupted(eventTask("t")), interrupted(), interrupted(), ended(eventTask("t"))},
			[]string{"task WORKING", "task WORKING"}, "", []string{send, sub, sub, sub}},
		"a subscription without an event": {false, []fate{interrupted(eventTask("t")), ended()}, []string{"task WORKING"}, "", []string{send, sub}},

		"ended meanwhile": {false, []fate{interrupted(eventTask("t")), refused(errEnded), fetched("t", completed)},
			[]string{"task WORKING", "task COMPLETED"}, "", []string{send, sub, get}},
		"ended meanwhile, and unavailable": {false, []fate{interrupted(eventTask("t")), refused(errEnded), refused(errLost), refused(errEnded), fetched("t", completed)},
			[]string{"task WORKING", "task COMPLETED"}, "", []string{send, sub, get, sub, get}},
		"no subscriptions": {false, []fate{interrupted(eventTask("t")), refused(errEnded), fetched("t", working)},
			[]string{"task WORKING"}, binding.UnsupportedOperation, []string{send, sub, get}},
		"ended, and forgotten": {false, []fate{interrupted(eventTask("t")), refused(errEnded), refused(binding.ErrTaskNotFound)},
			[]string{"task WORKING"}, binding.TaskNotFound, []string{send, sub, get}},
		"another task is fetched": {false, []fate{interrupted(eventTask("t")), refused(errEnded), fetched("u", completed)},
			[]string{"task WORKING"}, binding.InvalidAgentResponse, []string{send, sub, get}},
		"what is fetched is no task": {false, []fate{interrupted(eventTask("t")), refused(errEnded), {answer: binding.MessagePayload(request())}},
			[]string{"task WORKING"}, binding.InvalidAgentResponse, []string{send, sub, get}},
		"what is fetched is garbage": {false, []fate{interrupted(eventTask("t")), refused(errEnded), {answer: binding.OpGetTask.ResponseJSON([]byte(`{"id":1}`))}},
			[]string{"task WORKING"}, binding.InvalidAgentResponse, []string{send, sub, get}},

		"input is asked for meanwhile": {false, []fate{interrupted(eventTask("t")), ended(eventState("t", input), eventStatus("t"))},
			[]string{"task WORKING", "task INPUT_REQUIRED"}, "", []string{send, sub}},
		"input is asked for later": {false, []fate{interrupted(eventTask("t")), ended(eventTask("t"), updateState("t", input), eventStatus("t"))},
			[]string{"task WORKING", "task WORKING", "status"}, "", []string{send, sub}},
		"a subscription goes on where input is asked for": {true, []fate{interrupted(eventTask("t")), ended(eventState("t", input), eventStatus("t"))},
			[]string{"task WORKING", "task INPUT_REQUIRED", "status"}, "", []string{sub, sub}},

		"interrupted before an event": {false, []fate{interrupted()}, nil, binding.Unavailable, []string{send}},
		"never subscribed":            {true, []fate{interrupted()}, nil, binding.Unavailable, []string{sub}},
		"only a message":              {false, []fate{interrupted(eventMessage())}, []string{"message"}, binding.Unavailable, []string{send}},
		"another error":               {false, []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: binding.ErrInternal}}, []string{"task WORKING"}, binding.Internal, []string{send}},
		"unsupported in the midst": {false, []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: errEnded}},
			[]string{"task WORKING"}, binding.UnsupportedOperation, []string{send}},
		"unsupported after the snapshot": {false, []fate{interrupted(eventTask("t")), {events: []*pb.StreamResponse{eventTask("t")}, err: errEnded}},
			[]string{"task WORKING", "task WORKING"}, binding.UnsupportedOperation, []string{send, sub}},
		"another error meanwhile": {false, []fate{interrupted(eventTask("t")), refused(binding.ErrTaskNotFound)}, []string{"task WORKING"}, binding.TaskNotFound, []string{send, sub}},
		"another error later": {false, []fate{interrupted(eventTask("t")), {events: []*pb.StreamResponse{eventTask("t")}, err: binding.ErrPermissionDenied}},
			[]string{"task WORKING", "task WORKING"}, binding.PermissionDenied, []string{send, sub}},
		"a foreign error": {false, []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: errors.New("odd")}}, []string{"task WORKING"}, binding.Internal, []string{send}},
		"no snapshot":     {false, []fate{interrupted(eventTask("t")), ended(eventStatus("t"))}, []string{"task WORKING"}, binding.InvalidAgentResponse, []string{send, sub}},
		"a snapshot of another task": {false, []fate{interrupted(eventTask("t")), ended(eventTask("u"))},
			[]string{"task WORKING"}, binding.InvalidAgentResponse, []string{send, sub}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fated{fates: c.fates}
				client := f.resume(nil)
				evs := client.SendStreamingMessage(t.Context(), nil, request())
				if c.subscribe {
					evs = client.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"})
				}
				assert.Empty(t, f.asked, "streams are lazy")
				got, err := read(evs)
				assert.Equal(t, c.events, got)
				assert.Equal(t, c.code, binding.CodeOf(err), err)
				assert.Equal(t, c.asked, f.asked)
				assert.Zero(t, f.open)
			})
		})
	}
}

// A task that cannot be subscribed to is the last event if it has ended.
func TestResumeKnowsTheEnd(t *testing.T) { // spec 4.1.3
	for s, ends := range map[pb.TaskState]bool{
		pb.TaskState_TASK_STATE_SUBMITTED: false, working: false, input: false, pb.TaskState_TASK_STATE_AUTH_REQUIRED: false,
		completed: true, pb.TaskState_TASK_STATE_FAILED: true, pb.TaskState_TASK_STATE_CANCELED: true, pb.TaskState_TASK_STATE_REJECTED: true,
	} {
		t.Run(s.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fated{fates: []fate{interrupted(eventTask("t")), refused(errEnded), fetched("t", s)}}
				got, err := read(f.resume(nil).SendStreamingMessage(t.Context(), nil, request()))
				if ends {
					require.NoError(t, err)
					assert.Len(t, got, 2)
				} else {
					assert.Equal(t, error(errEnded), err)
					assert.Len(t, got, 1)
				}
			})
		})
	}
}

// The attempts in a row are counted, and the last error is said.
func TestResumeGivesUp(t *testing.T) {
	last := binding.Errorf(binding.Unavailable, "nobody there").With(&errdetails.Help{})
	for name, c := range map[string]struct {
		o     *binding.ResumeOptions
		fates []fate
		asked int
		text  string
	}{
		"after 8":  {nil, append(repeat(8, interrupted()), refused(last)), 9, "the stream was interrupted, and not resumed in 8 attempts: nobody there"},
		"as told":  {&binding.ResumeOptions{Attempts: 2}, []fate{interrupted(), interrupted(), refused(last)}, 3, "the stream was interrupted, and not resumed in 2 attempts: nobody there"},
		"snapshot": {&binding.ResumeOptions{Attempts: 2}, []fate{interrupted(), interrupted(eventTask("t")), {events: []*pb.StreamResponse{eventTask("t")}, err: last}}, 3, "the stream was interrupted, and not resumed in 2 attempts: nobody there"},
		"an event begins anew": {&binding.ResumeOptions{Attempts: 2}, []fate{interrupted(), interrupted(), interrupted(eventTask("t"), eventStatus("t")), interrupted(), refused(last)}, 5,
			"the stream was interrupted, and not resumed in 2 attempts: nobody there"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.fates[0] = interrupted(eventTask("t"))
				f := &fated{fates: c.fates}
				_, err := read(f.resume(c.o).SendStreamingMessage(t.Context(), nil, request()))
				require.EqualError(t, err, c.text)
				assert.Len(t, f.asked, c.asked)
				var e *binding.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, binding.Unavailable, e.Code)
				assert.False(t, e.Remote, "the words are this side's")
				assert.Equal(t, last, e.Unwrap())
				assert.Len(t, binding.Flatten(e).Details, 2, "its details, and an ErrorInfo")
			})
		})
	}
}

func repeat(n int, f fate) []fate {
	out := make([]fate, n)
	for i := range out {
		out[i] = f
	}
	return out
}

// Each wait is random, below a bound that doubles up to the longest.
func TestResumeBacksOff(t *testing.T) {
	for name, c := range map[string]struct {
		o      *binding.ResumeOptions
		bounds []time.Duration
	}{
		"as it is": {nil, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
			1600 * time.Millisecond, 3200 * time.Millisecond, 6400 * time.Millisecond, 10 * time.Second}},
		"as told":     {&binding.ResumeOptions{Attempts: 4, MinWait: time.Second, MaxWait: 3 * time.Second}, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}},
		"the longest": {&binding.ResumeOptions{Attempts: 3, MinWait: time.Hour, MaxWait: 1<<63 - 1}, []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour}},
		"many": {&binding.ResumeOptions{Attempts: 70, MinWait: time.Millisecond, MaxWait: 3 * time.Millisecond},
			append([]time.Duration{time.Millisecond, 2 * time.Millisecond}, slices.Repeat([]time.Duration{3 * time.Millisecond}, 68)...)},
		"less than least": {&binding.ResumeOptions{Attempts: 2, MinWait: time.Minute, MaxWait: time.Second}, []time.Duration{time.Second, time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				longest := make([]time.Duration, len(c.bounds))
				for range 200 {
					f := &fated{fates: append([]fate{interrupted(eventTask("t"))}, repeat(len(c.bounds), interrupted())...)}
					_, err := read(f.resume(c.o).SendStreamingMessage(t.Context(), nil, request()))
					require.ErrorIs(t, err, binding.ErrUnavailable)
					require.Len(t, f.times, len(c.bounds)+1)
					for i := range longest {
						longest[i] = max(longest[i], f.times[i+1].Sub(f.times[i]))
					}
				}
				for i, bound := range c.bounds {
					assert.Less(t, longest[i], bound, "attempt %d", i+1)
					assert.Greater(t, longest[i], bound/2, "attempt %d", i+1)
				}
			})
		})
	}
}

// An error may ask for a longer wait, but not for any.
func TestResumeHeedsRetryInfo(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		5 * time.Second: 5 * time.Second, 30 * time.Second: 30 * time.Second, time.Hour: 30 * time.Second, 1: 0, -time.Hour: 0,
	} {
		t.Run(asked.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				busy := errLost.With(&errdetails.Help{}, &errdetails.RetryInfo{RetryDelay: durationpb.New(asked)})
				f := &fated{fates: []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: busy}, refused(busy), ended(eventTask("t"))}}
				_, err := read(f.resume(&binding.ResumeOptions{MinWait: 2}).SendStreamingMessage(t.Context(), nil, request()))
				require.NoError(t, err)
				require.Len(t, f.times, 3)
				for i := range 2 {
					assert.InDelta(t, want, f.times[i+1].Sub(f.times[i]), 4)
				}
			})
		})
	}
}

// A stream that waits ends at once with its context, or its client.
func TestResumeWaitEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(context.Context, binding.Client) (context.Context, func())
		code binding.Code
	}{
		"canceled": {func(ctx context.Context, _ binding.Client) (context.Context, func()) {
			return context.WithCancel(ctx)
		}, binding.Canceled},
		"late": {func(ctx context.Context, _ binding.Client) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			context.AfterFunc(ctx, cancel)
			return ctx, func() {}
		}, binding.DeadlineExceeded},
		"closed": {func(ctx context.Context, c binding.Client) (context.Context, func()) {
			return ctx, func() { _ = c.Close() }
		}, binding.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fated{fates: []fate{{events: []*pb.StreamResponse{eventTask("t")}, err: errLost.With(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Minute)})}}}
				client := f.resume(nil)
				ctx, end := c.end(t.Context(), client)
				time.AfterFunc(time.Second, end)
				begun := time.Now()
				got, err := read(client.SendStreamingMessage(ctx, nil, request()))
				assert.Equal(t, time.Second, time.Since(begun))
				assert.Equal(t, []string{"task WORKING"}, got)
				assert.Equal(t, c.code, binding.CodeOf(err))
				if c.code == binding.Unavailable {
					assert.EqualError(t, err, "the client is closed")
				}
				assert.Len(t, f.asked, 1)
			})
		})
	}
}

// What has ended before the wait begins is not waited for, nor is it said that
// the attempts are used up.
func TestResumeDoesNotBegin(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(cancel func(), client binding.Client)
		code binding.Code
		text string
	}{
		"canceled": {func(cancel func(), _ binding.Client) { cancel() }, binding.Canceled, "the call was canceled"},
		"closed":   {func(_ func(), client binding.Client) { _ = client.Close() }, binding.Unavailable, "the client is closed"},
		"both":     {func(cancel func(), client binding.Client) { cancel(); _ = client.Close() }, binding.Canceled, "the call was canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, attempts := range []int{1, 2} { // the last one, and not
				synctest.Test(t, func(t *testing.T) {
					f := &fated{fates: []fate{interrupted(eventTask("t")), interrupted(eventTask("t"))}}
					client := f.resume(&binding.ResumeOptions{Attempts: attempts})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var end time.Time
					var last error
					n := 0
					for _, err := range client.SendStreamingMessage(ctx, nil, request()) {
						if n++; n == 2 {
							end = time.Now()
							c.end(cancel, client)
						}
						last = err
					}
					assert.Zero(t, time.Since(end))
					assert.Equal(t, c.code, binding.CodeOf(last))
					assert.EqualError(t, last, c.text)
					assert.Len(t, f.asked, 2)
				})
			}
		})
	}
}

// Leaving the loop releases the stream below, wherever it is left.
func TestResumeIsLeft(t *testing.T) {
	for left := range 5 {
		synctest.Test(t, func(t *testing.T) {
			f := &fated{fates: []fate{interrupted(eventTask("t"), eventStatus("t")), interrupted(eventTask("t"), eventStatus("t")), refused(errEnded), fetched("t", completed)}}
			n := 0
			for range f.resume(nil).SendStreamingMessage(t.Context(), nil, request()) {
				if n++; n > left {
					break
				}
			}
			assert.Equal(t, left+1, n)
			assert.Zero(t, f.open)
			assert.Len(t, f.asked, []int{1, 1, 2, 2, 4}[left])
		})
	}
}

// Every call is made as the first was; the caller has the first's answer.
func TestResumeKeepsTheCall(t *testing.T) {
	for name, stream := range map[string]func(context.Context, binding.Client, *binding.Call) iter.Seq2[*pb.StreamResponse, error]{
		"a message": func(ctx context.Context, c binding.Client, call *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
			r := request()
			r.Tenant = "acme"
			return c.SendStreamingMessage(ctx, call, r)
		},
		"a subscription": func(ctx context.Context, c binding.Client, call *binding.Call) iter.Seq2[*pb.StreamResponse, error] {
			return c.SubscribeToTask(ctx, call, &pb.SubscribeToTaskRequest{Tenant: "acme", Id: "t"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fated{fates: []fate{interrupted(eventTask("t")), refused(errEnded), fetched("t", completed)}}
				call := &binding.Call{Params: binding.Params{"a2a-version": "1.0", "x-trace": "Ab"}, Credential: "Bearer one", Peer: "p"}
				for _, err := range stream(t.Context(), f.resume(nil), call) {
					require.NoError(t, err)
					call.Credential = "Bearer two"
				}
				require.Len(t, f.calls, 3)
				assert.Equal(t, []string{"SubscribeToTask t of acme", "GetTask t of acme"}, f.asked[1:])
				for _, c := range f.calls[1:] {
					assert.NotSame(t, call, c)
					assert.Equal(t, call.Params, c.Params)
					assert.Equal(t, "Bearer two", c.Credential.Reveal(), "a credential may be renewed in the loop")
					assert.Equal(t, "p", c.Peer)
					c.Params.Set("x-trace", "changed")
				}
				assert.Equal(t, "Ab", call.Param("x-trace"))
				assert.Equal(t, "1", call.Reply.Get("x-call"))
			})
		})
	}
}

// The fetched task passes as the bytes that it came as.
func TestResumePassesBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const task = `{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"metadata":{"n":12345678901234567890},"vendor":1.50}`
		f := &fated{fates: []fate{interrupted(eventTask("t")), refused(errEnded), {answer: binding.OpGetTask.ResponseJSON([]byte(task))}}}
		var last []byte
		for p, err := range f.resume(nil).Conn().Stream(t.Context(), binding.OpSendStreamingMessage, new(binding.Call), binding.MessagePayload(request())) {
			require.NoError(t, err)
			m, err := p.Message()
			require.NoError(t, err)
			assert.Equal(t, "t", m.(*pb.StreamResponse).GetTask().GetId())
			last, err = p.JSON()
			require.NoError(t, err)
		}
		assert.Equal(t, `{"task":`+task+`}`, string(last))
	})
}

// A server in front of a resumed Conn takes the snapshot in the midst.
func TestResumeBehindAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fated{fates: []fate{interrupted(eventTask("t"), eventStatus("t")), ended(eventTask("t"), eventStatus("t"))}}
		in := binding.NewInbound(f.resume(nil), nil)
		require.NoError(t, call(in, v1(), binding.OpSendStreamingMessage, request()))
		assert.Equal(t, []string{"SendStreamingMessage", "SubscribeToTask t"}, f.asked)
	})
}

// All but streams pass, once and as they are.
func TestResumePassesOtherOperations(t *testing.T) {
	f := &fated{fates: []fate{{answer: binding.MessagePayload(taskOf("t"))}, refused(errLost)}}
	client := f.resume(nil)
	task, err := client.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t"})
	require.NoError(t, err)
	assert.True(t, proto.Equal(taskOf("t"), task))
	c := v1()
	_, err = client.SendMessage(t.Context(), c, request())
	assert.Equal(t, error(errLost), err)
	assert.Same(t, c, f.calls[1])
	assert.Equal(t, []string{"GetTask t", "SendMessage"}, f.asked)
	assert.Same(t, client.Conn(), binding.Local(client), "a relay over it resumes")
	require.NoError(t, client.Close())
	require.NoError(t, client.Close())
	assert.Equal(t, 2, f.closed)
}
