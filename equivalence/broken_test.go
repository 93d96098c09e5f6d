package equivalence_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/equivalence"
)

// bent is a Conn around another, which may change everything. A nil function
// changes nothing.
type bent struct {
	binding.Conn
	before func(*binding.Op, *binding.Call, proto.Message) // on its own copy of the request
	after  func(proto.Message)                             // on its own copy of an answer or event
	failed func(*binding.Error)                            // on its own copy of an error
	invoke func(context.Context, func(context.Context) (binding.Payload, error)) (binding.Payload, error)
	stream func(context.Context, func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error]
}

func (b bent) request(op *binding.Op, call *binding.Call, p binding.Payload) binding.Payload {
	if b.before == nil {
		return p
	}
	m, err := p.Message()
	if err != nil {
		return p
	}
	m = proto.Clone(m)
	b.before(op, call, m)
	return binding.MessagePayload(m)
}

func (b bent) answer(p binding.Payload, err error) (binding.Payload, error) {
	var e *binding.Error
	if errors.As(err, &e) && b.failed != nil {
		c := *e
		b.failed(&c)
		return p, &c
	}
	if err != nil || b.after == nil {
		return p, err
	}
	m, err := p.Message()
	if err != nil {
		return p, err
	}
	m = proto.Clone(m)
	b.after(m)
	return binding.MessagePayload(m), nil
}

func (b bent) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	next := func(ctx context.Context) (binding.Payload, error) {
		return b.answer(b.Conn.Invoke(ctx, op, call, b.request(op, call, p)))
	}
	if b.invoke == nil {
		return next(ctx)
	}
	return b.invoke(ctx, next)
}

func (b bent) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	next := func(ctx context.Context) iter.Seq2[binding.Payload, error] {
		return func(yield func(binding.Payload, error) bool) {
			for ev, err := range b.Conn.Stream(ctx, op, call, b.request(op, call, p)) {
				if !yield(b.answer(ev, err)) {
					return
				}
			}
		}
	}
	if b.stream == nil {
		return next(ctx)
	}
	return b.stream(ctx, next)
}

// collected is a stream's items, all of them, changed.
func collected(change func([]binding.Payload) []binding.Payload) func(context.Context, func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
	return func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
		return func(yield func(binding.Payload, error) bool) {
			var evs []binding.Payload
			var end error
			for ev, err := range next(ctx) {
				if end = err; err == nil {
					evs = append(evs, ev)
				}
			}
			for _, ev := range change(evs) {
				if !yield(ev, nil) {
					return
				}
			}
			if end != nil {
				yield(binding.Payload{}, end)
			}
		}
	}
}

func clientSide(b bent) equivalence.Wire {
	return wire(func(a binding.Agent) binding.Agent {
		b := b
		b.Conn = binding.Local(a)
		return binding.Remote(b)
	})
}

// careless is a relay that passes a call on as it came.
type careless struct{ binding.Agent }

