package equivalence

import (
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

func closeScenarios() []Scenario {
	return []Scenario{
		{
			Name: "close/unary-in-flight", Section: "3.3.2", Rule: "closing the client ends its calls with Unavailable, and the agent's context",
			play: func(p *play) {
				waits(p)
				p.client = func(c *talk) {
					c.together(
						func() { c.pass(c.ctx, agentWaits); c.close() },
						func() { c.lost(binding.OpGetTask, 0) })
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "close/stream-in-flight", Section: "3.5.2", Rule: "closing the client ends its streams with Unavailable: never a clean end",
			play: func(p *play) {
				waits(p)
				p.client = func(c *talk) {
					c.together(
						func() { c.pass(c.ctx, eventRead); c.close() },
						func() { c.lost(binding.OpSendStreamingMessage, 1) })
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "close/teardown-in-flight", Section: "3.5.2", Rule: "a stream whose server or client goes away does not end cleanly",
			play: func(p *play) {
				waits(p)
				p.client = func(c *talk) {
					c.together(
						func() { c.pass(c.ctx, eventRead); c.teardown() },
						func() { c.lost(binding.OpSubscribeToTask, 1) })
				}
			},
		},
		{
			Name: "close/teardown-of-a-silent-agent", Section: "3.5.2",
			Rule: "nor does it if the agent's stream just stops when its context ends",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent("t"))
					_ = v.untilEnded()
					return nil
				}
				p.client = func(c *talk) {
					c.together(
						func() { c.pass(c.ctx, eventRead); c.teardown() },
						func() { c.lost(binding.OpSubscribeToTask, 1) })
				}
			},
		},
		{
			Name: "close/calls-afterwards", Section: "3.3.2", Rule: "calls on a closed client are Unavailable",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
					c.close()
					for _, op := range binding.Ops() {
						c.lost(op, 0)
					}
					c.asked(1)
				}
			},
		},
		{
			Name: "close/twice", Section: "3.3.2", Rule: "a client may be closed more than once, and from several sides",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
					c.close()
					c.close()
					c.together(c.close, c.close)
				}
			},
		},
	}
}

// eventRead is opened by a conversation that has read an event.
const eventRead = "an event was read"

// lost makes a call or a stream that the connection does not survive. How this
// side says so is its own affair.
func (c *talk) lost(op *binding.Op, events int) {
	var e *binding.Error
	n := 0
	if c = c.silent(); op.Streaming {
		n, e = c.stream(op, nil, request(op), func(int, *pb.StreamResponse) bool { c.open(eventRead); return true })
	} else {
		_, e = c.invoke(op, nil, request(op))
	}
	c.code(e, binding.Unavailable)
	c.equal("number of events", n, events)
}
