package equivalence

import (
	"errors"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// streamRuleScenarios have an agent that breaks the rules of streams and of
// answers: the caller is told so, and never gets what breaks them.
func streamRuleScenarios() []Scenario {
	badTask := &pb.Task{Id: "t", ContextId: "c"}
	unfinished := event(&pb.TaskStatusUpdateEvent{TaskId: "t", ContextId: "c"})
	var out []Scenario
	for _, r := range []struct {
		name, section string
		op            *binding.Op
		events        []*pb.StreamResponse
		arrive        int
		field         string
	}{
		{"status-first", "3.1.2", binding.OpSendStreamingMessage, []*pb.StreamResponse{completed("t")}, 0, ""},
		{"artifact-first", "3.1.6", binding.OpSubscribeToTask, []*pb.StreamResponse{chunk("t", 0, "x")}, 0, ""},
		{"foreign-task", "3.1.2", binding.OpSendStreamingMessage, []*pb.StreamResponse{taskEvent("t"), chunk("t", 0, "x"), completed("u")}, 2, ""},
		{"message-in-task", "3.1.2", binding.OpSendStreamingMessage, []*pb.StreamResponse{taskEvent("t"), event(text("m", "x"))}, 1, ""},
		{"two-messages", "3.1.2", binding.OpSendStreamingMessage, []*pb.StreamResponse{event(text("m", "x")), event(text("n", "y"))}, 1, ""},
		{"message-to-subscriber", "3.1.6", binding.OpSubscribeToTask, []*pb.StreamResponse{event(text("m", "x"))}, 0, ""},
		{"nil-event", "3.3.2", binding.OpSendStreamingMessage, []*pb.StreamResponse{taskEvent("t"), nil}, 1, ""},
		{"empty-event", "3.2.3", binding.OpSendStreamingMessage, []*pb.StreamResponse{taskEvent("t"), {}}, 1, ""},
		{"event-without-status", "4.2.1", binding.OpSendStreamingMessage, []*pb.StreamResponse{taskEvent("t"), unfinished}, 1, "statusUpdate.status"},
		{"first-event-without-status", "4.1.1", binding.OpSubscribeToTask, []*pb.StreamResponse{event(badTask)}, 0, "task.status"},
	} {
		out = append(out, Scenario{
			Name: "rules/" + r.name, Section: r.section, Rule: "a stream that breaks its rules fails with InvalidAgentResponseError",
			play: func(p *play) {
				p.stream = emits(nil, r.events...)
				p.client = func(c *talk) {
					evs, e := c.all(r.op, request(r.op))
					c.equal("number of events", len(evs), r.arrive)
					c.refused(e, binding.InvalidAgentResponse, r.field)
				}
			},
		})
	}
	for _, r := range []struct {
		name, section string
		op            *binding.Op
		answer        func(*visit) (proto.Message, error)
		code          binding.Code
		field         string
	}{
		{"nil-answer", "3.3.2", binding.OpGetTask, func(*visit) (proto.Message, error) { return (*pb.Task)(nil), nil }, binding.InvalidAgentResponse, ""},
		{"nil-send-answer", "3.1.1", binding.OpSendMessage, func(*visit) (proto.Message, error) { return (*pb.SendMessageResponse)(nil), nil }, binding.InvalidAgentResponse, ""},
		{"empty-send-answer", "3.1.1", binding.OpSendMessage, func(*visit) (proto.Message, error) { return &pb.SendMessageResponse{}, nil }, binding.InvalidAgentResponse, ""},
		{"task-without-status", "4.1.1", binding.OpGetTask, func(*visit) (proto.Message, error) { return badTask, nil }, binding.InvalidAgentResponse, "status"},
		{"task-without-id", "4.1.1", binding.OpCancelTask, func(*visit) (proto.Message, error) { return task(""), nil }, binding.InvalidAgentResponse, "id"},
		{"listed-task-without-status", "3.1.4", binding.OpListTasks, func(*visit) (proto.Message, error) {
			return &pb.ListTasksResponse{Tasks: []*pb.Task{task("t"), badTask}}, nil
		}, binding.InvalidAgentResponse, "tasks[1].status"},
		{"panic", "3.3.2", binding.OpGetTask, func(*visit) (proto.Message, error) { panic("a secret") }, binding.Internal, ""},
		{"plain-error", "3.3.2", binding.OpGetTask, func(*visit) (proto.Message, error) { return nil, errors.New("a secret") }, binding.Internal, ""},
	} {
		out = append(out, Scenario{
			Name: "rules/" + r.name, Section: r.section, Rule: "what an agent may not do is an error, which says nothing of the agent's inside",
			play: func(p *play) {
				agrees(p)
				good := p.answer
				p.answer = func(v *visit) (proto.Message, error) {
					if v.op == r.op {
						return r.answer(v)
					}
					return good(v)
				}
				p.client = func(c *talk) {
					_, e := c.invoke(r.op, nil, request(r.op))
					c.refused(e, r.code, r.field)
					c.keepsSecret(e)
					c.code(c.do(binding.OpListTaskPushNotificationConfigs, nil, request(binding.OpListTaskPushNotificationConfigs)), "")
				}
			},
		})
	}
	for _, r := range []struct {
		name string
		end  func() error
	}{
		{"plain-error-in-stream", func() error { return errors.New("a secret") }},
		{"panic-in-stream", func() error { panic("a secret") }},
	} {
		out = append(out, Scenario{
			Name: "rules/" + r.name, Section: "3.3.2", Rule: "a stream's failure is an error, which says nothing of the agent's inside",
			play: func(p *play) {
				p.stream = func(_ *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent("t"))
					return r.end()
				}
				p.client = func(c *talk) {
					evs, e := c.all(binding.OpSubscribeToTask, request(binding.OpSubscribeToTask))
					c.equal("number of events", len(evs), 1)
					c.code(e, binding.Internal)
					c.keepsSecret(e)
				}
			},
		})
	}
	return out
}

// keepsSecret asserts that an error does not tell what was not meant for the caller.
func (c *talk) keepsSecret(e *binding.Error) {
	if e != nil {
		c.equal("whether the error tells a secret", strings.Contains(e.Text(), "secret"), false)
	}
}