// Each breakage is caught by the scenario that it is named for, and on the side
// where it shows.
func TestBrokenBindingsAreCaught(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	var one sync.Mutex
	for _, b := range []struct {
		name, scenario string
		side           equivalence.Side
		wire           equivalence.Wire
		relayed        bool
	}{
		{"drops the last event", "streams/task-then-updates", equivalence.SideClient, clientSide(bent{
			stream: collected(func(evs []binding.Payload) []binding.Payload { return evs[:max(0, len(evs)-1)] }),
		}), false},
		{"swaps two events", "streams/ten-thousand-events", equivalence.SideAssertion, clientSide(bent{
			stream: collected(func(evs []binding.Payload) []binding.Payload {
				if n := len(evs); n > 2 {
					evs[n-1], evs[n-2] = evs[n-2], evs[n-1]
				}
				return evs
			}),
		}), false},
		{"gives an event twice", "streams/several-subscribers", equivalence.SideAssertion, clientSide(bent{
			stream: collected(func(evs []binding.Payload) []binding.Payload { return append(evs, evs[len(evs)-1]) }),
		}), false},
		{"holds events back until the end", "streams/late-subscriber", equivalence.SideHang, clientSide(bent{
			stream: collected(func(evs []binding.Payload) []binding.Payload { return evs }),
		}), false},
		{"loses a detail", "details/unknown-type", equivalence.SideClient, clientSide(bent{failed: func(e *binding.Error) {
			e.Details = e.Details[:1]
		}}), false},
		{"changes the order of details", "details/several", equivalence.SideClient, clientSide(bent{failed: func(e *binding.Error) {
			d := append(e.Details[:0:0], e.Details...)
			d[0], d[len(d)-1] = d[len(d)-1], d[0]
			e.Details = d
		}}), false},
		{"flattens a code", "errors/TASK_NOT_CANCELABLE", equivalence.SideClient, clientSide(bent{failed: func(e *binding.Error) {
			if e.Code == binding.TaskNotCancelable {
				e.Code = binding.InvalidParams
			}
		}}), false},
		{"takes the far agent's error for its own", "errors/UNAVAILABLE", equivalence.SideAssertion, clientSide(bent{failed: func(e *binding.Error) {
			e.Remote = false
		}}), false},
		{"loses the message of an error", "errors/multi-line", equivalence.SideAssertion, clientSide(bent{failed: func(e *binding.Error) {
			e.Message, _, _ = strings.Cut(e.Message, "\n")
		}}), false},
		{"takes an error for the end", "rules/foreign-task", equivalence.SideAssertion, clientSide(bent{
			stream: func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
				return func(yield func(binding.Payload, error) bool) {
					for ev, err := range next(ctx) {
						if err != nil || !yield(ev, nil) {
							return
						}
					}
				}
			},
		}), false},
		{"lower-cases a parameter's value", "parameters/value-case", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, c *binding.Call, _ proto.Message) {
				for k, v := range c.Params {
					c.Params[k] = strings.ToLower(v)
				}
			},
		}), false},
		{"cuts a parameter at its comma", "parameters/value-comma", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, c *binding.Call, _ proto.Message) {
				for k, v := range c.Params {
					c.Params[k], _, _ = strings.Cut(v, ",")
				}
			},
		}), false},
		{"leaks a goroutine", "operations/GetTask-minimal", equivalence.SideGoroutines, clientSide(bent{
			before: func(*binding.Op, *binding.Call, proto.Message) { go func() { <-release }() },
		}), false},
		{"swallows a cancel", "streams/leave-early", equivalence.SideHang, clientSide(bent{
			stream: func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
				return func(yield func(binding.Payload, error) bool) {
					left := false
					for ev, err := range next(context.WithoutCancel(ctx)) {
						if left = left || !yield(ev, err); err != nil {
							return
						}
					}
				}
			},
		}), false},
		{"ends a call but not the agent's context", "deadlines/unary", equivalence.SideHang, clientSide(bent{
			invoke: func(ctx context.Context, next func(context.Context) (binding.Payload, error)) (binding.Payload, error) {
				type result struct {
					p   binding.Payload
					err error
				}
				done := make(chan result, 1)
				go func() {
					p, err := next(context.WithoutCancel(ctx))
					done <- result{p, err}
				}()
				select {
				case r := <-done:
					return r.p, r.err
				case <-ctx.Done():
					return binding.Payload{}, binding.Flatten(ctx.Err())
				}
			},
		}), false},
		{"runs a call twice", "operations/delete-twice", equivalence.SideAgent, clientSide(bent{
			invoke: func(ctx context.Context, next func(context.Context) (binding.Payload, error)) (binding.Payload, error) {
				_, _ = next(ctx)
				return next(ctx)
			},
		}), false},
		{"makes one call at a time", "concurrency/64-at-once", equivalence.SideHang, clientSide(bent{
			invoke: func(ctx context.Context, next func(context.Context) (binding.Payload, error)) (binding.Payload, error) {
				one.Lock()
				defer one.Unlock()
				return next(ctx)
			},
		}), false},
		{"truncates at 64 KiB", "payloads/text-70-KB", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.SendMessageRequest); ok {
					for _, part := range r.GetMessage().GetParts() {
						if t := part.GetText(); len(t) > 64<<10 {
							part.Content = &pb.Part_Text{Text: t[:64<<10]}
						}
					}
				}
			},
		}), false},
		{"loses optional presence", "presence/GetTask-historyLength-zero", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.GetTaskRequest); ok && r.GetHistoryLength() == 0 {
					r.HistoryLength = nil
				}
			},
		}), false},
		{"loses metadata", "operations/CancelTask", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.CancelTaskRequest); ok {
					r.Metadata = nil
				}
			},
		}), false},
		{"loses the tenant of one operation", "tenant/plain", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.SubscribeToTaskRequest); ok {
					r.Tenant = ""
				}
			},
		}), false},
		{"does not escape an id", "identifiers/question", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.GetTaskRequest); ok {
					r.Id, _, _ = strings.Cut(r.Id, "?")
				}
			},
		}), false},
		{"knows fewer states", "payloads/task-states", equivalence.SideClient, clientSide(bent{after: func(m proto.Message) {
			if r, ok := m.(*pb.ListTasksResponse); ok {
				for _, t := range r.Tasks {
					t.Status.State = min(t.Status.State, pb.TaskState_TASK_STATE_REJECTED)
				}
			}
		}}), false},
		{"names its own version", "version/2.0", equivalence.SideAssertion, clientSide(bent{
			before: func(_ *binding.Op, c *binding.Call, _ proto.Message) { delete(c.Params, binding.ParamVersion) },
		}), false},
		{"shares memory", "isolation/answer", equivalence.SideAssertion, func(agent binding.Agent) (binding.Agent, func(), error) {
			o := equivalence.OptionsFor(agent)
			c := binding.Remote(binding.Outbound(binding.NewInbound(agent, o), o))
			return c, func() { _ = c.Close() }, nil
		}, false},
		{"does not look at the card", "capabilities/no-streaming", equivalence.SideAssertion, func(agent binding.Agent) (binding.Agent, func(), error) {
			c := inproc.Dial(agent, nil)
			return c, func() { _ = c.Close() }, nil
		}, false},
		{"has another limit", "limits/request-over-the-limit", equivalence.SideAssertion, func(agent binding.Agent) (binding.Agent, func(), error) {
			c := inproc.Dial(agent, &binding.Options{Card: equivalence.CardOf(agent)})
			return c, func() { _ = c.Close() }, nil
		}, false},
		{"forwards a credential", "parameters/credential", equivalence.SideAssertion, func(agent binding.Agent) (binding.Agent, func(), error) {
			o := equivalence.OptionsFor(agent)
			back := inproc.Dial(agent, o)
			front := inproc.Dial(careless{back}, o)
			return front, func() { _, _ = front.Close(), back.Close() }, nil
		}, true},
		{"holds events back", "streams/one-by-one", equivalence.SideHang, clientSide(bent{
			stream: collected(func(evs []binding.Payload) []binding.Payload { return evs }),
		}), false},
		{"never ends", "streams/message-only", equivalence.SideHang, clientSide(bent{
			stream: func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
				return func(yield func(binding.Payload, error) bool) {
					for ev, err := range next(ctx) {
						if !yield(ev, err) {
							return
						}
					}
					<-ctx.Done()
				}
			},
		}), false},
		{"takes an interruption for the end", "resume/interrupted", equivalence.SideAssertion, clientSide(bent{
			stream: func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
				return func(yield func(binding.Payload, error) bool) {
					for ev, err := range next(ctx) {
						if errors.Is(err, binding.ErrUnavailable) || !yield(ev, err) {
							return
						}
					}
				}
			},
		}), false},
		{"sends a message again", "resume/before-the-first-event", equivalence.SideAgent, clientSide(bent{
			stream: func(ctx context.Context, next func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
				return func(yield func(binding.Payload, error) bool) {
					for ev, err := range next(ctx) {
						if errors.Is(err, binding.ErrUnavailable) {
							break
						}
						if !yield(ev, err) {
							return
						}
					}
					next(ctx)(yield)
				}
			},
		}), false},
		{"says a refusal in its own way", "resume/ended-meanwhile", equivalence.SideClient, clientSide(bent{failed: func(e *binding.Error) {
			if e.Code == binding.UnsupportedOperation {
				e.Code = binding.MethodNotFound
			}
		}}), false},
		{"subscribes for another tenant", "resume/tenant-and-parameters", equivalence.SideAgent, clientSide(bent{
			before: func(_ *binding.Op, _ *binding.Call, m proto.Message) {
				if r, ok := m.(*pb.SubscribeToTaskRequest); ok {
					r.Tenant = ""
				}
			},
		}), false},
		{"panics", "operations/GetTask-minimal", equivalence.SideClient, clientSide(bent{
			before: func(*binding.Op, *binding.Call, proto.Message) { panic("broken") },
		}), false},
		{"cannot be wired up", "operations/GetTask-minimal", equivalence.SideWire, func(binding.Agent) (binding.Agent, func(), error) {
			return nil, nil, errors.New("no port is free")
		}, false},
	} {
		t.Run(b.name, func(t *testing.T) {
			s := scenario(t, b.scenario)
			if b.side == equivalence.SideHang {
				s.Timeout = 200 * time.Millisecond
			}
			diffs := equivalence.Check(t.Context(), s, b.wire, &equivalence.Options{Relayed: b.relayed})
			var sides []equivalence.Side
			for _, d := range diffs {
				assert.False(t, d.Reference, "%s", d)
				assert.Equal(t, b.scenario, d.Scenario)
				sides = append(sides, d.Side)
			}
			assert.Contains(t, sides, b.side, "%v", diffs)
		})
	}
}

