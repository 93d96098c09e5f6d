package equivalence

import (
	"math"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// echoes is an agent that sends the parts of a message back, in an artifact.
func echoes(p *play) {
	artifact := func(v *visit) *pb.Task {
		t := task("t")
		t.Artifacts = []*pb.Artifact{{ArtifactId: "a", Parts: proto.Clone(v.req).(*pb.SendMessageRequest).GetMessage().GetParts()}}
		return t
	}
	p.answer = func(v *visit) (proto.Message, error) {
		return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: artifact(v)}}, nil
	}
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		emit(event(artifact(v)))
		return nil
	}
}

// echoed sends parts both ways, in a call and, unless they are large, in a
// stream, and asserts that they are the same everywhere.
func (c *talk) echoed(parts ...*pb.Part) {
	req := sendParts("m", parts...)
	want := &pb.Artifact{ArtifactId: "a", Parts: parts}
	got, e := c.invoke(binding.OpSendMessage, nil, req)
	c.code(e, "")
	c.equal("request that the agent saw", c.last(), req)
	if resp, ok := got.(*pb.SendMessageResponse); ok && len(resp.GetTask().GetArtifacts()) == 1 {
		c.equal("artifact of the answer", resp.GetTask().GetArtifacts()[0], want)
	}
	if proto.Size(req) > 256<<10 {
		return
	}
	evs, e := c.all(binding.OpSendStreamingMessage, req)
	c.code(e, "")
	c.equal("number of events", len(evs), 1)
	if len(evs) == 1 && len(evs[0].GetTask().GetArtifacts()) == 1 {
		c.equal("artifact of the event", evs[0].GetTask().GetArtifacts()[0], want)
	}
}

func payloadScenarios() []Scenario {
	bytes256 := make([]byte, 256)
	for i := range bytes256 {
		bytes256[i] = byte(i)
	}
	raw := func(b []byte) *pb.Part { return &pb.Part{Content: &pb.Part_Raw{Raw: b}} }
	meta := must(structpb.NewStruct(map[string]any{"k": "v"}))
	var out []Scenario
	for _, s := range []struct {
		name, section string
		parts         []*pb.Part
	}{
		{"text-empty", "4.1.6", []*pb.Part{textPart("")}},
		{"text-unicode", "4.1.6", []*pb.Part{textPart("ünï 日本 😀 👩‍👩‍👧 \u2028\u2029 \ufeff \U0010ffff \ufffd e\u0301")}},
		{"text-controls", "4.1.6", []*pb.Part{textPart("\x00\x01\b\t\n\v\f\r\x1b\x7f\u0085")}},
		{"text-json", "4.1.6", []*pb.Part{textPart("{\"a\": [\"\\\"\", '\\u0041', </script>]}\r\n\r\ndata: x\n\nevent: y")}},
		{"text-70-KB", "4.1.6", []*pb.Part{textPart(strings.Repeat("x", 70_000))}},
		{"text-1-MiB", "4.1.6", []*pb.Part{textPart(strings.Repeat("0123456789abcde\n", 1<<16))}},
		{"raw-empty", "4.1.6", []*pb.Part{raw(nil)}},
		{"raw-all-bytes", "4.1.6", []*pb.Part{raw(bytes256), raw(bytes256[255:]), raw(bytes256[254:])}},
		{"raw-500-KB", "4.1.6", []*pb.Part{raw([]byte(strings.Repeat("\x00\xff\x80", 170_000)))}},
		{"url", "4.1.6", []*pb.Part{{Content: &pb.Part_Url{Url: "https://files.example/a%20b?c=d&e=f#g"}}, {Content: &pb.Part_Url{}}}},
		{"part-fields", "4.1.6", []*pb.Part{
			{Content: &pb.Part_Text{Text: "x"}, MediaType: "text/markdown; charset=utf-8", Filename: "ünï \"f\".md", Metadata: meta},
			{Content: &pb.Part_Raw{Raw: []byte("x")}, MediaType: "application/pdf", Filename: "../f.pdf", Metadata: &structpb.Struct{}},
			{Content: &pb.Part_Url{Url: "u"}, MediaType: "image/png", Metadata: meta},
			{Content: &pb.Part_Data{Data: structpb.NewStructValue(meta)}, MediaType: "application/json", Filename: "d"},
		}},
		{"many-parts", "4.1.4", manyParts(200)},
	} {
		out = append(out, Scenario{
			Name: "payloads/" + s.name, Section: s.section, Rule: "content arrives as it was sent, both ways",
			play: func(p *play) {
				echoes(p)
				p.client = func(c *talk) { c.echoed(s.parts...) }
			},
		})
	}
	return append(out,
		answerScenario("task-states", "4.1.3", binding.OpListTasks, allStates()),
		answerScenario("timestamps", "5.6.1", binding.OpListTasks, timestamps()),
		answerScenario("card-schemes", "4.5.1", binding.OpGetExtendedAgentCard, schemes()),
		answerScenario("many-tasks", "3.1.4", binding.OpListTasks, manyTasks(100)),
		Scenario{
			Name: "payloads/filter-by-state", Section: "3.1.4", Rule: "every state, and a timestamp with nanoseconds, can be asked for",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for n := range int32(len(pb.TaskState_name)) {
						req := &pb.ListTasksRequest{Status: pb.TaskState(n), StatusTimestampAfter: &timestamppb.Timestamp{Seconds: 1_700_000_000, Nanos: n + 1}}
						c.code(c.do(binding.OpListTasks, nil, req), "")
						c.equal("request that the agent saw", c.last(), req)
					}
				}
			},
		},
	)
}

