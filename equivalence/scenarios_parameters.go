package equivalence

import (
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// printable are all characters that a service parameter's value may have.
func printable() string {
	var b strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}

func parameterScenarios() []Scenario {
	var out []Scenario
	for _, v := range []struct {
		name   string
		params binding.Params
	}{
		{"extensions", binding.Params{binding.ParamExtensions: "https://ext.example/geo/v1,https://ext.example/Cite/v2"}},
		{"extensions-spaced", binding.Params{binding.ParamExtensions: "https://ext.example/geo/v1, https://ext.example/cite/v2"}},
		{"custom-key", binding.Params{"eq-custom": "x", "eq-other_key.v1": "y"}},
		{"value-case", binding.Params{"eq-case": "AbCdEf"}},
		{"value-comma", binding.Params{"eq-comma": "a,b, c;d=\"e, f\""}},
		{"value-spaces", binding.Params{"eq-space": "a  b   c"}},
		{"value-escapes", binding.Params{"eq-escape": "100%25 %zz + \\n &amp;"}},
		{"value-printable", binding.Params{"eq-print": printable()}},
		{"value-4-KiB", binding.Params{"eq-long": strings.Repeat("0123456789abcdef", 256)}},
		{"value-31-KiB", binding.Params{"eq-long": strings.Repeat("x", 31<<10)}},
		{"many", manyParams(40)},
	} {
		out = append(out, Scenario{
			Name: "parameters/" + v.name, Section: "3.2.6", Rule: "service parameters arrive as they were sent, both ways",
			play: func(p *play) {
				reply := func(v *visit) {
					for k, value := range v.call.Params {
						if k != binding.ParamVersion {
							v.call.SetReply(k, value)
						}
					}
				}
				p.answer = func(v *visit) (proto.Message, error) {
					reply(v)
					if v.op == binding.OpCancelTask {
						return nil, binding.ErrTaskNotCancelable
					}
					return answersMinimal(v)
				}
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					reply(v)
					return emitsMinimal(v, emit)
				}
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpCancelTask, binding.OpSendMessage} {
						call := &binding.Call{Params: v.params.Clone()}
						_ = c.do(op, call, request(op))
						c.arrive(v.params, call)
					}
					call := &binding.Call{Params: v.params.Clone()}
					_, e := c.stream(binding.OpSubscribeToTask, call, request(binding.OpSubscribeToTask), func(i int, _ *pb.StreamResponse) bool {
						if i == 0 {
							c.arrive(v.params, call)
						}
						return true
					})
					c.code(e, "")
				}
			},
		})
	}
	return append(out,
		Scenario{
			Name: "parameters/version", Section: "3.6.1", Rule: "a client names the version it speaks on every call",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range binding.Ops() {
						c.code(c.do(op, nil, request(op)), "")
					}
					for _, v := range c.visited() {
						c.equal("version that the agent saw with "+v.op.Name, v.call.Param(binding.ParamVersion), binding.Version)
					}
				}
			},
		},
		Scenario{
			Name: "parameters/activated-extensions", Section: "3.2.6", Rule: "a caller learns which extensions were activated, from the first event on",
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					v.call.ActivateExtensions(v.call.Extensions()[1:]...)
					return answersMinimal(v)
				}
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					v.call.ActivateExtensions(v.call.Extensions()...)
					return emitsMinimal(v, emit)
				}
				p.client = func(c *talk) {
					const a, b, d = "https://ext.example/a", "https://ext.example/b", "https://ext.example/d"
					call := func() *binding.Call {
						return &binding.Call{Params: binding.Params{binding.ParamExtensions: a + "," + b + ", " + d}}
					}
					unary := call()
					c.code(c.do(binding.OpSendMessage, unary, request(binding.OpSendMessage)), "")
					c.equal("activated extensions", binding.SplitList(unary.Reply.Get(binding.ParamExtensions)), []string{b, d})
					streamed := call()
					_, _ = c.stream(binding.OpSendStreamingMessage, streamed, request(binding.OpSendStreamingMessage), func(int, *pb.StreamResponse) bool {
						c.equal("activated extensions", binding.SplitList(streamed.Reply.Get(binding.ParamExtensions)), []string{a, b, d})
						return true
					})
				}
			},
		},
		Scenario{
			Name: "parameters/reply-before-error", Section: "3.2.6", Rule: "a stream that fails at once has its service parameters, too",
			play: func(p *play) {
				p.stream = func(v *visit, _ func(*pb.StreamResponse) bool) error {
					v.call.SetReply("eq-reply", "given")
					return binding.ErrTaskNotFound
				}
				p.client = func(c *talk) {
					call := new(binding.Call)
					c.code(c.do(binding.OpSubscribeToTask, call, request(binding.OpSubscribeToTask)), binding.TaskNotFound)
					c.equal("service parameter of the answer", call.Reply.Get("eq-reply"), "given")
				}
			},
		},
		Scenario{
			Name: "parameters/illegal-reply", Section: "3.3.2", Rule: "an agent's service parameter that no wire carries is InvalidAgentResponseError",
			play: func(p *play) {
				p.answer = func(v *visit) (proto.Message, error) {
					v.call.SetReply("eq-reply", "two\nlines")
					return answersMinimal(v)
				}
				p.client = func(c *talk) {
					c.code(c.silent().do(binding.OpGetTask, nil, request(binding.OpGetTask)), binding.InvalidAgentResponse)
				}
			},
		},
		Scenario{
			Name: "parameters/credential", Section: "7.4", Rule: "an agent sees the credential of its caller; a relay keeps it to itself",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					want := "Bearer abc.DEF-123"
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSubscribeToTask} {
						c.code(c.do(op, &binding.Call{Credential: binding.Credential(want)}, request(op)), "")
					}
					if c.relayed {
						want = ""
					}
					c.asked(2)
					for _, v := range c.visited() {
						c.equal("credential that the agent saw", v.call.Credential.Reveal(), want)
						c.equal("credential among the service parameters", v.call.Param("authorization"), "")
					}
				}
			},
		},
		Scenario{
			Name: "parameters/no-credential", Section: "7.4", Rule: "where there is no credential, none is seen",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
					for _, v := range c.visited() {
						c.equal("credential that the agent saw", v.call.Credential.Reveal(), "")
					}
				}
			},
		},
	)
}

