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
	in := binding.NewInbound(agent, o)
	return binding.Remote(binding.Outbound(&conn{in: in, owner: true}, o, binding.EndsCalls))
}

// conn is the client's end; it calls the server's shared layer.
type conn struct {
	in    *binding.Inbound
	owner bool           // of in, which dies with the connection
	calls inflight.Group // those in goroutines
}

// crossing is a call on the server's side: nothing of the caller's but copies.
func crossing(p binding.Payload, call *binding.Call) (*binding.Call, binding.Payload, error) {
	req, err := p.Clone()
	if err != nil {
		return nil, p, err
	}
	far := &binding.Call{Params: make(binding.Params, len(call.Params)+1), Credential: call.Credential, Peer: "inproc"}
	for k, v := range call.Outgoing() {
		far.Params[k] = v
	}
	return far, req, nil
}

// remote is an error as the far side said it.
func remote(err error) error {
	if err == error(errClosed) {
		return err
	}
	e := *binding.Flatten(err)
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
	far, req, err := crossing(p, call)
	if err != nil {
		return binding.Payload{}, err
	}
	a := c.invoke(ctx, op, far, req)
	if a.err != nil && ctx.Err() != nil {
		return binding.Payload{}, ctx.Err()
	}
	call.Reply = far.Reply
	if a.err != nil {
		return binding.Payload{}, remote(a.err)
	}
	return a.p.Clone()
}

func (c *conn) invoke(ctx context.Context, op *binding.Op, far *binding.Call, req binding.Payload) answer {
	if ctx.Done() == nil {
		resp, err := c.in.Invoke(context.Background(), op, far, req)
		return answer{resp, err}
	}
	live, err := c.calls.Join()
	if err != nil {
		return answer{err: err}
	}
	done := make(chan answer, 1)
	go func() {
		defer c.calls.End(live)
		resp, err := c.in.Invoke(detached{ctx}, op, far, req)
		done <- answer{resp, err}
	}()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
		return answer{err: ctx.Err()}
	}
}

// item is one event, or the error, or the end of a stream.
type item struct {
	answer
	reply binding.Params
	end   bool
}

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		far, req, err := crossing(p, call)
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if ctx.Done() == nil {
			c.here(op, call, far, req, yield)
			return
		}
		// Ends the agent's stream when the loop is left.
		farCtx, release := context.WithCancel(detached{ctx})
		defer release()
		live, err := c.calls.Join()
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		items := make(chan item)
		go func() {
			defer c.calls.End(live)
			c.produce(farCtx, op, far, req, items)
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
					yield(binding.Payload{}, remote(it.err))
					return
				}
				ev, err := it.p.Clone()
				if !yield(ev, err) || err != nil {
					return
				}
			case <-ctx.Done():
				yield(binding.Payload{}, ctx.Err())
				return
			}
		}
	}
}

// here runs the agent's stream in the caller's goroutine.
func (c *conn) here(op *binding.Op, call, far *binding.Call, req binding.Payload, yield func(binding.Payload, error) bool) {
	for ev, err := range c.in.Stream(context.Background(), op, far, req) {
		if call.Reply == nil {
			call.Reply = far.Reply.Clone()
		}
		if err != nil {
			yield(binding.Payload{}, remote(err))
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
func (b *Binding) Dial(_ context.Context, iface *pb.AgentInterface) (binding.Client, error) {
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
	return binding.Remote(binding.Outbound(&conn{in: s.in}, &o)), nil
}
