package binding

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// ResumeOptions are those of [Resume]. Nil is fine, and so is the zero value.
// They must not change once given.
type ResumeOptions struct {
	// Attempts is how many attempts in a row may bring no event but the
	// snapshot before the stream fails. 0 is 8.
	Attempts int
	// MinWait bounds the wait before the first attempt in a row; each further
	// one may wait twice as long, up to MaxWait. The waits are random below
	// these bounds (full jitter). 0 is 100 ms, and 10 s.
	MinWait, MaxWait time.Duration
}

// maxRetryDelay is the longest wait that an error may ask for.
const maxRetryDelay = 30 * time.Second

func (o *ResumeOptions) withDefaults() ResumeOptions {
	var out ResumeOptions
	if o != nil {
		out = *o
	}
	if out.Attempts <= 0 {
		out.Attempts = 8
	}
	if out.MinWait <= 0 {
		out.MinWait = 100 * time.Millisecond
	}
	if out.MaxWait <= 0 {
		out.MaxWait = 10 * time.Second
	}
	return out
}

// backoff bounds the wait before the n-th attempt in a row, counted from 1.
func (o *ResumeOptions) backoff(n int) time.Duration {
	d := o.MinWait
	for range n - 1 {
		if d > o.MaxWait/2 {
			return o.MaxWait
		}
		d *= 2
	}
	return min(d, o.MaxWait)
}

// Resume is a client whose streams survive an interruption (spec 3.5.2, 12.5):
// a lost connection, a server that shuts down, whatever else ends a stream
// with Unavailable once one of its events has named its task. It works on the
// client's Conn, so that a relay over the result resumes too.
//
// An interrupted stream waits, subscribes to the task (spec 3.1.6) with the
// tenant of its request, and with the parameters and the credential that the
// Call has then, and goes on with what the subscription yields. That begins
// with the Task as it is now, so a resumed stream has a Task in its midst:
// whoever keeps a copy of the task replaces it by that one. Nothing is lost,
// but what came while nobody listened is seen in the Task alone. The Call's
// Reply stays that of the first stream.
//
// A resumed stream ends cleanly where the agent ends the subscription. A task
// that has ended meanwhile cannot be subscribed to (UnsupportedOperation, spec
// 3.1.6): it is fetched, and is the last event. And what began as
// SendStreamingMessage ends, as it would have, where the task asks for input
// (spec 11.7), though a subscription would not.
//
// Attempts that are Unavailable are repeated, see [ResumeOptions]; the count
// begins anew with every event that is not the snapshot. A google.rpc.RetryInfo
// in the error lengthens the wait, up to 30 s. When the attempts are used up
// the stream ends with Unavailable, whose message counts them and has the last
// error's. All other errors end it as they are, as does UnsupportedOperation
// for a task that goes on.
//
// A message is never sent again: a stream that fails before an event has named
// a task, or whose only event was a Message, ends with its error. Operations
// that are not streams pass through untouched.
//
// The caller's context bounds it all, and alone does where an agent's streams
// break after an event each time. Closing the result closes the client
// below, and ends streams that wait, with Unavailable; close the result and
// not the client, whose end looks like a lost connection.
func Resume(c Client, o *ResumeOptions) Client {
	r := &resumer{client: c, next: c.Conn(), o: o.withDefaults()}
	r.open, r.shut = context.WithCancel(context.Background())
	return Remote(r)
}

type resumer struct {
	client Client
	next   Conn
	o      ResumeOptions

	open context.Context // until Close
	shut context.CancelFunc
}

// Close ends the waits and closes the client below.
func (r *resumer) Close() error {
	r.shut()
	return r.client.Close()
}

func (r *resumer) Invoke(ctx context.Context, op *Op, call *Call, p Payload) (Payload, error) {
	return r.next.Invoke(ctx, op, call, p)
}

func (r *resumer) Stream(ctx context.Context, op *Op, call *Call, p Payload) iter.Seq2[Payload, error] {
	return func(yield func(Payload, error) bool) {
		s := resumable{resumer: r, ctx: ctx, op: op, call: call, request: p, yield: yield}
		err := s.begin()
		for err != nil && s.task != "" && CodeOf(err) == Unavailable {
			if err = s.wait(err); err != nil {
				break
			}
			err = s.subscribe()
		}
		if err != nil {
			yield(Payload{}, err)
		}
	}
}

// resumable is one stream. The errors of its methods are why the stream did
// not go on; nil is a clean end, or that the caller has left the loop.
type resumable struct {
	*resumer
	ctx     context.Context
	op      *Op
	call    *Call
	request Payload
	yield   func(Payload, error) bool

	task     string // "" until an event has named it
	attempts int    // since the last event that was not a snapshot
}

// begin makes the caller's own call.
func (s *resumable) begin() error {
	for p, err := range s.next.Stream(s.ctx, s.op, s.call, s.request) {
		if err != nil {
			return err
		}
		if s.task == "" {
			s.task = taskNamed(streamed(p))
		}
		if !s.yield(p, nil) {
			return nil
		}
	}
	return nil
}

