package equivalence

import (
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// sections are where the specification describes the operations.
var sections = map[*binding.Op]string{
	binding.OpSendMessage: "3.1.1", binding.OpSendStreamingMessage: "3.1.2", binding.OpGetTask: "3.1.3",
	binding.OpListTasks: "3.1.4", binding.OpCancelTask: "3.1.5", binding.OpSubscribeToTask: "3.1.6",
	binding.OpCreateTaskPushNotificationConfig: "3.1.7", binding.OpGetTaskPushNotificationConfig: "3.1.8",
	binding.OpListTaskPushNotificationConfigs: "3.1.9", binding.OpDeleteTaskPushNotificationConfig: "3.1.10",
	binding.OpGetExtendedAgentCard: "3.1.11",
}

func operationScenarios() []Scenario {
	var out []Scenario
	for _, op := range binding.Ops() {
		out = append(out,
			Scenario{
				Name: "operations/" + op.Name, Section: sections[op],
				Rule: "every field of the request and of the answer arrives as it was sent",
				play: func(p *play) { filledPlay(p, op) },
			},
			Scenario{
				Name: "operations/" + op.Name + "-minimal", Section: sections[op],
				Rule: "fields that are unset arrive unset",
				play: func(p *play) {
					agrees(p)
					p.client = func(c *talk) {
						c.code(c.do(op, nil, request(op)), "")
						c.equal("request that the agent saw", c.last(), request(op))
					}
				},
			})
	}
	return append(out,
		Scenario{
			Name: "operations/message-answer", Section: "3.1.1", Rule: "SendMessage may be answered with a message",
			play: func(p *play) {
				answer := &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: filled(new(pb.Message))}}
				p.answer = answers(answer)
				p.client = func(c *talk) {
					got, _ := c.invoke(binding.OpSendMessage, nil, request(binding.OpSendMessage))
					c.equal("answer", got, answer)
				}
			},
		},
		Scenario{
			Name: "operations/nil-call", Section: "5.1", Rule: "a call needs no service parameters",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					_, err := c.dialed.GetTask(c.ctx, nil, &pb.GetTaskRequest{Id: "t"})
					c.code(asError(err), "")
					for _, err := range c.dialed.SubscribeToTask(c.ctx, nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
						c.code(asError(err), "")
					}
					c.asked(2)
				}
			},
		},
		Scenario{
			Name: "operations/delete-twice", Section: "3.1.10", Rule: "deleting is idempotent, and each call reaches the agent once",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for range 2 {
						c.code(c.do(binding.OpDeleteTaskPushNotificationConfig, nil, request(binding.OpDeleteTaskPushNotificationConfig)), "")
					}
					c.asked(2)
				}
			},
		},
		Scenario{
			Name: "operations/one-after-another", Section: "5.1", Rule: "one client makes all calls, in order",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for range 2 {
						for _, op := range binding.Ops() {
							c.code(c.do(op, nil, request(op)), "")
						}
					}
					c.asked(22)
				}
			},
		},
	)
}

// filledPlay calls an operation with every field set, and has it answered so.
func filledPlay(p *play, op *binding.Op) {
	req := filled(op.NewRequest())
	if op.Streaming {
		evs := filledEvents()
		p.stream = emits(nil, evs...)
		p.client = func(c *talk) {
			got, e := c.all(op, req)
			c.code(e, "")
			c.equal("number of events", len(got), len(evs))
			for i := range min(len(got), len(evs)) {
				c.equal("event", got[i], evs[i])
			}
			c.equal("request that the agent saw", c.last(), req)
		}
		return
	}
	answer := filled(op.NewResponse())
	p.answer = answers(answer)
	p.client = func(c *talk) {
		got, e := c.invoke(op, nil, req)
		c.code(e, "")
		c.equal("answer", got, answer)
		c.equal("request that the agent saw", c.last(), req)
	}
}

// filledEvents is a stream with every kind of event of a task, all fields set.
func filledEvents() []*pb.StreamResponse {
	t, s, a := filled(new(pb.Task)), filled(new(pb.TaskStatusUpdateEvent)), filled(new(pb.TaskArtifactUpdateEvent))
	s.TaskId, a.TaskId = t.Id, t.Id
	return []*pb.StreamResponse{event(t), event(s), event(a)}
}