// answerScenario has one answer that arrives as it is.
func answerScenario(name, section string, op *binding.Op, answer proto.Message) Scenario {
	return Scenario{
		Name: "payloads/" + name, Section: section, Rule: "an answer arrives as the agent gave it",
		play: func(p *play) {
			p.answer = answers(answer)
			p.client = func(c *talk) {
				got, e := c.invoke(op, nil, request(op))
				c.code(e, "")
				c.equal("answer", got, answer)
			}
		},
	}
}

func manyParts(n int) []*pb.Part {
	out := make([]*pb.Part, n)
	for i := range out {
		out[i] = textPart(strings.Repeat("p", i))
	}
	return out
}

func manyTasks(n int) *pb.ListTasksResponse {
	out := &pb.ListTasksResponse{PageSize: int32(n), TotalSize: math.MaxInt32, NextPageToken: "a/b+c=="}
	for range n {
		out.Tasks = append(out.Tasks, task("t"))
	}
	return out
}

func allStates() *pb.ListTasksResponse {
	out := new(pb.ListTasksResponse)
	for n := int32(1); n < int32(len(pb.TaskState_name)); n++ {
		out.Tasks = append(out.Tasks, taskIn("t", pb.TaskState(n)))
	}
	return out
}

func timestamps() *pb.ListTasksResponse {
	out := new(pb.ListTasksResponse)
	for _, ts := range []*timestamppb.Timestamp{
		{}, {Seconds: 1_767_323_045}, {Seconds: 1, Nanos: 1}, {Seconds: 1, Nanos: 999_999_999}, {Seconds: 1, Nanos: 120_000_000}, {Seconds: 1, Nanos: 120_000},
		{Seconds: -62_135_596_800}, {Seconds: 253_402_300_799, Nanos: 999_999_999}, {Seconds: -1, Nanos: 500_000_000},
	} {
		t := task("t")
		t.Status.Timestamp = ts
		out.Tasks = append(out.Tasks, t)
	}
	return out
}

// schemes is a card with an OAuth scheme of each flow.
func schemes() *pb.AgentCard {
	card := filled(fullCard())
	oauth := card.ProtoReflect().Descriptor().ParentFile().Messages().ByName("OAuthFlows").Oneofs().ByName("flow")
	f := filler{turn: map[protoreflect.FullName]int{}}
	for i := range oauth.Fields().Len() {
		flows := new(pb.OAuthFlows)
		f.field(flows.ProtoReflect(), oauth.Fields().Get(i))
		card.SecuritySchemes[string(oauth.Fields().Get(i).Name())] = &pb.SecurityScheme{Scheme: &pb.SecurityScheme_Oauth2SecurityScheme{
			Oauth2SecurityScheme: &pb.OAuth2SecurityScheme{Flows: flows},
		}}
	}
	return card
}

// dataScenarios are about the values of data parts and metadata.
func dataScenarios() []Scenario {
	number := func(x float64) *pb.Part {
		return &pb.Part{Content: &pb.Part_Data{Data: structpb.NewNumberValue(x)}}
	}
	data := func(v any) *pb.Part { return &pb.Part{Content: &pb.Part_Data{Data: must(structpb.NewValue(v))}} }
	var out []Scenario
	for _, s := range []struct {
		name  string
		parts []*pb.Part
	}{
		{"null", []*pb.Part{data(nil)}},
		{"bool", []*pb.Part{data(true), data(false)}},
		{"text", []*pb.Part{data(""), data("x\u2028😀\x00\"")}},
		{"list", []*pb.Part{data([]any{nil, true, 1.0, "x", []any{}, map[string]any{}})}},
		{"list-empty", []*pb.Part{data([]any{})}},
		{"object-empty", []*pb.Part{data(map[string]any{})}},
		{"object", []*pb.Part{{Content: &pb.Part_Data{Data: structpb.NewStructValue(richStruct())}}}},
		{"odd-keys", []*pb.Part{data(map[string]any{"": 1, " ": 2, "a.b": 3, "A": 4, "a": 5, "ü": 6, "@type": 7, "a\nb": 8, "\"": 9, "__proto__": 10})}},
		{"nested", []*pb.Part{data(nested(20))}},
		{"numbers", []*pb.Part{number(0), number(1), number(-1), number(0.1), number(1e21), number(1e20), number(1e-7), number(1e-6),
			number(9007199254740993), number(-9007199254740991), number(math.MaxFloat64), number(math.SmallestNonzeroFloat64), number(1.0 / 3), number(123456789.125)}},
		{"negative-zero", []*pb.Part{number(math.Copysign(0, -1))}},
	} {
		out = append(out, Scenario{
			Name: "data/" + s.name, Section: "4.1.6", Rule: "a data part is any JSON value",
			play: func(p *play) {
				echoes(p)
				p.client = func(c *talk) { c.echoed(s.parts...) }
			},
		})
	}
	return out
}

// nested is a value of n lists and n objects.
func nested(n int) any {
	var v any = "deep"
	for range n {
		v = map[string]any{"in": []any{v}}
	}
	return v
}