func manyParams(n int) binding.Params {
	p := binding.Params{}
	for i := range n {
		p[fmt.Sprintf("eq-key-%02d", i)] = fmt.Sprintf("value %d", i)
	}
	return p
}

// arrive asserts that the agent saw service parameters, and that the caller
// got them back.
func (c *talk) arrive(want binding.Params, call *binding.Call) {
	vs := c.visited()
	if len(vs) == 0 {
		c.asked(1)
		return
	}
	for k, v := range want {
		got, back := vs[len(vs)-1].call.Param(k), call.Reply.Get(k)
		if k == binding.ParamExtensions {
			got, back, v = list(got), list(back), list(v)
		}
		c.equal("service parameter "+k+" that the agent saw", clip(got), clip(v))
		c.equal("service parameter "+k+" of the answer", clip(back), clip(v))
	}
}

func list(v string) string { return strings.Join(binding.SplitList(v), ",") }

// refusedParameterScenarios have service parameters that no wire carries: the
// client refuses them before the call, and says which.
func refusedParameterScenarios() []Scenario {
	var out []Scenario
	for _, r := range []struct{ name, key, value string }{
		{"authorization", "authorization", "Bearer x"}, {"content-type", "content-type", "text/plain"}, {"host", "host", "other.example"},
		{"cookie", "cookie", "a=b"}, {"grpc-timeout", "grpc-timeout", "1S"}, {"binary", "eq-data-bin", "AAAA"}, {"forwarded", "x-forwarded-for", "10.0.0.1"},
		{"newline", "eq-newline", "a\r\neq-injected: b"}, {"unicode", "eq-unicode", "ü"}, {"nul", "eq-nul", "a\x00b"},
		{"outer-space", "eq-outer", " a "}, {"key-space", "eq key", "x"}, {"key-colon", "eq:key", "x"}, {"key-unicode", "eq-ü", "x"}, {"key-case", "EQ-Key", "x"}, {"key-empty", "", "x"},
		{"too-long", "eq-long", strings.Repeat("x", 32<<10)},
	} {
		out = append(out, Scenario{
			Name: "parameters/refused-" + r.name, Section: "3.2.6", Rule: "a service parameter that not every wire can carry is refused before the call",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSendStreamingMessage} {
						c.refused(c.do(op, &binding.Call{Params: binding.Params{r.key: r.value}}, request(op)), binding.InvalidParams, r.key)
					}
					c.asked(0)
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
				}
			},
		})
	}
	for _, r := range []struct{ name, value string }{
		{"newline", "Bearer a\r\neq-injected: b"}, {"tab", "Bearer a\tb"}, {"latin-1", "Bearer caf\xe9"}, {"unicode", "Bearer ü"},
		{"outer-space", "Bearer a "}, {"too-long", "Bearer " + strings.Repeat("x", 24<<10)},
	} {
		out = append(out, Scenario{
			Name: "parameters/refused-credential-" + r.name, Section: "7.4",
			Rule: "a credential that not every wire can carry is refused before the call, and not shown",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSendStreamingMessage} {
						e := c.do(op, &binding.Call{Credential: binding.Credential(r.value)}, request(op))
						c.refused(e, binding.InvalidParams, "credential")
						c.equal("credential in the error", strings.Contains(sprint(e), r.value), false)
					}
					c.asked(0)
					c.code(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), "")
				}
			},
		})
	}
	return out
}
