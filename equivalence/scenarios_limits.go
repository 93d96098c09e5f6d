package equivalence

import (
	"fmt"
	"math"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// limitScenarios are about what is too large, too deep, or cannot be carried.
func limitScenarios() []Scenario {
	out := []Scenario{
		{
			Name: "limits/request-at-the-limit", Section: "5.1", Rule: "a message of exactly the limit passes",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					req := sized(MaxMessageBytes)
					c.code(c.do(binding.OpSendMessage, nil, req), "")
					c.equal("request that the agent saw", c.last(), req)
				}
			},
		},
		{
			Name: "limits/event-at-the-limit", Section: "5.1", Rule: "an event of exactly the limit passes",
			play: func(p *play) {
				ev := sizedEvent(MaxMessageBytes)
				p.stream = emits(nil, taskEvent("t"), ev, completed("t"))
				p.client = func(c *talk) {
					evs, e := c.all(binding.OpSubscribeToTask, request(binding.OpSubscribeToTask))
					c.code(e, "")
					c.equal("number of events", len(evs), 3)
				}
			},
		},
		{
			Name: "limits/event-over-the-limit", Section: "5.1", Rule: "an event over the limit ends its stream with an error, and no other",
			play: func(p *play) {
				agrees(p)
				ev := sizedEvent(MaxMessageBytes + 1)
				p.stream = emits(nil, taskEvent("t"), ev, completed("t"))
				p.client = func(c *talk) {
					n, e := c.stream(binding.OpSubscribeToTask, nil, request(binding.OpSubscribeToTask), nil)
					c.equal("number of events", n, 1)
					c.tooLarge(e)
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
				}
			},
		},
		{
			Name: "limits/answer-over-the-limit", Section: "5.1", Rule: "an answer over the limit is an error, and the connection works afterwards",
			play: func(p *play) {
				agrees(p)
				good := p.answer
				p.answer = func(v *visit) (proto.Message, error) {
					if v.op == binding.OpSendMessage {
						return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: text("m", strings.Repeat("x", MaxMessageBytes))}}, nil
					}
					return good(v)
				}
				p.client = func(c *talk) {
					c.tooLarge(c.do(binding.OpSendMessage, nil, request(binding.OpSendMessage)))
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
				}
			},
		},
	}
	for _, over := range []struct {
		name string
		req  func() proto.Message
	}{
		{"request-over-the-limit", func() proto.Message { return sized(MaxMessageBytes + 1) }},
		{"request-over-in-one-form", func() proto.Message {
			return sendParts("m", &pb.Part{Content: &pb.Part_Raw{Raw: make([]byte, MaxMessageBytes*4/5)}})
		}},
		{"request-far-over-the-limit", func() proto.Message { return send("m", strings.Repeat("x", 4*MaxMessageBytes)) }},
	} {
		out = append(out, Scenario{
			Name: "limits/" + over.name, Section: "5.1", Rule: "a request over the limit, in either form, is refused before it is sent",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					req := over.req()
					c.tooLarge(c.do(binding.OpSendMessage, nil, req))
					c.tooLarge(c.do(binding.OpSendStreamingMessage, nil, req))
					c.asked(0)
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
				}
			},
		})
	}
	return append(out, uncarriable()...)
}

// sized is a request whose ProtoJSON, the larger form, has n bytes.
func sized(n int) *pb.SendMessageRequest {
	return send("m", strings.Repeat("x", n-jsonSize(send("m", ""))))
}

func sizedEvent(n int) *pb.StreamResponse {
	return chunk("t", 0, strings.Repeat("x", n-jsonSize(chunk("t", 0, ""))))
}

func jsonSize(m proto.Message) int { return len(must(binding.MessagePayload(m).JSON())) }

// tooLarge asserts that an error names the limit.
func (c *talk) tooLarge(e *binding.Error) {
	c.code(e, binding.ResourceExhausted)
	if e != nil {
		c.equal("whether the error names the limit", strings.Contains(e.Text(), fmt.Sprint(MaxMessageBytes)), true)
	}
}

