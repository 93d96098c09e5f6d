package equivalence

import (
	"context"
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

const opened = "the other stream has begun"

func streamScenarios() []Scenario {
	send := binding.OpSendStreamingMessage
	sub := binding.OpSubscribeToTask
	return []Scenario{
		{
			Name: "streams/message-only", Section: "3.1.2", Rule: "a stream may be one message",
			play: func(p *play) {
				p.stream = emits(nil, event(filled(new(pb.Message))))
				p.client = func(c *talk) {
					evs, e := c.all(send, request(send))
					c.code(e, "")
					c.equal("number of events", len(evs), 1)
				}
			},
		},
		{
			Name: "streams/task-then-updates", Section: "3.1.2", Rule: "a task, its updates in order, a clean end",
			play: func(p *play) {
				p.stream = emits(nil, event(taskIn("t", pb.TaskState_TASK_STATE_SUBMITTED)), status("t", pb.TaskState_TASK_STATE_WORKING),
					chunk("t", 0, "a"), chunk("t", 1, "b"), lastChunk("t", 2, "c"), completed("t"))
				p.client = func(c *talk) {
					evs, e := c.all(send, request(send))
					c.code(e, "")
					c.equal("number of events", len(evs), 6)
				}
			},
		},
		{
			Name: "streams/nothing", Section: "3.5.2", Rule: "a stream that the agent ends at once is a clean end",
			play: func(p *play) {
				p.stream = emits(nil)
				p.client = func(c *talk) {
					evs, e := c.all(sub, request(sub))
					c.code(e, "")
					c.equal("number of events", len(evs), 0)
				}
			},
		},
		{
			Name: "streams/lazy", Section: "5.1", Rule: "a stream that nobody reads does not reach the agent",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					_ = c.dialed.SubscribeToTask(c.ctx, nil, &pb.SubscribeToTaskRequest{Id: "t"})
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
					c.asked(1)
				}
			},
		},
		{
			Name: "streams/late-subscriber", Section: "3.1.6", Rule: "a subscription begins with the task as it is",
			play: lateSubscriber,
		},
		{
			Name: "streams/one-by-one", Section: "3.1.2", Rule: "an event arrives before the next is made: nothing on the way holds it back",
			play: oneByOne,
		},
		{
			Name: "streams/ten-thousand-events", Section: "3.5.2", Rule: "events arrive in the order in which the agent made them",
			Timeout: 4 * DefaultTimeout, // with the race detector, on a busy machine
			play:    func(p *play) { longStream(p, 10_000) },
		},
		{
			Name: "streams/leave-early", Section: "3.5.2", Rule: "leaving a stream ends the agent's context",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent("t"))
					return v.untilEnded()
				}
				p.client = func(c *talk) {
					n, e := c.stream(send, nil, request(send), func(int, *pb.StreamResponse) bool { return false })
					c.code(e, "")
					c.equal("number of events", n, 1)
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "streams/leave-a-busy-agent", Section: "3.5.2", Rule: "leaving a stream stops an agent that does not look at its context",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					for i := 0; emit(first(i, "t")) && v.over.Err() == nil; i++ {
					}
					return nil
				}
				p.client = func(c *talk) {
					_, e := c.stream(send, nil, request(send), func(i int, _ *pb.StreamResponse) bool { return i < 2 })
					c.code(e, "")
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "streams/cancel", Section: "3.5.2", Rule: "ending the context ends the stream with Canceled, and the agent's context",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent("t"))
					return v.untilEnded()
				}
				p.client = func(c *talk) {
					ctx, cancel := context.WithCancel(c.ctx)
					defer cancel()
					n, e := c.with(ctx).stream(send, nil, request(send), func(int, *pb.StreamResponse) bool { cancel(); return true })
					c.code(e, binding.Canceled)
					c.equal("number of events", n, 1)
					c.await(agentEnded)
				}
			},
		},
		{
			Name: "streams/task-goes-on", Section: "3.5.2", Rule: "a stream that is left does not cancel its task",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent("t"))
					return v.untilEnded()
				}
				p.answer = answers(taskIn("t", pb.TaskState_TASK_STATE_COMPLETED))
				p.client = func(c *talk) {
					_, _ = c.stream(send, nil, request(send), func(int, *pb.StreamResponse) bool { return false })
					c.await(agentEnded)
					got, _ := c.invoke(binding.OpGetTask, nil, request(binding.OpGetTask))
					c.equal("task", got, taskIn("t", pb.TaskState_TASK_STATE_COMPLETED))
					c.asked(2)
				}
			},
		},
		{
			Name: "streams/slow-reader", Section: "3.5.2", Rule: "who reads slowly gets every event, and makes calls meanwhile",
			play: func(p *play) {
				agrees(p)
				p.stream = emits(nil, append([]*pb.StreamResponse{taskEvent("t")}, chunks(50, "x")...)...)
				p.client = func(c *talk) {
					n, e := c.stream(send, nil, request(send), func(i int, _ *pb.StreamResponse) bool {
						return i%10 != 0 || c.do(binding.OpGetTask, nil, request(binding.OpGetTask)) == nil
					})
					c.code(e, "")
					c.equal("number of events", n, 51)
				}
			},
		},
		{
			Name: "streams/several-subscribers", Section: "3.5.2", Rule: "all subscribers of a task see its events in one order",
			concurrent: true, play: func(p *play) { subscribers(p, 3, 50) },
		},
		{
			Name: "streams/one-slow-of-two", Section: "3.5.2", Rule: "a stream that is not read does not stop another",
			concurrent: true, play: slowAndFast,
		},
		{
			Name: "streams/one-after-another", Section: "3.5.2", Rule: "streams that were read, left or failed leave the client as it was",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					_ = emit(taskEvent("t")) && emit(chunk("t", 0, "x"))
					return binding.ErrUnsupportedOperation
				}
				p.client = func(c *talk) {
					for i := range 12 {
						_, e := c.stream(send, nil, request(send), func(n int, _ *pb.StreamResponse) bool { return n < i%3 })
						c.equal("whether the stream failed", e != nil, i%3 == 2)
					}
					c.asked(12)
				}
			},
		},
	}
}

