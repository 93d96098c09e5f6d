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
	live    map[*Call]struct{}
	idle    chan struct{} // made by the first who waits, closed when live is empty
}

// Call is one call in flight.
type Call struct{ cancel context.CancelCauseFunc }

// Begin adds a call, whose context ends with the caller's, with End, or with
// Cancel. The error is the context's, or why the group was stopped.
func (g *Group) Begin(ctx context.Context) (context.Context, *Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c, err := g.add(cancel)
	if err != nil {
		cancel(err)
		return nil, nil, err
	}
	return ctx, c, nil
}

func (g *Group) add(cancel context.CancelCauseFunc) (*Call, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != nil {
		return nil, g.stopped
	}
	c := &Call{cancel}
	if g.live == nil {
		g.live = map[*Call]struct{}{}
	}
	g.live[c] = struct{}{}
	return c, nil
}

// End takes a call out.
func (g *Group) End(c *Call) {
	g.mu.Lock()
	delete(g.live, c)
	if g.idle != nil && len(g.live) == 0 {
		close(g.idle)
		g.idle = nil
	}
	g.mu.Unlock()
	c.cancel(nil)
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
	for c := range g.live {
		c.cancel(why)
	}
}

// Wait waits until no call is in flight.
func (g *Group) Wait(ctx context.Context) error {
	g.mu.Lock()
	if len(g.live) == 0 {
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
