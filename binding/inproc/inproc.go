// Package inproc is the binding without a wire: the identity, made no stronger
// than one. Messages are cloned on the way in and out, context values stay
// behind, errors are flattened, and a caller whose context ends returns at
// once. What holds here is what the equivalence harness expects of every wire.
package inproc

import (
	"context"
	"iter"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
)

// Protocol is the protocolBinding of this binding.
const Protocol = "https://github.com/a2awire/a2awire/bindings/inproc/v1"

// Dial connects to an agent in this process. Options serve for both ends; nil
// is fine. Closing the client does not close the agent.
//
// A call whose context can end runs the agent in a goroutine of its own, so
// that its caller returns when it does, even from an agent that does not heed
// its context. A call whose context cannot end runs the agent right here.
func Dial(agent binding.Agent, o *binding.Options) binding.Client {
	c := newConn(binding.NewInbound(agent, o))
	c.owner = true
	return c.client(o)
}

// conn is the client's end; it calls the server's shared layer.
type conn struct {
	in    *binding.Inbound
	owner bool // of in, which dies with the connection

	open  context.Context // until Close
	close context.CancelFunc
	calls inflight.Group // those in goroutines
}

func newConn(in *binding.Inbound) *conn {
	c := &conn{in: in}
	c.open, c.close = context.WithCancel(context.Background())
	return c
}

func (c *conn) client(o *binding.Options) binding.Client {
	return binding.Remote(binding.Outbound(c, o, binding.EndsCalls))
}

// bare are the parameters of a call without any: copying a map costs less than
// filling one.
var bare = binding.Params{binding.ParamVersion: binding.Version}

// crossing is a call on the server's side: nothing of the caller's but copies.
func crossing(p binding.Payload, call *binding.Call) (*binding.Call, binding.Payload, error) {
	req, err := p.Clone()
	if err != nil {
		return nil, p, err
	}
	far := &binding.Call{Params: call.Params.Clone(), Credential: call.Credential, Peer: "inproc"}
	if len(far.Params) == 0 {
		far.Params = bare.Clone()
	} else if _, ok := far.Params[binding.ParamVersion]; !ok {
		far.Params[binding.ParamVersion] = binding.Version
	}
	return far, req, nil
}

// remote is an error as the far side said it, unless this side ended the call.
func (c *conn) remote(ctx context.Context, err error) error {
	e := *binding.Flatten(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.open.Err() != nil && e.Code == binding.Canceled:
		return errClosed
	}
	e.Remote, e.Cause = true, nil
	return &e
}

// detached is a context that ends with another, as canceled, and carries
// nothing else of it: neither values nor a deadline, which not every wire has.
type detached struct{ ctx context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (d detached) Done() <-chan struct{}     { return d.ctx.Done() }
func (detached) Value(any) any               { return nil }

func (d detached) Err() error {
	if d.ctx.Err() != nil {
		return context.Canceled
	}
	return nil
}

// AfterFunc lets contexts below wait without a goroutine.
func (d detached) AfterFunc(f func()) func() bool { return context.AfterFunc(d.ctx, f) }

type answer struct {
	p   binding.Payload
	err error
}

// Invoke crosses to the agent and back.
func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	if c.open.Err() != nil {
		return binding.Payload{}, errClosed
	}
	far, req, err := crossing(p, call)
	if err != nil {
		return binding.Payload{}, err
	}
	var a answer
	if ctx.Done() == nil {
		a.p, a.err = c.in.Invoke(c.open, op, far, req)
	} else if a, err = c.aside(ctx, op, far, req); err != nil {
		return binding.Payload{}, err
	}
	call.Reply = far.Reply
	if a.err != nil {
		return binding.Payload{}, c.remote(ctx, a.err)
	}
	return a.p.Clone()
}

// aside runs a call in a goroutine of its own. The error is why there is no
// answer.
func (c *conn) aside(ctx context.Context, op *binding.Op, far *binding.Call, req binding.Payload) (answer, error) {
	live, err := c.calls.Begin(detached{ctx})
	if err != nil {
		return answer{}, err
	}
	done := make(chan answer, 1)
	go func() {
		defer c.calls.End(live)
		resp, err := c.in.Invoke(live, op, far, req)
		done <- answer{resp, err}
	}()
	select {
	case a := <-done:
		return a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-c.open.Done():
		return answer{}, errClosed
	}
}

// item is one event, or the error, or the end of a stream.
type item struct {
	answer
	reply binding.Params
	end   bool
}

