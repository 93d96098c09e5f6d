package equivalence

import (
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// callsAtOnce is how many calls a client makes at the same time.
const callsAtOnce = 64

func concurrencyScenarios() []Scenario {
	return []Scenario{
		{
			Name: "concurrency/64-at-once", Section: "5.1", Rule: "calls at the same time all reach the agent, and each gets its own answer",
			concurrent: true,
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					t := task(keyOf(v.req))
					return t, v.meet(callsAtOnce)
				}
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					id := keyOf(v.req)
					if !emit(taskEvent(id)) || v.meet(callsAtOnce) != nil {
						return nil
					}
					for i := range 5 {
						if !emit(chunk(id, i, id)) {
							return nil
						}
					}
					return nil
				}
				p.client = func(c *talk) {
					fs := make([]func(), callsAtOnce)
					for i := range fs {
						id := fmt.Sprintf("call %02d", i)
						fs[i] = func() { c.as(id).own(id, i%4 == 0) }
					}
					c.together(fs...)
					c.asked(callsAtOnce)
				}
			},
		},
		{
			Name: "concurrency/large-and-small", Section: "5.1", Rule: "large messages at the same time do not mix",
			concurrent: true,
			play: func(p *play) {
				echoes(p)
				p.client = func(c *talk) {
					fs := make([]func(), 8)
					for i := range fs {
						id := fmt.Sprintf("call %d", i)
						part := textPart(strings.Repeat(fmt.Sprint(i), 1+i%2*100_000))
						fs[i] = func() {
							got, e := c.as(id).invoke(binding.OpSendMessage, nil, sendParts(id, part))
							c.code(e, "")
							if resp, ok := got.(*pb.SendMessageResponse); ok {
								c.equal("artifact of the answer", resp.GetTask().GetArtifacts()[0].GetParts()[0], part)
							}
						}
					}
					c.together(fs...)
				}
			},
		},
		{
			Name: "concurrency/errors-and-answers", Section: "3.3.2", Rule: "an error belongs to its call alone",
			concurrent: true,
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					id := keyOf(v.req)
					if strings.HasSuffix(id, "bad") {
						return nil, binding.Errorf(binding.TaskNotFound, "no %s", id)
					}
					return task(id), nil
				}
				p.client = func(c *talk) {
					fs := make([]func(), 32)
					for i := range fs {
						id := fmt.Sprintf("call %02d", i)
						if i%2 == 0 {
							id += " bad"
						}
						fs[i] = func() {
							got, e := c.as(id).invoke(binding.OpGetTask, nil, &pb.GetTaskRequest{Id: id})
							if i%2 == 0 {
								c.said(e, binding.Errorf(binding.TaskNotFound, "no %s", id))
							} else {
								c.equal("answer", got, task(id))
							}
						}
					}
					c.together(fs...)
				}
			},
		},
	}
}

// own makes a call or a stream, and asserts that what comes back is its own.
func (c *talk) own(id string, streamed bool) {
	if !streamed {
		got, e := c.invoke(binding.OpGetTask, nil, &pb.GetTaskRequest{Id: id})
		c.code(e, "")
		c.equal("answer", got, task(id))
		return
	}
	evs, e := c.all(binding.OpSubscribeToTask, &pb.SubscribeToTaskRequest{Id: id})
	c.code(e, "")
	c.equal("number of events", len(evs), 6)
	for i, ev := range evs {
		if i > 0 {
			c.equal("event", ev, chunk(id, i-1, id))
		}
	}
}
