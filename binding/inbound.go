package binding

import (
	"context"
	"errors"
	"iter"
	"runtime/debug"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/internal/datamodel"
	"github.com/a2awire/a2awire/internal/inflight"
)

// Inbound is the shared layer that every server puts in front of its agent:
// version (spec 3.6.2), required extensions and capabilities (spec 3.3.4),
// message size, the data model's required fields (spec 5.7), and on the way
// back the answers' and streams' own rules (spec 3.1.2, 3.1.6), panics, and
// errors flattened with their ErrorInfo. All bindings answer the same to the
// same bad call because only this answers.
//
// It is a Conn, to be called by a server's wire. A nil op is a method that does
// not exist: the version is checked first, as always. Every error that comes
// out is an [*Error] with an ErrorInfo.
type Inbound struct {
	next   Conn
	o      Options
	form   form
	dialed bool // the agent is another's, whom the caller's credential is not for
	calls  inflight.Group
}

var _ Conn = (*Inbound)(nil)

// NewInbound is the shared layer in front of an agent. The trait that counts
// here is CarriesJSON. An agent that was dialed, by a binding or through
// [Resume], does not get the credentials of callers: a relay that forwards them
// says so (package bridge).
func NewInbound(a Agent, o *Options, traits ...Trait) *Inbound {
	next := Local(a)
	return &Inbound{next: next, o: o.WithDefaults(), form: formOf(traits), dialed: dialed(next)}
}

func dialed(c Conn) bool {
	if r, ok := c.(*resumer); ok {
		return dialed(r.next)
	}
	_, ok := c.(*outbound)
	return ok
}

// errStopped is why calls are refused, or end, when their server stops.
var errStopped = Errorf(Unavailable, "the server is shutting down")

// Shutdown refuses new calls and waits for those in flight, until the context
// ends; then it ends them and is the context's error.
func (in *Inbound) Shutdown(ctx context.Context) error {
	in.calls.Stop(errStopped)
	err := in.calls.Wait(ctx)
	if err != nil {
		in.calls.Cancel(errStopped)
	}
	return err
}

// Close refuses new calls and ends the contexts of those in flight. It does
// not wait for them, and does not close the agent, which is its owner's.
func (in *Inbound) Close() error {
	in.calls.Stop(errStopped)
	in.calls.Cancel(errStopped)
	return nil
}

// Wait waits until no call is in flight, five seconds at most; then it logs
// that the agent does not heed its context, and leaves it.
func (in *Inbound) Wait() {
	if !in.calls.WaitGrace() {
		in.o.Logger.Error("agent does not heed its context: calls are left behind")
	}
}

// Invoke is a call with one answer.
func (in *Inbound) Invoke(ctx context.Context, op *Op, call *Call, p Payload) (resp Payload, err error) {
	c, err := in.calls.Begin(ctx)
	if err != nil {
		return Payload{}, Flatten(err)
	}
	defer func() {
		if v := recover(); v != nil {
			resp, err = Payload{}, in.panicked(op, v)
		}
		in.calls.End(c)
	}()
	if err := in.admit(op, call, p); err != nil {
		return Payload{}, Flatten(err)
	}
	p.answer = in.form
	resp, err = in.next.Invoke(c, op, call, p)
	if err == nil {
		err = in.release(call, resp)
	}
	if err != nil {
		return Payload{}, in.failed(c, op, call, err)
	}
	return resp, nil
}

// Stream is a call with a stream of answers.
func (in *Inbound) Stream(ctx context.Context, op *Op, call *Call, p Payload) iter.Seq2[Payload, error] {
	return func(yield func(Payload, error) bool) {
		c, err := in.calls.Begin(ctx)
		if err != nil {
			yield(Payload{}, Flatten(err))
			return
		}
		defer in.calls.End(c)
		// A panic of the loop's body passes through yield and is not the agent's.
		// One of an agent that goes on after its stream was left, or has failed,
		// is told to nobody any more.
		inBody, over := false, false
		emit := func(p Payload, err error) bool {
			inBody = true
			ok := yield(p, err)
			inBody = false
			over = over || !ok || err != nil
			return ok
		}
		defer func() {
			if inBody {
				return
			}
			if v := recover(); v != nil {
				if e := in.panicked(op, v); !over {
					yield(Payload{}, e)
				}
			}
		}()
		if err := in.admit(op, call, p); err != nil {
			emit(Payload{}, Flatten(err))
			return
		}
		p.answer = in.form
		order := streamOrder{op: op}
		for ev, err := range in.next.Stream(c, op, call, p) {
			if err == nil {
				err = in.release(call, ev)
			}
			if err == nil {
				err = order.next(ev)
			}
			if err != nil {
				emit(Payload{}, in.failed(c, op, call, err))
				return
			}
			if !emit(ev, nil) {
				return
			}
		}
		// An agent that just stops when its context ends did not end the stream.
		if err := c.Err(); err != nil {
			emit(Payload{}, in.failed(c, op, call, err))
		}
	}
}

