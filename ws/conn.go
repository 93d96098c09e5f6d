package ws

import (
	"context"
	"iter"
	"net/url"
	"sync"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
)

// Dial connects to the agent at a ws or wss URL. The context bounds the
// dialling alone. A server that asks for a credential is no failure: that of
// each call decides, and calls with different credentials have connections of
// their own, as many as [MaxCredentials] at a time.
func Dial(ctx context.Context, url string, o *Options) (binding.Client, error) {
	c, err := newConn(url, o)
	if err != nil {
		return nil, err
	}
	if _, err := c.link(ctx, ""); err != nil && !refused(err) {
		_ = c.Close()
		return nil, binding.DialError(ctx, "ws: dial", err)
	}
	return binding.Remote(binding.Outbound(c, &c.o.Options, binding.CarriesJSON, binding.EndsCalls)), nil
}

// refused reports whether a server was reached and wanted another credential.
func refused(err error) bool {
	code := binding.CodeOf(err)
	return code == binding.Unauthenticated || code == binding.PermissionDenied
}

// MaxCredentials is how many credentials a client keeps connections for.
const MaxCredentials = 64

// conn is the client side: connections that are dialed when they are needed,
// one for each credential, and one for each stream that needs its own.
type conn struct {
	o    *Options
	url  *url.URL
	pool buffers

	life context.Context // until Close
	end  context.CancelFunc

	mu      sync.Mutex
	shared  map[binding.Credential]*dialing
	all     map[*link]struct{}
	closing sync.WaitGroup
}

// dialing is a connection that is there, or will be.
type dialing struct {
	done chan struct{}
	link *link
	err  error
}

func newConn(raw string, o *Options) (*conn, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, binding.Errorf(binding.InvalidParams, "ws: dial: %q is not a ws or wss URL", raw)
	}
	if u.User != nil {
		return nil, binding.Errorf(binding.InvalidParams, "ws: dial: the URL holds credentials; put them into Call.Credential")
	}
	c := &conn{o: o.resolve(), url: u, shared: map[binding.Credential]*dialing{}, all: map[*link]struct{}{}}
	c.life, c.end = context.WithCancel(context.Background())
	return c, nil
}

var errClosed = binding.Errorf(binding.Unavailable, "the client is closed")

// link is the shared connection of a credential. Callers that come while it is
// being dialed wait for the same one; a caller who leaves does not end it.
func (c *conn) link(ctx context.Context, cred binding.Credential) (*link, error) {
	c.mu.Lock()
	d := c.shared[cred]
	if d != nil && d.link != nil && d.link.dead() {
		d = nil
	}
	if d == nil {
		if c.life.Err() != nil {
			c.mu.Unlock()
			return nil, errClosed
		}
		if err := c.makeRoom(); err != nil {
			c.mu.Unlock()
			return nil, err
		}
		d = &dialing{done: make(chan struct{})}
		c.shared[cred] = d
		c.closing.Add(1)
		go c.dial(d, cred)
	}
	c.mu.Unlock()
	select {
	case <-d.done:
		return d.link, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// makeRoom closes a connection that nobody uses when there are too many.
func (c *conn) makeRoom() error {
	for cred, d := range c.shared {
		if d.link != nil && d.link.dead() {
			delete(c.shared, cred)
		}
	}
	if len(c.shared) < MaxCredentials {
		return nil
	}
	for cred, d := range c.shared {
		if d.link != nil && d.link.retire() {
			delete(c.shared, cred)
			return nil
		}
	}
	return binding.Errorf(binding.ResourceExhausted, "ws: calls with more than %d credentials at once", MaxCredentials)
}

func (c *conn) dial(d *dialing, cred binding.Credential) {
	defer c.closing.Done()
	l, err := c.open(c.life, cred, c.o.subprotocols(), false)
	c.mu.Lock()
	d.link, d.err = l, err
	if err != nil && c.shared[cred] == d {
		delete(c.shared, cred)
	}
	c.mu.Unlock()
	close(d.done)
}

// open dials a connection and keeps it among those that Close closes. One that
// waits is a single stream's.
func (c *conn) open(ctx context.Context, cred binding.Credential, subprotocols []string, waits bool) (*link, error) {
	l, err := c.handshake(ctx, cred, subprotocols)
	if err != nil {
		if c.life.Err() != nil {
			err = errClosed
		}
		return nil, err
	}
	c.mu.Lock()
	if c.life.Err() != nil {
		c.mu.Unlock()
		_ = l.sock.CloseNow()
		return nil, errClosed
	}
	l.waits = waits
	c.all[l] = struct{}{}
	c.closing.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.closing.Done()
		l.run()
		c.mu.Lock()
		delete(c.all, l)
		c.mu.Unlock()
	}()
	return l, nil
}

// Close ends the calls in flight, closes the connections and waits until they
// are gone.
func (c *conn) Close() error {
	c.mu.Lock()
	c.end()
	var wg sync.WaitGroup
	for l := range c.all {
		wg.Go(func() { l.close(errClosed) })
	}
	c.mu.Unlock()
	wg.Wait()
	c.closing.Wait()
	return nil
}

// call sends a request on the connection that dial finds. One that was lost
// before anything was sent is no reason to fail.
func (c *conn) call(ctx context.Context, dial func(context.Context, binding.Credential) (*link, error), op *binding.Op, call *binding.Call, p binding.Payload, items int) (*link, *waiter, error) {
	for again := true; ; again = false {
		l, err := dial(ctx, call.Credential)
		if err != nil {
			return nil, nil, err
		}
		w, err := l.call(ctx, op, call, p, items)
		if err == nil {
			return l, w, nil
		}
		// This very error: any other of its code is equal to it for errors.Is.
		retired := err == error(errRetired) //nolint:errorlint // see above
		if !retired && !again || !l.dead() || ctx.Err() != nil {
			return nil, nil, err
		}
	}
}

func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	l, w, err := c.call(ctx, c.link, op, call, p, 1)
	if err != nil {
		return binding.Payload{}, err
	}
	a, _, ok, err := w.queue.Take(ctx)
	if !ok {
		l.leave(w)
		return binding.Payload{}, err
	}
	if a.end {
		return binding.Payload{}, errEnd
	}
	call.Reply = a.reply
	return a.payload, a.err
}

var errEnd = binding.Errorf(binding.InvalidAgentResponse, "ws: the end of a stream in place of an answer")

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		l, w, err := c.call(ctx, c.forStream, op, call, p, c.o.Window)
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if l.waits {
			defer l.close(errClosed)
		}
		defer l.leave(w)
		meter := mux.Meter{Items: c.o.Window, Bytes: WindowBytes}
		for first := true; ; first = false {
			a, size, ok, err := w.queue.Take(ctx)
			if first && (ok || err == nil) {
				call.Reply = a.reply
			}
			if !ok {
				if err != nil {
					yield(binding.Payload{}, err)
				}
				return
			}
			if a.end {
				return
			}
			if l.flow {
				if n := meter.Took(size); n > 0 {
					l.grant(w, n)
				}
			}
			if !yield(a.payload, a.err) || a.err != nil {
				return
			}
		}
	}
}

// forStream is the shared connection, or one for this stream alone to a server
// that can only be held back by its socket.
func (c *conn) forStream(ctx context.Context, cred binding.Credential) (*link, error) {
	l, err := c.link(ctx, cred)
	if err != nil || l.flow || c.o.SharedStreams {
		return l, err
	}
	return c.open(ctx, cred, []string{subprotocol}, true)
}