func lastChunk(id string, i int, s string) *pb.StreamResponse {
	ev := chunk(id, i, s)
	ev.GetArtifactUpdate().LastChunk = true
	return ev
}

// first is the i-th event of a stream that begins with its task.
func first(i int, id string) *pb.StreamResponse {
	if i == 0 {
		return taskEvent(id)
	}
	return chunk(id, i-1, "x")
}

func chunks(n int, s string) []*pb.StreamResponse {
	out := make([]*pb.StreamResponse, n)
	for i := range out {
		out[i] = chunk("t", i, s)
	}
	return out
}

// lateSubscriber has a task that is half done when somebody subscribes.
func lateSubscriber(p *play) {
	half := task("t")
	half.Artifacts = []*pb.Artifact{{ArtifactId: "a", Parts: []*pb.Part{textPart("chunk 0")}}}
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		if v.op == binding.OpSendStreamingMessage {
			if emit(taskEvent("t")) && emit(chunk("t", 0, "chunk 0")) && v.wait(opened) == nil {
				_ = emit(chunk("t", 1, "chunk 1")) && emit(completed("t"))
			}
			return nil
		}
		_ = emit(event(half)) && emit(chunk("t", 1, "chunk 1")) && emit(completed("t"))
		return nil
	}
	p.client = func(c *talk) {
		n, e := c.stream(binding.OpSendStreamingMessage, nil, request(binding.OpSendStreamingMessage), func(i int, _ *pb.StreamResponse) bool {
			if i == 1 {
				evs, e := c.all(binding.OpSubscribeToTask, request(binding.OpSubscribeToTask))
				c.code(e, "")
				c.equal("number of events", len(evs), 3)
				if len(evs) > 0 {
					c.equal("first event", evs[0], event(half))
				}
				c.open(opened)
			}
			return true
		})
		c.code(e, "")
		c.equal("number of events", n, 4)
	}
}