func presenceScenarios() []Scenario {
	requests := []struct {
		name, section string
		op            *binding.Op
		req           proto.Message
	}{
		{"GetTask-historyLength-zero", "3.2.4", binding.OpGetTask, &pb.GetTaskRequest{Id: "t", HistoryLength: proto.Int32(0)}},
		{"ListTasks-pageSize", "3.1.4", binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(100)}},
		{"ListTasks-historyLength-zero", "3.2.4", binding.OpListTasks, &pb.ListTasksRequest{HistoryLength: proto.Int32(0)}},
		{"ListTasks-includeArtifacts-false", "3.1.4", binding.OpListTasks, &pb.ListTasksRequest{IncludeArtifacts: proto.Bool(false)}},
		{"ListTasks-includeArtifacts-true", "3.1.4", binding.OpListTasks, &pb.ListTasksRequest{IncludeArtifacts: proto.Bool(true)}},
		{"SendMessage-configuration-empty", "3.2.2", binding.OpSendMessage,
			&pb.SendMessageRequest{Message: send("m", "x").Message, Configuration: &pb.SendMessageConfiguration{}}},
		{"SendMessage-historyLength-zero", "3.2.2", binding.OpSendMessage,
			&pb.SendMessageRequest{Message: send("m", "x").Message, Configuration: &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0)}}},
		{"SendMessage-metadata-empty", "3.2.5", binding.OpSendMessage,
			&pb.SendMessageRequest{Message: send("m", "x").Message, Metadata: &structpb.Struct{}}},
		{"CancelTask-metadata-empty", "3.1.5", binding.OpCancelTask, &pb.CancelTaskRequest{Id: "t", Metadata: &structpb.Struct{}}},
	}
	var out []Scenario
	for _, r := range requests {
		out = append(out, Scenario{
			Name: "presence/" + r.name, Section: r.section, Rule: "a field set to its default is not an unset one",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					c.code(c.do(r.op, nil, r.req), "")
					c.equal("request that the agent saw", c.last(), r.req)
				}
			},
		})
	}
	card := func(edit func(*pb.AgentCard)) *pb.AgentCard { x := fullCard(); edit(x); return x }
	answered := []struct {
		name   string
		op     *binding.Op
		answer proto.Message
	}{
		{"card-streaming-false", binding.OpGetExtendedAgentCard, card(func(x *pb.AgentCard) { x.Capabilities.Streaming = proto.Bool(false) })},
		{"card-streaming-unset", binding.OpGetExtendedAgentCard, card(func(x *pb.AgentCard) { x.Capabilities.Streaming = nil })},
		{"card-iconUrl-empty", binding.OpGetExtendedAgentCard, card(func(x *pb.AgentCard) { x.IconUrl = proto.String("") })},
		{"card-empty-lists", binding.OpGetExtendedAgentCard, card(func(x *pb.AgentCard) {
			x.Skills, x.DefaultInputModes, x.DefaultOutputModes, x.Description = nil, nil, nil, ""
		})},
		{"no-tasks", binding.OpListTasks, &pb.ListTasksResponse{PageSize: 50}},
		{"no-configs", binding.OpListTaskPushNotificationConfigs, &pb.ListTaskPushNotificationConfigsResponse{}},
		{"task-metadata-empty", binding.OpGetTask, &pb.Task{Id: "t", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}, Metadata: &structpb.Struct{}}},
	}
	for _, a := range answered {
		out = append(out, Scenario{
			Name: "presence/" + a.name, Section: "5.7", Rule: "an answer's field set to its default is not an unset one",
			play: func(p *play) {
				p.answer = answers(a.answer)
				p.client = func(c *talk) {
					got, e := c.invoke(a.op, nil, request(a.op))
					c.code(e, "")
					c.equal("answer", got, a.answer)
				}
			},
		})
	}
	return out
}

// identifierScenarios show that identifiers are any text: a wire that puts them
// into paths, topics or queries escapes them.
func identifierScenarios() []Scenario {
	var out []Scenario
	for _, id := range []struct{ name, id string }{
		{"slash", "a/b"}, {"slashes", "/a//b/"}, {"question", "a?b=c"}, {"percent", "100%"}, {"escaped", "a%2Fb"}, {"hash", "a#b"},
		{"space", " a b "}, {"colon", "a:cancel"}, {"verb", "a:subscribe"}, {"route", "pushNotificationConfigs"},
		{"unicode", "ünï-✓-日本"}, {"query", "a+b&c=d;e"}, {"dot", "."}, {"dots", ".."}, {"wild", "+/#"}, {"quotes", `"'\<>{}` + "`"}, {"long", strings.Repeat("x", 1024)},
	} {
		out = append(out, Scenario{
			Name: "identifiers/" + id.name, Section: "3.4.2", Rule: "an identifier is text without a meaning",
			play: func(p *play) {
				agrees(p)
				p.stream = func(_ *visit, emit func(*pb.StreamResponse) bool) error {
					emit(taskEvent(id.id))
					return nil
				}
				p.client = func(c *talk) {
					for _, x := range []struct {
						op  *binding.Op
						req proto.Message
					}{
						{binding.OpGetTask, &pb.GetTaskRequest{Id: id.id}},
						{binding.OpCancelTask, &pb.CancelTaskRequest{Id: id.id}},
						{binding.OpSubscribeToTask, &pb.SubscribeToTaskRequest{Id: id.id}},
						{binding.OpListTasks, &pb.ListTasksRequest{ContextId: id.id, PageToken: id.id}},
						{binding.OpCreateTaskPushNotificationConfig, &pb.TaskPushNotificationConfig{Id: id.id, TaskId: id.id, Url: "https://hook.example"}},
						{binding.OpGetTaskPushNotificationConfig, &pb.GetTaskPushNotificationConfigRequest{Id: id.id, TaskId: id.id}},
						{binding.OpListTaskPushNotificationConfigs, &pb.ListTaskPushNotificationConfigsRequest{TaskId: id.id, PageToken: id.id}},
						{binding.OpDeleteTaskPushNotificationConfig, &pb.DeleteTaskPushNotificationConfigRequest{Id: id.id, TaskId: id.id}},
					} {
						c.code(c.do(x.op, nil, x.req), "")
						c.equal("request that the agent saw", c.last(), x.req)
					}
				}
			},
		})
	}
	return out
}
