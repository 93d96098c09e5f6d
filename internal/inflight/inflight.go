// Package inflight keeps track of the calls in flight at one end of a wire, so
// that closing it can refuse new ones, end those there are, and wait for them.
package inflight

import (
	"context"
	"sync"
	"time"
)

// Grace is how long closing waits for calls that do not heed their context.
const Grace = 5 * time.Second

// Group is a set of calls. The zero value is ready. All methods may be called
// at the same time.
type Group struct {
	mu      sync.Mutex
	stopped error
	live    *Call         // the first of a list
	idle    chan struct{} // made by the first who waits, closed when live is empty
}

// Begin adds a call, whose context ends with the caller's, with End, or with
// Cancel. The error is the context's, or why the group was stopped.
func (g *Group) Begin(ctx context.Context) (*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Call{parent: ctx}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != nil {
		return nil, g.stopped
	}
	if c.next = g.live; c.next != nil {
		c.next.prev = c
	}
	g.live = c
	return c, nil
}

// End takes a call out and ends its context.
func (g *Group) End(c *Call) {
	g.mu.Lock()
	if c.next != nil {
		c.next.prev = c.prev
	}
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		g.live = c.next
	}
	if g.idle != nil && g.live == nil {
		close(g.idle)
		g.idle = nil
	}
	g.mu.Unlock()
	c.end(context.Canceled, nil)
}

// Stop refuses calls from now on, and reports whether it was the first to.
func (g *Group) Stop(why error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != nil {
		return false
	}
	g.stopped = why
	return true
}

// Cancel ends the contexts of the calls in flight; why is their cause.
func (g *Group) Cancel(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := g.live; c != nil; c = c.next {
		c.end(context.Canceled, why)
	}
}

// Wait waits until no call is in flight.
func (g *Group) Wait(ctx context.Context) error {
	g.mu.Lock()
	if g.live == nil {
		g.mu.Unlock()
		return nil
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WaitGrace waits until no call is in flight, [Grace] at most, and reports
// whether none is.
func (g *Group) WaitGrace() bool {
	ctx, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	return g.Wait(ctx) == nil
}