// admit is what happens before the agent is asked, in this order.
func (in *Inbound) admit(op *Op, call *Call, p Payload) error {
	if err := in.checkVersion(call); err != nil {
		return err
	}
	if in.dialed {
		call.Credential = ""
	}
	if op == nil {
		return ErrMethodNotFound
	}
	if err := call.Params.check(); err != nil {
		return err
	}
	card := in.o.Card()
	if card != nil {
		if err := checkExtensions(card, call); err != nil {
			return err
		}
		if err := checkCapability(card, op); err != nil {
			return err
		}
	}
	form := in.form
	if p.HasJSON() {
		form = asProto // for the message is wanted below
	}
	if err := p.check(in.o.MaxMessageBytes, true, form); err != nil {
		return requestError(err)
	}
	m, err := p.Message()
	if err != nil {
		return requestError(err)
	}
	if op.check != nil {
		if err := op.check(m); err != nil {
			return err
		}
	}
	if card != nil && !card.GetCapabilities().GetPushNotifications() {
		if r, ok := m.(*pb.SendMessageRequest); ok && r.GetConfiguration().GetTaskPushNotificationConfig() != nil {
			return ErrPushNotificationNotSupported
		}
	}
	return nil
}

func (in *Inbound) checkVersion(call *Call) error {
	v := call.Params[ParamVersion]
	switch v {
	case Version:
		return nil
	case "":
		v = in.o.DefaultVersion
	}
	if MajorMinor(v) == Version {
		// The agent sees what counts, whether or not a hop lies between.
		if call.Params == nil {
			call.Params = Params{}
		}
		call.Params[ParamVersion] = Version
		return nil
	}
	return Errorf(VersionNotSupported, "A2A version %q is not supported; supported is %s", v, Version).
		WithInfo("supportedVersions", Version)
}

// MajorMinor is the part of a version that counts: "1.0" of "1.0.1" (spec 3.6).
func MajorMinor(v string) string {
	v = strings.TrimSpace(v)
	if i := strings.IndexByte(v, '.'); i >= 0 {
		if j := strings.IndexByte(v[i+1:], '.'); j >= 0 {
			return v[:i+1+j]
		}
	}
	return v
}

func checkExtensions(card *pb.AgentCard, call *Call) error {
	var named []string
	for _, x := range card.GetCapabilities().GetExtensions() {
		if !x.GetRequired() {
			continue
		}
		if named == nil {
			named = append(call.Extensions(), "")
		}
		if !slices.Contains(named, x.GetUri()) {
			return Errorf(ExtensionSupportRequired, "extension %s is required", x.GetUri()).
				WithInfo("extension", x.GetUri())
		}
	}
	return nil
}

func checkCapability(card *pb.AgentCard, op *Op) error {
	c := card.GetCapabilities()
	switch op.Capability {
	case CapabilityStreaming:
		if !c.GetStreaming() {
			return Errorf(UnsupportedOperation, "%s: the agent does not support streaming", op)
		}
	case CapabilityPushNotifications:
		if !c.GetPushNotifications() {
			return ErrPushNotificationNotSupported
		}
	case CapabilityExtendedAgentCard:
		if !c.GetExtendedAgentCard() {
			return Errorf(UnsupportedOperation, "%s: the agent has no extended card", op)
		}
	}
	return nil
}

// release is what happens to an answer or event before it may leave.
func (in *Inbound) release(call *Call, p Payload) error {
	if err := call.Reply.check(); err != nil {
		return Errorf(InvalidAgentResponse, "service parameter of the answer: %w", err)
	}
	return responseError(p.check(in.o.MaxMessageBytes, true, in.form))
}

func requestError(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var d *datamodel.Error
	if errors.As(err, &d) && d.Syntax {
		return modelError(JSONParse, err)
	}
	return modelError(InvalidParams, err)
}

func responseError(err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return modelError(InvalidAgentResponse, err)
}

// failed flattens an error and logs what the caller is not told. Parameters
// of the answer that no wire can carry are left behind.
func (in *Inbound) failed(c *inflight.Call, op *Op, call *Call, err error) *Error {
	if call.Reply.check() != nil {
		call.Reply = nil
	}
	e := Flatten(err)
	if e.Code == Canceled && !e.Remote && errors.Is(c.Cause(), errStopped) {
		return Flatten(errStopped)
	}
	if e.Code == Internal && !e.Remote && e.Cause != nil {
		in.o.Logger.Error("agent failed", "operation", op.Name, "error", e.Cause)
	}
	return e
}

func (in *Inbound) panicked(op *Op, v any) *Error {
	name := ""
	if op != nil {
		name = op.Name
	}
	in.o.Logger.Error("agent panicked", "operation", name, "panic", v, "stack", string(debug.Stack()))
	return Flatten(ErrInternal)
}