// Stream crosses to the agent, and each event back.
func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		if c.open.Err() != nil {
			yield(binding.Payload{}, errClosed)
			return
		}
		far, req, err := crossing(p, call)
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if ctx.Done() == nil {
			c.streamHere(op, call, far, req, yield)
		} else {
			c.streamAside(ctx, op, call, far, req, yield)
		}
	}
}

// streamHere runs the agent's stream in the caller's goroutine.
func (c *conn) streamHere(op *binding.Op, call, far *binding.Call, req binding.Payload, yield func(binding.Payload, error) bool) {
	for ev, err := range c.in.Stream(c.open, op, far, req) {
		if call.Reply == nil {
			call.Reply = far.Reply.Clone()
		}
		if err != nil {
			yield(binding.Payload{}, c.remote(context.Background(), err))
			return
		}
		ev, err := ev.Clone()
		if !yield(ev, err) || err != nil {
			return
		}
	}
	if call.Reply == nil {
		call.Reply = far.Reply.Clone()
	}
}

// streamAside runs the agent's stream in a goroutine of its own.
func (c *conn) streamAside(ctx context.Context, op *binding.Op, call, far *binding.Call, req binding.Payload, yield func(binding.Payload, error) bool) {
	// Ends the agent's stream when the loop is left.
	left, leave := context.WithCancel(detached{ctx})
	defer leave()
	live, err := c.calls.Begin(left)
	if err != nil {
		yield(binding.Payload{}, err)
		return
	}
	items := make(chan item)
	go func() {
		defer c.calls.End(live)
		c.produce(live, op, far, req, items)
	}()
	for {
		select {
		case it := <-items:
			if it.reply != nil {
				call.Reply = it.reply
			}
			if it.end {
				return
			}
			if it.err != nil {
				yield(binding.Payload{}, c.remote(ctx, it.err))
				return
			}
			ev, err := it.p.Clone()
			if !yield(ev, err) || err != nil {
				return
			}
		case <-ctx.Done():
			yield(binding.Payload{}, ctx.Err())
			return
		case <-c.open.Done():
			yield(binding.Payload{}, errClosed)
			return
		}
	}
}

// produce runs the agent's stream. It hands over one event at a time: nothing
// is buffered, and a slow caller slows its own stream alone.
func (c *conn) produce(ctx context.Context, op *binding.Op, far *binding.Call, req binding.Payload, items chan<- item) {
	send := func(it item) bool {
		select {
		case items <- it:
			return true
		case <-ctx.Done():
			return false
		}
	}
	first := true
	for ev, err := range c.in.Stream(ctx, op, far, req) {
		it := item{answer: answer{ev, err}}
		if first {
			it.reply, first = far.Reply.Clone(), false
		}
		if !send(it) || err != nil {
			return
		}
	}
	it := item{end: true}
	if first {
		it.reply = far.Reply.Clone()
	}
	send(it)
}

var errClosed = binding.Errorf(binding.Unavailable, "the connection is closed")

// Close ends the calls of this connection and waits until the agent has left
// them, or has shown for [inflight.Grace] that it will not.
func (c *conn) Close() error {
	c.calls.Stop(errClosed)
	c.close()
	c.calls.Cancel(errClosed)
	if c.owner {
		_ = c.in.Close()
	}
	c.calls.WaitGrace()
	return nil
}

// Binding is the uniform door: servers and clients that share a Binding meet
// at names such as "inproc:echo". Make it with New.
type Binding struct {
	o *binding.Options

	mu      sync.Mutex
	servers map[string]*server
	next    int
}

var _ binding.Binding = (*Binding)(nil)

// New is a binding whose servers and clients meet. Options serve for both
// ends; nil is fine.
func New(o *binding.Options) *Binding {
	return &Binding{o: o, servers: map[string]*server{}}
}

// Protocol is [Protocol].
func (b *Binding) Protocol() string { return Protocol }

// Dial connects to a server of this Binding.
func (b *Binding) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	if err := ctx.Err(); err != nil {
		return nil, binding.DialError(ctx, "inproc: dial", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.servers[iface.GetUrl()]
	if !ok {
		return nil, binding.Errorf(binding.Unavailable, "inproc: dial: nobody serves %q", iface.GetUrl())
	}
	var o binding.Options
	if b.o != nil {
		o = *b.o
	}
	o.Tenant = iface.GetTenant()
	return newConn(s.in).client(&o), nil
}
