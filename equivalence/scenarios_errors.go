package equivalence

import (
	"errors"
	"fmt"
	"strings"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/a2awire/a2awire/binding"
)

// sentinels are all errors that an agent may return.
var sentinels = []*binding.Error{
	binding.ErrTaskNotFound, binding.ErrTaskNotCancelable, binding.ErrPushNotificationNotSupported, binding.ErrUnsupportedOperation,
	binding.ErrContentTypeNotSupported, binding.ErrInvalidAgentResponse, binding.ErrExtendedAgentCardNotConfigured,
	binding.ErrExtensionSupportRequired, binding.ErrVersionNotSupported,
	binding.ErrJSONParse, binding.ErrInvalidRequest, binding.ErrMethodNotFound, binding.ErrInvalidParams, binding.ErrInternal,
	binding.ErrUnauthenticated, binding.ErrPermissionDenied, binding.ErrUnavailable, binding.ErrResourceExhausted,
	binding.ErrDeadlineExceeded, binding.ErrCanceled,
}

func errorScenarios() []Scenario {
	var out []Scenario
	for _, sentinel := range sentinels {
		out = append(out, Scenario{
			Name: "errors/" + string(sentinel.Code), Section: "3.3.2",
			Rule: "an error keeps its code, whether it answers a call or ends a stream, at once or later",
			play: func(p *play) {
				own := binding.Errorf(sentinel.Code, "in the agent's words: 100%% “%s”", sentinel.Code)
				p.answer = func(v *visit) (proto.Message, error) {
					if v.op == binding.OpGetTask {
						return nil, own
					}
					return nil, sentinel
				}
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					if v.op == binding.OpSubscribeToTask {
						_ = emit(taskEvent("t")) && emit(chunk("t", 0, "x"))
					}
					return own
				}
				p.client = func(c *talk) {
					c.said(c.do(binding.OpCancelTask, nil, request(binding.OpCancelTask)), sentinel)
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSendStreamingMessage, binding.OpSubscribeToTask} {
						c.said(c.do(op, nil, request(op)), own)
					}
				}
			},
		})
	}
	return append(out,
		errorScenario("wrapped", "a wrapped error keeps its code, and the words around it",
			fmt.Errorf("task %q: %w", "t", binding.ErrTaskNotFound), binding.TaskNotFound),
		errorScenario("two-sentinels", "an error that wraps two is always the first",
			errors.Join(binding.ErrTaskNotCancelable, binding.ErrUnsupportedOperation), binding.TaskNotCancelable),
		errorScenario("multi-line", "a message is any text",
			binding.Errorf(binding.InvalidParams, "line one\nline two\ttab \"quoted\" ünï 日本 😀 %%41"), binding.InvalidParams),
		errorScenario("long-message", "a message may be 4 KiB long",
			binding.Errorf(binding.TaskNotFound, "%s", strings.Repeat("long ü ", 512)), binding.TaskNotFound),
		errorScenario("of-a-further-agent", "an error that an agent got from another passes",
			&binding.Error{Code: binding.Unavailable, Message: "try later", Remote: true}, binding.Unavailable),
	)
}

// said asserts that the far agent said this error, in these words.
func (c *talk) said(e, want *binding.Error) {
	c.code(e, want.Code)
	if e != nil {
		c.equal("message of the error", e.Text(), want.Text())
		c.equal("whether the far agent said it", e.Remote, true)
		c.equal("domain of the error's ErrorInfo", e.Info().GetDomain(), binding.Domain)
	}
}

// errorScenario has an agent that says one error, to a call and to a stream.
func errorScenario(name, rule string, err error, code binding.Code) Scenario {
	return Scenario{
		Name: "errors/" + name, Section: "3.3.2", Rule: rule,
		play: func(p *play) {
			p.answer = fails(err)
			p.stream = emits(err, taskEvent("t"))
			p.client = func(c *talk) {
				want := binding.Flatten(err)
				c.equal("code that the agent meant", want.Code, code)
				for range 3 {
					c.said(c.do(binding.OpGetTask, nil, request(binding.OpGetTask)), want)
				}
				c.said(c.do(binding.OpSubscribeToTask, nil, request(binding.OpSubscribeToTask)), want)
			}
		},
	}
}

// detailScenarios show that details cross byte for byte and in order.
func detailScenarios() []Scenario {
	unknown := &anypb.Any{TypeUrl: "type.googleapis.com/example.v1.Unheard", Value: []byte{0x0a, 0x03, 'a', 0xff, 0x00, 0x10, 0x2a}}
	foreign := &errdetails.ErrorInfo{Reason: "QUOTA", Domain: "billing.example", Metadata: map[string]string{"left": "0"}}
	base := binding.Errorf(binding.InvalidParams, "with details")
	var out []Scenario
	for _, d := range []struct {
		name string
		err  *binding.Error
	}{
		{"info-metadata", base.WithInfo("taskId", "t/1").WithInfo("hint", "ünï \"x\"")},
		{"bad-request", binding.InvalidField("message.parts[0].text", "must not be %q", "x")},
		{"retry-info", base.With(&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)})},
		{"help", base.With(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "d", Url: "https://help.example/?a=b&c"}}})},
		{"localized-message", base.With(&errdetails.LocalizedMessage{Locale: "de-CH", Message: "geht nicht"})},
		{"empty-detail", base.With(&errdetails.RequestInfo{})},
		{"foreign-info", base.With(foreign)},
		{"unknown-type", &binding.Error{Code: binding.TaskNotFound, Message: "odd", Details: []*anypb.Any{unknown}}},
		{"a-message-of-a2a", base.With(filled(new(pb.Task)))},
		{"several", base.With(&errdetails.Help{}, foreign, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}, &errdetails.PreconditionFailure{
			Violations: []*errdetails.PreconditionFailure_Violation{{Type: "t", Subject: "s", Description: "d"}},
		}).WithInfo("k", "v")},
		{"large", base.WithInfo("blob", strings.Repeat("0123456789abcdef", 128))},
	} {
		out = append(out, Scenario{
			Name: "details/" + d.name, Section: "3.3.2", Rule: "details of an error arrive byte for byte",
			play: func(p *play) {
				want := binding.Flatten(d.err)
				p.answer = fails(d.err)
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					if v.op == binding.OpSubscribeToTask {
						emit(taskEvent("t"))
					}
					return d.err
				}
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpGetTask, binding.OpSendStreamingMessage, binding.OpSubscribeToTask} {
						e := c.do(op, nil, request(op))
						c.said(e, want)
						if e == nil {
							continue
						}
						c.equal("number of details", len(e.Details), len(want.Details))
						for i := range min(len(e.Details), len(want.Details)) {
							c.equal("detail", e.Details[i], want.Details[i])
						}
					}
				}
			},
		})
	}
	return out
}
