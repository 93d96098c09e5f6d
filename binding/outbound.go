package binding

import (
	"context"
	"errors"
	"iter"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/internal/inflight"
)

// Trait says what a wire does, so that the shared layer need not.
type Trait uint8

// The traits of wires.
const (
	// CarriesJSON is a wire of ProtoJSON: examining a message encodes it.
	CarriesJSON Trait = iota
	// EndsCalls is a Conn whose own Close ends the calls in flight, and whose
	// calls fail with Unavailable afterwards.
	EndsCalls
)

// Outbound is the shared layer behind every client: it sets the tenant, checks
// what no wire can carry before it is sent (service parameters, size, depth,
// text that is not UTF-8, numbers JSON does not have), holds answers against
// the data model (InvalidAgentResponse names the field), gives the caller its
// own context's error when that ended the call, and makes Close end the calls
// in flight. Every error that comes out is an [*Error].
func Outbound(next Conn, o *Options, traits ...Trait) Conn {
	return &outbound{next: next, o: o.WithDefaults(), form: formOf(traits), endsCalls: slices.Contains(traits, EndsCalls)}
}

type outbound struct {
	next      Conn
	o         Options
	form      form
	endsCalls bool
	calls     inflight.Group
}

// errClosed is why calls end when their client is closed.
var errClosed = Errorf(Unavailable, "the client is closed")

// Close ends the calls in flight and closes the connection below.
func (out *outbound) Close() error {
	if !out.calls.Stop(errClosed) {
		return nil
	}
	out.calls.Cancel(errClosed)
	return out.next.Close()
}

// begin is the call's own context, and what ends it.
func (out *outbound) begin(ctx context.Context) (context.Context, *inflight.Call, error) {
	if out.endsCalls {
		return ctx, nil, ctx.Err()
	}
	c, err := out.calls.Begin(ctx)
	return c, c, err
}

func (out *outbound) end(c *inflight.Call) {
	if c != nil {
		out.calls.End(c)
	}
}

func (out *outbound) prepare(op *Op, call *Call, p Payload) (Payload, error) {
	if op == nil {
		return p, ErrMethodNotFound
	}
	if err := call.check(); err != nil {
		return p, err
	}
	if out.o.Tenant != "" {
		var err error
		if p, err = withTenant(op, p, out.o.Tenant); err != nil {
			return p, requestError(err)
		}
	}
	if err := p.check(out.o.MaxMessageBytes, false, out.form); err != nil {
		return p, requestError(err)
	}
	return p, nil
}

// wanted is the form in which an answer is examined: JSON passes undecoded to
// a caller who wants it so.
func (out *outbound) wanted(p Payload) form { return min(out.form, p.answer) }

func (out *outbound) Invoke(ctx context.Context, op *Op, call *Call, p Payload) (Payload, error) {
	wanted := out.wanted(p)
	p, err := out.prepare(op, call, p)
	if err != nil {
		return Payload{}, Flatten(err)
	}
	cctx, c, err := out.begin(ctx)
	if err != nil {
		return Payload{}, Flatten(err)
	}
	defer out.end(c)
	resp, err := out.next.Invoke(cctx, op, call, p)
	if err != nil {
		return Payload{}, out.failed(ctx, c, err)
	}
	if err := responseError(resp.check(out.o.MaxMessageBytes, true, wanted)); err != nil {
		return Payload{}, Flatten(err)
	}
	return resp, nil
}

func (out *outbound) Stream(ctx context.Context, op *Op, call *Call, p Payload) iter.Seq2[Payload, error] {
	return func(yield func(Payload, error) bool) {
		wanted := out.wanted(p)
		p, err := out.prepare(op, call, p)
		if err != nil {
			yield(Payload{}, Flatten(err))
			return
		}
		cctx, c, err := out.begin(ctx)
		if err != nil {
			yield(Payload{}, Flatten(err))
			return
		}
		defer out.end(c)
		for ev, err := range out.next.Stream(cctx, op, call, p) {
			if err != nil {
				yield(Payload{}, out.failed(ctx, c, err))
				return
			}
			if err := responseError(ev.check(out.o.MaxMessageBytes, true, wanted)); err != nil {
				yield(Payload{}, Flatten(err))
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
		// A stream that was cut by this side did not end.
		if err := cctx.Err(); err != nil {
			yield(Payload{}, out.failed(ctx, c, err))
		}
	}
}

// failed says why a call failed: what the far agent said stands, but for its
// echo of the call's end; else the caller's own context, or the client's end,
// comes before what the wire made of it.
func (out *outbound) failed(ctx context.Context, c *inflight.Call, err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Remote && e.Code != Canceled && e.Code != DeadlineExceeded {
		return Flatten(err)
	}
	if own := ctx.Err(); own != nil {
		f := Flatten(own)
		f.Cause = errors.Join(own, err)
		return f
	}
	if c != nil && errors.Is(c.Cause(), errClosed) {
		return Flatten(errClosed)
	}
	return Flatten(err)
}

// withTenant is the request with a tenant where it names none. It is encoded
// anew: what its text had beyond the data model stays behind.
func withTenant(op *Op, p Payload, tenant string) (Payload, error) {
	m, err := p.Message()
	if err != nil {
		return p, err
	}
	if m.ProtoReflect().Has(op.tenant) {
		return p, nil
	}
	m = proto.Clone(m)
	m.ProtoReflect().Set(op.tenant, protoreflect.ValueOfString(tenant))
	return MessagePayload(m), nil
}
