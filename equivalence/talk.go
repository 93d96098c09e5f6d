package equivalence

import (
	"context"
	"io"
	"reflect"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// talk is the client's side of a scenario: it calls, logs what it sees, and
// asserts what the specification says. A copy with another key or context is a
// talk of its own; copies may be used at the same time.
type talk struct {
	*stage
	ctx      context.Context
	dialed   binding.Agent
	conn     binding.Conn
	key      string
	quiet    bool
	teardown func()
}

func newTalk(st *stage, client binding.Agent, teardown func()) *talk {
	// Wrapped, the client is called by its eleven methods and not by its Conn.
	conn := binding.Local(struct{ binding.Agent }{client})
	return &talk{stage: st, ctx: st.over, dialed: client, conn: conn, teardown: teardown}
}

// as is the talk under a key of its own.
func (c *talk) as(key string) *talk { d := *c; d.key = key; return &d }

// with is the talk under another context.
func (c *talk) with(ctx context.Context) *talk { d := *c; d.ctx = ctx; return &d }

// silent is the talk without a log, for what may differ or is too long.
func (c *talk) silent() *talk { d := *c; d.quiet = true; return &d }

func (c *talk) note(format string, args ...any) {
	if !c.quiet {
		c.client.add(c.key, format, args...)
	}
}

func (c *talk) step(what string) {
	if c.key != "" {
		what = c.key + ": " + what
	}
	c.at(what)
}

// outcome logs how a call ended. What a call says that ended with its own
// context is its code alone.
func (c *talk) outcome(what string, call *binding.Call, err error) *binding.Error {
	e := asError(err)
	switch {
	case e == nil:
		c.note("%s%s", what, renderParams(call.Reply))
	case c.ctx.Err() != nil:
		c.note("error %s, the call's own context has ended", e.Code)
	default:
		c.note("%s%s", renderError(e, c.scenario.verdict), renderParams(call.Reply))
	}
	return e
}

// invoke makes a call with one answer. Call may be nil.
func (c *talk) invoke(op *binding.Op, call *binding.Call, req proto.Message) (proto.Message, *binding.Error) {
	if call == nil {
		call = new(binding.Call)
	}
	c.step("calling " + op.Name)
	c.note("call %s", op)
	p, err := c.conn.Invoke(c.ctx, op, call, binding.MessagePayload(req))
	if err != nil {
		return nil, c.outcome("", call, err)
	}
	m, err := p.Message()
	if err != nil {
		return nil, c.outcome("", call, err)
	}
	c.outcome("answer "+renderMessage(m), call, nil)
	return m, nil
}

// stream makes a streaming call and gives each event to the loop, which may be
// nil, until that is false. It is the events' number, and the error.
func (c *talk) stream(op *binding.Op, call *binding.Call, req proto.Message, loop func(i int, ev *pb.StreamResponse) bool) (int, *binding.Error) {
	if call == nil {
		call = new(binding.Call)
	}
	c.step("opening the stream of " + op.Name)
	c.note("stream %s", op)
	reading := "reading the stream of " + op.Name
	n := 0
	var e *binding.Error
	for p, err := range c.conn.Stream(c.ctx, op, call, binding.MessagePayload(req)) {
		if e != nil {
			c.failed(Difference{Side: SideClient, What: "items of a stream after its error", Want: "none", Got: "one"})
			return n, e
		}
		var m proto.Message
		if err == nil {
			m, err = p.Message()
		}
		if err != nil {
			e = c.outcome("", call, err)
			continue
		}
		if !c.quiet {
			c.note("event %s", renderMessage(m))
		}
		ev, _ := m.(*pb.StreamResponse)
		if n++; loop != nil && !loop(n-1, ev) {
			c.note("left")
			return n, nil
		}
		c.step(reading)
	}
	if e == nil {
		c.outcome("end", call, nil)
	}
	return n, e
}

// all is a stream's events; it reads to the end.
func (c *talk) all(op *binding.Op, req proto.Message) ([]*pb.StreamResponse, *binding.Error) {
	var evs []*pb.StreamResponse
	_, err := c.stream(op, nil, req, func(_ int, ev *pb.StreamResponse) bool {
		evs = append(evs, ev)
		return true
	})
	return evs, err
}

// await waits for the agent's side.
func (c *talk) await(gate string) {
	c.step("waiting until " + gate)
	if c.pass(c.ctx, gate) {
		c.note("%s", gate)
	}
}

// together runs conversations at the same time, and waits for them.
func (c *talk) together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(func() { defer c.caught(); f() })
	}
	wg.Wait()
}

// caught makes a panic of the code under test a failure of the scenario.
func (st *stage) caught() {
	if v := recover(); v != nil {
		st.failed(Difference{Side: SideClient, Step: st.where(), What: "panic", Want: "none", Got: sprint(v)})
	}
}

// close closes the client.
func (c *talk) close() {
	c.step("closing the client")
	cl, ok := c.dialed.(io.Closer)
	if !ok {
		c.failed(Difference{Side: SideClient, What: "method Close of the dialed agent", Want: "there", Got: "missing"})
		return
	}
	if err := cl.Close(); err != nil {
		c.failed(Difference{Side: SideClient, What: "error of Close", Want: "none", Got: err.Error()})
	}
}

// equal asserts.
func (c *talk) equal(what string, got, want any) {
	if same(got, want) {
		return
	}
	c.failed(Difference{Side: SideAssertion, Step: c.where(), What: what, Want: sprint(want), Got: sprint(got)})
}

func same(a, b any) bool {
	x, ok := a.(proto.Message)
	y, also := b.(proto.Message)
	if ok && also {
		return proto.Equal(x, y)
	}
	return reflect.DeepEqual(a, b)
}

// code asserts the code of an error; "" wants none.
func (c *talk) code(e *binding.Error, want binding.Code) {
	var got binding.Code
	if e != nil {
		got = e.Code
		if e.Info().GetReason() != string(e.Code) {
			c.equal("reason of the error's ErrorInfo", e.Info().GetReason(), string(e.Code))
		}
	}
	c.equal("code of the error", got, want)
}

// refused asserts a code, and that the error's BadRequest names the field.
func (c *talk) refused(e *binding.Error, code binding.Code, field string) {
	c.code(e, code)
	if e != nil {
		c.equal("field that the error's BadRequest names", fieldOf(e), field)
	}
}

func fieldOf(e *binding.Error) string {
	for _, d := range e.Details {
		b := new(errdetails.BadRequest)
		if d.MessageIs(b) && d.UnmarshalTo(b) == nil && len(b.GetFieldViolations()) > 0 {
			return b.GetFieldViolations()[0].GetField()
		}
	}
	return ""
}

// asked asserts how many calls reached the agent.
func (c *talk) asked(n int) { c.equal("calls that reached the agent", len(c.visited()), n) }
