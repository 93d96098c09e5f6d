package mqtt

import (
	"context"
	"time"

	"github.com/a2awire/a2awire/binding"
)

// watched looks after a stream while its caller reads it: asks for what is
// missing, answers heartbeats, and ends what has no life. The function that it
// returns stops it, and waits until it has.
func (x *exchange) watched(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := x.watch(ctx); err != nil {
			x.r.fail(err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// Why a stream is given up. Its task goes on, and can be subscribed to again.
var (
	errIdle = binding.Errorf(binding.Unavailable, "mqtt: the stream is silent; its task can be subscribed to again")
	errGap  = binding.Errorf(binding.Unavailable, "mqtt: an item of the stream is lost; its task can be subscribed to again")
	errCut  = binding.Errorf(binding.Unavailable, "mqtt: the connection was lost in the stream; its task can be subscribed to again")
)

// watch is over with nil when the context is, or the stream.
func (x *exchange) watch(ctx context.Context) error {
	agent, err := x.agent().reachable()
	if err != nil {
		return err
	}
	l := x.c.link.now()
	var gap gap
	for {
		if l == nil || l.ctx.Err() != nil {
			if l, err = x.resume(ctx); err != nil {
				return err
			}
		}
		s := x.r.look()
		if s.ended {
			return nil
		}
		if x.r.due() {
			x.credit(s.taken)
		}
		next := idleTime - time.Since(s.heard)
		if next <= 0 {
			return errIdle
		}
		ask, wait := gap.look(s, time.Now())
		switch {
		case ask && gap.tries > gapTries:
			return errGap
		case ask:
			x.resend(s.next)
		}
		if s.gap {
			next = min(next, wait)
		}
		t := time.NewTimer(next)
		select {
		case <-x.r.poke:
		case <-t.C:
		case <-l.ctx.Done():
		case <-agent.Done():
			t.Stop()
			return context.Cause(agent)
		case <-ctx.Done():
			t.Stop()
			return nil
		}
		t.Stop()
	}
}

// resume waits for a connection that was lost, and asks for what has not come.
func (x *exchange) resume(ctx context.Context) (*link, error) {
	s := x.r.look()
	if !s.numbered {
		return nil, errCut
	}
	ctx, cancel := context.WithTimeoutCause(ctx, idleTime, errCut)
	defer cancel()
	l, err := x.c.link.await(ctx)
	if err != nil {
		return nil, err
	}
	x.r.revive()
	x.resend(s.next)
	return l, nil
}

// gap is an item that is missing, and how often it was asked for.
type gap struct {
	at    uint64
	since time.Time
	tries int
}

// look reports whether the missing item is to be asked for now, and how long
// to wait before the next look.
func (g *gap) look(s state, now time.Time) (ask bool, wait time.Duration) {
	if !s.gap {
		*g = gap{}
		return false, 0
	}
	if g.since.IsZero() || g.at != s.next {
		*g = gap{at: s.next, since: now}
	}
	if wait = gapTime - now.Sub(g.since); wait > 0 {
		return false, wait
	}
	g.since = now
	g.tries++
	return true, gapTime
}
