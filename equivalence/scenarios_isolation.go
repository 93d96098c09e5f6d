package equivalence

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// isolationScenarios show that nothing is shared but what is sent.
func isolationScenarios() []Scenario {
	return []Scenario{
		{
			Name: "isolation/answer", Section: "5.1", Rule: "a caller that changes an answer changes nothing at the agent",
			play: func(p *play) {
				stored := filled(new(pb.Task))
				p.answer = answers(stored)
				p.client = func(c *talk) {
					got, _ := c.invoke(binding.OpGetTask, nil, request(binding.OpGetTask))
					if t, ok := got.(*pb.Task); ok {
						spoil(t)
					}
					c.equal("task of the agent", stored, filled(new(pb.Task)))
					got, _ = c.invoke(binding.OpGetTask, nil, request(binding.OpGetTask))
					c.equal("answer", got, filled(new(pb.Task)))
				}
			},
		},
		{
			Name: "isolation/event", Section: "5.1", Rule: "a subscriber that changes an event changes nothing for the others",
			play: func(p *play) {
				shared := event(filled(new(pb.Task)))
				p.stream = emits(nil, shared)
				p.client = func(c *talk) {
					for range 2 {
						evs, _ := c.all(binding.OpSubscribeToTask, request(binding.OpSubscribeToTask))
						for _, ev := range evs {
							c.equal("event", ev, event(filled(new(pb.Task))))
							spoil(ev.GetTask())
						}
					}
				}
			},
		},
		{
			Name: "isolation/request-of-the-client", Section: "5.1", Rule: "a caller that changes its request after the call changes nothing at the agent",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					req := filled(new(pb.SendMessageRequest))
					c.code(c.do(binding.OpSendMessage, nil, req), "")
					req.Tenant, req.Message.Parts = "changed", nil
					c.asked(1)
					for _, v := range c.visited() {
						c.equal("request that the agent keeps", v.req, filled(new(pb.SendMessageRequest)))
					}
				}
			},
		},
		{
			Name: "isolation/request-of-the-agent", Section: "5.1", Rule: "an agent that changes a request changes nothing at its caller",
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					req := v.req.(*pb.SendMessageRequest)
					req.Tenant, req.Message.Parts, req.Metadata.Fields = "changed", nil, nil
					v.call.Params["eq-key"] = "changed"
					return answersMinimal(v)
				}
				p.client = func(c *talk) {
					req := filled(new(pb.SendMessageRequest))
					call := &binding.Call{Params: binding.Params{"eq-key": "mine"}}
					c.code(c.do(binding.OpSendMessage, call, req), "")
					c.equal("request of the caller", req, filled(new(pb.SendMessageRequest)))
					c.equal("service parameters of the caller", call.Params, binding.Params{"eq-key": "mine"})
				}
			},
		},
		{
			Name: "isolation/context-values", Section: "5.1", Rule: "a context's values stay with the caller",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					ctx := context.WithValue(c.ctx, valueKey{}, "secret")
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSubscribeToTask} {
						c.code(c.with(ctx).do(op, nil, request(op)), "")
					}
					c.asked(2)
					for _, v := range c.visited() {
						c.equal("value that the agent sees", v.ctx.Value(valueKey{}), nil)
					}
				}
			},
		},
		{
			Name: "isolation/agent-context-ends", Section: "5.1", Rule: "the context of a call that was answered does not outlive it",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSubscribeToTask} {
						c.code(c.do(op, nil, request(op)), "")
					}
					for _, v := range c.visited() {
						c.step("waiting until the agent's context ends after " + v.op.Name)
						select {
						case <-v.ctx.Done():
						case <-c.over.Done():
						}
					}
				}
			},
		},
	}
}

type valueKey struct{}

// spoil changes what a caller may change in a task that is its own.
func spoil(t *pb.Task) {
	t.Id = "spoiled"
	t.Status.State = pb.TaskState_TASK_STATE_FAILED
	t.Artifacts[0].Parts[0] = textPart("spoiled")
	t.Metadata.Fields["spoiled"] = nil
	t.History = append(t.History[:0], text("spoiled", "spoiled"))
}