// wait waits before an attempt. The error is why there is none.
func (s *resumable) wait(why error) error {
	switch {
	case s.ctx.Err() != nil:
		return Flatten(s.ctx.Err())
	case s.open.Err() != nil:
		return Flatten(errClosed)
	case s.attempts == s.o.Attempts:
		e := Flatten(why)
		return &Error{Code: Unavailable, Details: e.Details, Cause: why,
			Message: fmt.Sprintf("the stream was interrupted, and not resumed in %d attempts: %s", s.attempts, e.Text())}
	}
	s.attempts++
	timer := time.NewTimer(max(rand.N(s.o.backoff(s.attempts)), retryDelay(why))) //nolint:gosec // jitter guards nothing
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return Flatten(s.ctx.Err())
	case <-s.open.Done():
		return Flatten(errClosed)
	}
}

// subscribe goes on from the task as it is.
func (s *resumable) subscribe() error {
	var refused error
	resumed := false
	req := MessagePayload(&pb.SubscribeToTaskRequest{Tenant: s.tenant(), Id: s.task})
	req.answer = s.request.answer // in the form that the caller wants
	for p, err := range s.next.Stream(s.ctx, OpSubscribeToTask, s.again(), req) {
		if err != nil {
			if resumed || CodeOf(err) != UnsupportedOperation {
				return err
			}
			refused = err
			break
		}
		if resumed && s.op != OpSendStreamingMessage { // nothing in it is looked at
			s.attempts = 0
			if !s.yield(p, nil) {
				return nil
			}
			continue
		}
		ev := streamed(p)
		switch {
		case resumed:
			s.attempts = 0
		case ev.GetTask().GetId() != s.task:
			return Errorf(InvalidAgentResponse, "%s: a resumed stream must begin with its task", OpSubscribeToTask)
		}
		resumed = true
		if !s.yield(p, nil) || s.op == OpSendStreamingMessage && stateNamed(ev) == pb.TaskState_TASK_STATE_INPUT_REQUIRED {
			return nil
		}
	}
	if refused != nil {
		return s.fetch(refused)
	}
	return nil
}

// fetch ends the stream with its task, if that has ended and was therefore
// refused to the subscriber.
func (s *resumable) fetch(refused error) error {
	req := MessagePayload(&pb.GetTaskRequest{Tenant: s.tenant(), Id: s.task})
	req.answer = s.request.answer
	p, err := s.next.Invoke(s.ctx, OpGetTask, s.again(), req)
	if err != nil {
		return err
	}
	m, err := p.Message()
	if err != nil {
		return modelError(InvalidAgentResponse, err)
	}
	task, ok := m.(*pb.Task)
	if !ok || task.GetId() != s.task {
		return Errorf(InvalidAgentResponse, "%s: the answer is not the task", OpGetTask)
	}
	if !terminal[task.GetStatus().GetState()] {
		return refused
	}
	s.yield(taskEvent(p, task), nil)
	return nil
}

// again is the caller's call, for another one.
func (s *resumable) again() *Call {
	return &Call{Params: s.call.Params.Clone(), Credential: s.call.Credential, Peer: s.call.Peer}
}

// tenant is that of the caller's request.
func (s *resumable) tenant() string {
	m, _ := s.request.Message() // whatever is wrong with it, the first stream has said
	r, _ := m.(interface{ GetTenant() string })
	if r == nil {
		return ""
	}
	return r.GetTenant()
}

// terminal are the states in which a task has ended (spec 4.1.3).
var terminal = map[pb.TaskState]bool{
	pb.TaskState_TASK_STATE_COMPLETED: true, pb.TaskState_TASK_STATE_FAILED: true,
	pb.TaskState_TASK_STATE_CANCELED: true, pb.TaskState_TASK_STATE_REJECTED: true,
}

// streamed is a stream's event. What is none is nil here, and refused by
// whoever reads it.
func streamed(p Payload) *pb.StreamResponse {
	m, _ := p.Message()
	ev, _ := m.(*pb.StreamResponse)
	return ev
}

// taskNamed is the id of the task that an event is of, "" for a message.
func taskNamed(ev *pb.StreamResponse) string {
	return cmp.Or(ev.GetTask().GetId(), ev.GetStatusUpdate().GetTaskId(), ev.GetArtifactUpdate().GetTaskId())
}

// stateNamed is the state that an event tells of.
func stateNamed(ev *pb.StreamResponse) pb.TaskState {
	return cmp.Or(ev.GetTask().GetStatus().GetState(), ev.GetStatusUpdate().GetStatus().GetState())
}

// taskEvent is an answer, which is a task, as an event: its bytes if it came
// as bytes, so that a relay passes them.
func taskEvent(p Payload, task *pb.Task) Payload {
	if p.HasJSON() {
		if b, err := p.JSON(); err == nil {
			return OpSubscribeToTask.ResponseJSON(slices.Concat([]byte(`{"task":`), b, []byte{'}'}))
		}
	}
	return MessagePayload(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task}})
}

// retryDelay is how long an error asks to be left alone, 30 s at most.
func retryDelay(err error) time.Duration {
	for _, d := range Flatten(err).Details {
		info := new(errdetails.RetryInfo)
		if d.MessageIs(info) && d.UnmarshalTo(info) == nil {
			return min(info.GetRetryDelay().AsDuration(), maxRetryDelay)
		}
	}
	return 0
}