// uncarriable are messages that not every wire can carry. In a request they
// are the caller's fault, in an answer the agent's; the field is named.
func uncarriable() []Scenario {
	parts := func(ps ...*pb.Part) func() *pb.Message {
		return func() *pb.Message { return message("m", pb.Role_ROLE_USER, ps...) }
	}
	value := func(v *structpb.Value) *pb.Part { return &pb.Part{Content: &pb.Part_Data{Data: v}} }
	var out []Scenario
	for _, u := range []struct {
		name, section, field string
		message              func() *pb.Message
	}{
		{"nan", "3.2.5", "message.parts[0].data", parts(value(structpb.NewNumberValue(math.NaN())))},
		{"infinity", "3.2.5", "message.parts[0].data[1]", parts(value(structpb.NewListValue(&structpb.ListValue{
			Values: []*structpb.Value{structpb.NewNumberValue(1), structpb.NewNumberValue(math.Inf(-1))}})))},
		{"value-without-kind", "3.2.5", "message.parts[0].data", parts(value(&structpb.Value{}))},
		{"bad-utf8-text", "5.1", "message.parts[1].text", parts(textPart("good"), textPart("bad \xff"))},
		{"bad-utf8-id", "5.1", "message.contextId", func() *pb.Message { m := text("m", "x"); m.ContextId = "\xc3\x28"; return m }},
		{"unset-content", "4.1.6", "message.parts[0]", parts(&pb.Part{MediaType: "text/plain"})},
		{"unknown-enum", "5.7", "message.role", func() *pb.Message { m := text("m", "x"); m.Role = 99; return m }},
		{"too-deep", "5.1", "", parts(value(lists(61)))},
		{"far-too-deep", "5.1", "", parts(value(lists(1000)))},
	} {
		out = append(out, Scenario{
			Name: "limits/" + u.name, Section: u.section, Rule: "what not every wire can carry is refused on all, both ways", verdict: true,
			play: func(p *play) {
				m := u.message()
				p.answer = answers(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: m}})
				p.stream = emits(nil, event(m))
				p.client = func(c *talk) {
					req := &pb.SendMessageRequest{Message: u.message()}
					field := func(e *binding.Error) string {
						if u.field == "" && e != nil {
							return fieldOf(e)
						}
						return u.field
					}
					for _, op := range []*binding.Op{binding.OpSendMessage, binding.OpSendStreamingMessage} {
						e := c.do(op, nil, req)
						c.refused(e, binding.InvalidParams, field(e))
					}
					c.asked(0)
					for _, op := range []*binding.Op{binding.OpSendMessage, binding.OpSendStreamingMessage} {
						e := c.do(op, nil, request(op))
						c.refused(e, binding.InvalidAgentResponse, field(e))
					}
				}
			},
		})
	}
	return append(out,
		Scenario{
			Name: "limits/deep-enough", Section: "5.1", Rule: "64 levels pass",
			play: func(p *play) {
				m := message("m", pb.Role_ROLE_USER, value(lists(60)))
				answer := &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: m}}
				p.answer = answers(answer)
				p.client = func(c *talk) {
					req := &pb.SendMessageRequest{Message: m}
					got, e := c.invoke(binding.OpSendMessage, nil, req)
					c.code(e, "")
					c.equal("request that the agent saw", c.last(), req)
					c.equal("answer", got, answer)
				}
			},
		},
		Scenario{
			Name: "limits/unknown-state", Section: "5.7", Rule: "a state that is not one is never taken for work in progress",
			play: func(p *play) {
				p.answer = answers(taskIn("t", 99))
				p.stream = emits(nil, taskEvent("t"), status("t", 99))
				p.client = func(c *talk) {
					c.refused(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), binding.InvalidAgentResponse, "status.state")
					n, e := c.stream(binding.OpSubscribeToTask, nil, request(binding.OpSubscribeToTask), nil)
					c.equal("number of events", n, 1)
					c.refused(e, binding.InvalidAgentResponse, "statusUpdate.status.state")
					c.refused(c.do(binding.OpListTasks, nil, &pb.ListTasksRequest{Status: 99}), binding.InvalidParams, "status")
				}
			},
			verdict: true,
		},
		Scenario{
			Name: "limits/timestamp-out-of-range", Section: "5.6.1", Rule: "a timestamp that cannot be written is refused",
			play: func(p *play) {
				late := task("t")
				late.Status.Timestamp = &timestamppb.Timestamp{Seconds: math.MaxInt64}
				p.answer = answers(late)
				p.client = func(c *talk) {
					c.refused(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), binding.InvalidAgentResponse, "status.timestamp")
					c.refused(c.do(binding.OpListTasks, nil, &pb.ListTasksRequest{StatusTimestampAfter: late.Status.Timestamp}),
						binding.InvalidParams, "statusTimestampAfter")
				}
			},
			verdict: true,
		},
	)
}

// lists is a value of n lists, one in the other.
func lists(n int) *structpb.Value {
	v := structpb.NewNumberValue(1)
	for range n {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}
	return v
}