// oneByOne has an agent that makes an event when the one before has arrived.
func oneByOne(p *play) {
	const n = 5
	arrived := func(op *binding.Op, i int) string { return fmt.Sprintf("event %d of %s has arrived", i, op) }
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		for i := range n {
			if !emit(first(i, "t")) {
				return nil
			}
			if err := v.wait(arrived(v.op, i)); err != nil {
				return err
			}
		}
		return nil
	}
	p.client = func(c *talk) {
		for _, op := range []*binding.Op{binding.OpSendStreamingMessage, binding.OpSubscribeToTask} {
			got, e := c.stream(op, nil, request(op), func(i int, _ *pb.StreamResponse) bool { c.open(arrived(op, i)); return true })
			c.code(e, "")
			c.equal("number of events", got, n)
		}
	}
}

// longStream counts the events; a log of them would be long.
func longStream(p *play, n int) {
	p.stream = func(_ *visit, emit func(*pb.StreamResponse) bool) error {
		for i := range n {
			if !emit(first(i, "t")) {
				return nil
			}
		}
		return nil
	}
	p.client = func(c *talk) {
		wrong := -1
		got, e := c.silent().stream(binding.OpSendStreamingMessage, nil, request(binding.OpSendStreamingMessage), func(i int, ev *pb.StreamResponse) bool {
			if wrong < 0 && (i == 0) != (ev.GetTask() != nil) || i > 0 && place(ev) != i-1 {
				wrong = i
			}
			return true
		})
		c.code(e, "")
		c.equal("number of events", got, n)
		c.equal("first event out of its place", wrong, -1)
	}
}

// subscribers has n who subscribe at the same time and are served together.
func subscribers(p *play, n, events int) {
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		if err := v.meet(n); err != nil {
			return err
		}
		id := v.req.(*pb.SubscribeToTaskRequest).GetId()
		if !emit(taskEvent(id)) {
			return nil
		}
		for i := range events {
			if !emit(chunk(id, i, "x")) {
				return nil
			}
		}
		return nil
	}
	p.client = func(c *talk) {
		fs := make([]func(), n)
		for i := range fs {
			key := fmt.Sprintf("subscriber %d", i)
			fs[i] = func() {
				evs, e := c.as(key).all(binding.OpSubscribeToTask, &pb.SubscribeToTaskRequest{Id: "t"})
				c.code(e, "")
				c.equal("number of events", len(evs), events+1)
				for i, ev := range evs {
					if i > 0 && place(ev) != i-1 {
						c.equal("place of an event", place(ev), i-1)
					}
				}
			}
		}
		c.together(fs...)
	}
}

// slowAndFast reads one event of a stream of a megabyte, then all of another.
func slowAndFast(p *play) {
	big := strings.Repeat("x", 16<<10)
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		id := v.req.(*pb.SubscribeToTaskRequest).GetId()
		if !emit(event(task(id))) {
			return nil
		}
		for i := range 64 {
			if !emit(chunk(id, i, big)) {
				return nil
			}
		}
		return nil
	}
	sub := func(id string) proto.Message { return &pb.SubscribeToTaskRequest{Id: id} }
	p.client = func(c *talk) {
		n, e := c.as("slow").stream(binding.OpSubscribeToTask, nil, sub("slow"), func(i int, _ *pb.StreamResponse) bool {
			if i == 0 {
				evs, e := c.as("fast").all(binding.OpSubscribeToTask, sub("fast"))
				c.code(e, "")
				c.equal("number of events", len(evs), 65)
			}
			return true
		})
		c.code(e, "")
		c.equal("number of events", n, 65)
	}
}
