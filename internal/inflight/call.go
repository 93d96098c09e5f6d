package inflight

import (
	"context"
	"sync"
	"time"
)

// Call is one call in flight, and its context: the caller's, which also ends
// with End or Cancel. It costs nothing until somebody waits for its end, which
// most calls are over too soon for.
type Call struct {
	parent     context.Context
	prev, next *Call // of the group

	mu    sync.Mutex
	err   error
	cause error
	done  chan struct{}   // made by the first who asks
	after map[*func()]any // what runs when the call ends
	leave func() bool     // stops listening to the parent
}

var _ context.Context = (*Call)(nil)

// Deadline is the caller's.
func (c *Call) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Value is the caller's, or the call itself for [Cause].
func (c *Call) Value(key any) any {
	if key == (self{}) {
		return c
	}
	return c.parent.Value(key)
}

// self is the key of the call that a context is of.
type self struct{}

// Err is why the call has ended, nil while it has not.
func (c *Call) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err == nil {
		if err = c.parent.Err(); err != nil {
			c.end(err, Cause(c.parent))
		}
	}
	return err
}

// Cause is what the call was canceled with, or the cause of its caller's context.
func (c *Call) Cause() error {
	if c.Err() == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Done is closed when the call has ended.
func (c *Call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done != nil {
		return c.done
	}
	c.done = make(chan struct{})
	switch {
	case c.err != nil:
		close(c.done)
	case c.parent.Done() != nil:
		c.leave = context.AfterFunc(c.parent, func() { c.end(c.parent.Err(), Cause(c.parent)) })
	}
	return c.done
}

// AfterFunc runs f in a goroutine of its own when the call has ended. Contexts
// that are made of this one use it in place of a goroutine that waits.
func (c *Call) AfterFunc(f func()) (stop func() bool) {
	c.Done() // listens to the parent
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = map[*func()]any{}
	}
	c.after[&f] = nil
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.after[&f]
		delete(c.after, &f)
		return waiting
	}
}

// Cancel ends the call's context; why is its cause.
func (c *Call) Cancel(why error) { c.end(context.Canceled, why) }

// Cause is context.Cause, which does not know that a Call has one, of a call's
// context and of those made of it.
func Cause(ctx context.Context) error {
	if c, ok := ctx.Value(self{}).(*Call); ok {
		if err := c.Cause(); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// end ends the call, once.
func (c *Call) end(err, cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err, c.cause = err, cause
	if c.done != nil {
		close(c.done)
	}
	after, leave := c.after, c.leave
	c.after, c.leave = nil, nil
	c.mu.Unlock()
	if leave != nil {
		leave()
	}
	for f := range after {
		go (*f)()
	}
}