func scenario(t *testing.T, name string) equivalence.Scenario {
	t.Helper()
	for _, s := range equivalence.Scenarios() {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no such scenario", name)
	return equivalence.Scenario{}
}

// A client that carries nothing is caught by every scenario: none holds by itself.
func TestEveryScenarioCanFail(t *testing.T) {
	for _, s := range equivalence.Scenarios() {
		s.Timeout = 50 * time.Millisecond
		diffs := equivalence.Check(t.Context(), s, func(binding.Agent) (binding.Agent, func(), error) {
			return binding.Remote(binding.Local(binding.Unimplemented{})), func() {}, nil
		})
		var got []string
		for _, d := range diffs {
			if !d.Reference && d.Side != equivalence.SideGoroutines {
				got = append(got, d.String())
			}
		}
		assert.NotEmpty(t, got, s.Name)
	}
}

func TestHangNamesItsStep(t *testing.T) {
	s := scenario(t, "streams/message-only")
	s.Timeout = 100 * time.Millisecond
	diffs := equivalence.Check(t.Context(), s, clientSide(bent{
		invoke: nil,
		stream: func(ctx context.Context, _ func(context.Context) iter.Seq2[binding.Payload, error]) iter.Seq2[binding.Payload, error] {
			return func(func(binding.Payload, error) bool) { <-ctx.Done() }
		},
	}))
	require.NotEmpty(t, diffs)
	assert.Equal(t, equivalence.SideHang, diffs[0].Side)
	assert.Equal(t, "opening the stream of SendStreamingMessage", diffs[0].Step)
	assert.Contains(t, diffs[0].Got, "goroutine ")
	assert.Contains(t, diffs[0].String(), `streams/message-only (spec 3.1.2): hang: time of the scenario, step "opening the stream`)
}
