package equivalence

import (
	"context"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// waits is an agent that does nothing until its context ends.
func waits(p *play) {
	p.answer = func(v *visit) (proto.Message, error) { return nil, v.untilEnded() }
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		emit(taskEvent("t"))
		return v.untilEnded()
	}
}

// lingers is waits, but the agent comes back after its caller has: what ends
// the call is the caller's context, and not what the agent makes of its own.
func lingers(p *play) {
	waits(p)
	answer, stream := p.answer, p.stream
	p.answer = func(v *visit) (proto.Message, error) {
		defer v.pass(v.over, callReturned)
		return answer(v)
	}
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		defer v.pass(v.over, callReturned)
		return stream(v, emit)
	}
}

func deadlineScenarios() []Scenario {
	out := []Scenario{
		{
			Name: "deadlines/unary", Section: "3.3.2", Rule: "a deadline that passes ends the call with DeadlineExceeded, and the agent's context",
			play: func(p *play) {
				lingers(p)
				p.client = func(c *talk) {
					defer c.open(callReturned)
					d := newDeadline(c.ctx)
					c.together(
						func() { c.pass(c.ctx, agentWaits); d.expire() },
						func() {
							defer d.expire()
							c.code(c.with(d).do(binding.OpGetTask, nil, request(binding.OpGetTask)), binding.DeadlineExceeded)
						})
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "deadlines/stream", Section: "3.3.2", Rule: "a deadline that passes ends the stream with DeadlineExceeded, and the agent's context",
			play: func(p *play) {
				lingers(p)
				p.client = func(c *talk) {
					defer c.open(callReturned)
					d := newDeadline(c.ctx)
					defer d.expire()
					n, e := c.with(d).stream(binding.OpSendStreamingMessage, nil, request(binding.OpSendStreamingMessage),
						func(int, *pb.StreamResponse) bool { d.expire(); return true })
					c.code(e, binding.DeadlineExceeded)
					c.equal("number of events", n, 1)
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "deadlines/by-the-clock", Section: "3.3.2", Rule: "a deadline passes by itself", timed: true,
			play: func(p *play) {
				lingers(p)
				p.client = func(c *talk) {
					defer c.open(callReturned)
					ctx, cancel := context.WithTimeout(c.ctx, 30*time.Millisecond)
					defer cancel()
					c.code(c.with(ctx).do(binding.OpSubscribeToTask, nil, request(binding.OpSubscribeToTask)), binding.DeadlineExceeded)
				}
			},
		},
		{
			Name: "deadlines/cancel-unary", Section: "3.3.2", Rule: "a context that is cancelled ends the call with Canceled, and the agent's context",
			play: func(p *play) {
				lingers(p)
				p.client = func(c *talk) {
					defer c.open(callReturned)
					ctx, cancel := context.WithCancel(c.ctx)
					c.together(
						func() { c.pass(c.ctx, agentWaits); cancel() },
						func() {
							defer cancel()
							c.code(c.with(ctx).do(binding.OpSendMessage, nil, request(binding.OpSendMessage)), binding.Canceled)
						})
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "deadlines/deaf-agent", Section: "3.3.2", Rule: "a call ends with its context, whether the agent heeds it or not",
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					v.open(agentWaits)
					v.pass(v.over, callReturned)
					return task("t"), nil
				}
				p.client = func(c *talk) {
					defer c.open(callReturned)
					ctx, cancel := context.WithCancel(c.ctx)
					c.together(
						func() { c.pass(c.ctx, agentWaits); cancel() },
						func() {
							defer cancel()
							c.code(c.with(ctx).do(binding.OpGetTask, nil, request(binding.OpGetTask)), binding.Canceled)
						})
				}
			},
		},
		{
			Name: "deadlines/one-of-two", Section: "3.5.2", Rule: "the end of one call's context leaves the connection and other calls alone",
			concurrent: true,
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) { return nil, v.untilEnded() }
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					_ = emit(taskEvent("s")) && v.wait(callReturned) == nil && emit(completed("s"))
					return nil
				}
				p.client = func(c *talk) {
					n, e := c.as("s").stream(binding.OpSubscribeToTask, nil, &pb.SubscribeToTaskRequest{Id: "s"}, func(i int, _ *pb.StreamResponse) bool {
						if i == 0 {
							defer c.open(callReturned)
							ctx, cancel := context.WithCancel(c.ctx)
							defer cancel()
							c.together(
								func() { c.pass(c.ctx, agentWaits); cancel() },
								func() {
									c.code(c.as("u").with(ctx).do(binding.OpGetTask, nil, &pb.GetTaskRequest{Id: "u"}), binding.Canceled)
								})
						}
						return true
					})
					c.code(e, "")
					c.equal("number of events", n, 2)
				}
			},
		},
	}
	for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSendStreamingMessage} {
		for _, s := range []struct {
			name string
			ctx  func(context.Context) (context.Context, func())
			code binding.Code
		}{
			{"expired", func(ctx context.Context) (context.Context, func()) {
				return context.WithDeadline(ctx, time.Unix(0, 0))
			}, binding.DeadlineExceeded},
			{"cancelled", func(ctx context.Context) (context.Context, func()) {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return ctx, cancel
			}, binding.Canceled},
		} {
			out = append(out, Scenario{
				Name: "deadlines/" + s.name + "-before-" + op.Name, Section: "3.3.2", Rule: "a call whose context has ended does not reach the agent",
				play: func(p *play) {
					agrees(p)
					p.client = func(c *talk) {
						ctx, cancel := s.ctx(c.ctx)
						defer cancel()
						c.code(c.with(ctx).do(op, nil, request(op)), s.code)
						c.code(c.do(binding.OpListTasks, nil, request(binding.OpListTasks)), "")
						c.asked(1)
					}
				},
			})
		}
	}
	return out
}

// callReturned is opened by a conversation whose call has come back.
const callReturned = "the call has returned"
