package mqtt

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eclipse/paho.golang/autopaho"
	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
	"github.com/eclipse/paho.golang/paho/session"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
)

// Connection is a connection to a broker, which comes back when it is lost. All
// methods may be called at the same time. Agents served on it and clients that
// use it must be closed before it.
type Connection struct {
	o      ConnectOptions
	broker *url.URL
	cm     *autopaho.ConnectionManager
	ledger *ledger
	life   context.Context // until Close, or until it is lost for good
	kill   context.CancelCauseFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	link   *link               // nil while the connection is down
	change chan struct{}       // closed when link changes
	routes map[string][]*route // by topic, without $share
	wild   []*route            // those whose topic has wildcards
	last   *Will               // of the next CONNECT
	closed bool
	lastUp time.Time // of the last link; zero before the first
	owed   []owed    // to be published by the next link
}

// owed is a message that nobody waits for, and that outlives a lost connection.
type owed struct {
	m  *message
	at time.Time
}

// maxOwed is how many messages wait for a connection; more of them are dropped.
const maxOwed = 4096

// link is one connection, from when all that is subscribed to is subscribed
// again to when it is lost.
type link struct {
	cm        *autopaho.ConnectionManager
	ctx       context.Context
	lose      context.CancelFunc
	maxPacket int  // of the broker
	shared    bool // it knows shared subscriptions
	ready     bool // under the lock of the connection
	again     bool // it is not the first
	since     time.Time
}

// route is what is subscribed to, and who gets it. The handler is called by
// the goroutine that reads the connection, one message after the other.
type route struct {
	options paho.SubscribeOptions
	topic   string // without $share
	alone   bool   // nobody else on this connection may have the topic
	handler func(*message)
	renew   func() // before it is subscribed to again; may be nil
}

var (
	// errLost is a connection that is lost, for now. It is what to compare with:
	// a binding.Error is like any other of its code.
	errLost = errors.New("the connection to the broker is lost")
	// errDown is errLost as callers are told.
	errDown = &binding.Error{Code: binding.Unavailable, Message: "mqtt: no connection to the broker", Cause: errLost}
	// errConnectionClosed is a connection that was closed.
	errConnectionClosed = binding.Errorf(binding.Unavailable, "mqtt: the connection is closed")
	// errTaken is a connection whose client identifier another one has taken.
	errTaken = binding.Errorf(binding.Unavailable, "mqtt: another connection has taken this client identifier; every instance needs one of its own")
)

// Done is closed when the connection has ended for good.
func (c *Connection) Done() <-chan struct{} { return c.life.Done() }

// Err is why the connection has ended for good, nil while it has not.
func (c *Connection) Err() error { return context.Cause(c.life) }

// Close disconnects, once the broker has acknowledged what was published or has
// had a second for it, and waits until what the connection started is gone. It
// may be called more than once.
func (c *Connection) Close() error {
	// A broker may give up a packet whose acknowledgement it cannot send, and a
	// proxy what a client sent before its end: the last packets tell agents who
	// has left.
	c.settle()
	c.kill(errConnectionClosed)
	ctx, cancel := context.WithTimeout(context.Background(), inflight.Grace)
	defer cancel()
	err := c.cm.Disconnect(ctx)
	c.down()
	c.work.Wait()
	if err != nil {
		return binding.Errorf(binding.Unavailable, "mqtt: close: %w", err)
	}
	return nil
}

// settle waits for the acknowledgements of what was published.
func (c *Connection) settle() {
	ctx, cancel := context.WithTimeout(c.life, flushTime)
	defer cancel()
	c.ledger.settled(ctx)
}

// up is called with every new connection, by a goroutine that must go on.
func (c *Connection) up(cm *autopaho.ConnectionManager, ack *paho.Connack) {
	l := &link{cm: cm, maxPacket: 1 << 28, shared: true}
	if p := ack.Properties; p != nil {
		if p.MaximumPacketSize != nil && *p.MaximumPacketSize > 0 {
			l.maxPacket = int(min(*p.MaximumPacketSize, 1<<28))
		}
		l.shared = p.SharedSubAvailable
	}
	l.ctx, l.lose = context.WithCancel(c.life)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		l.lose()
		return
	}
	c.link = l
	l.again, l.since = !c.lastUp.IsZero(), time.Now()
	c.lastUp = l.since
	c.work.Go(func() { c.restore(l) })
}

// restore subscribes again, and then lets others use the connection.
func (c *Connection) restore(l *link) {
	c.mu.Lock()
	var all []*route
	for _, routes := range c.routes {
		all = append(all, routes[0])
	}
	all = append(all, c.wild...)
	c.mu.Unlock()
	all = c.again(l, all)
	c.mu.Lock()
	var owed []owed
	if c.link == l {
		l.ready = true
		c.changed()
		owed, c.owed = c.owed, nil
	}
	c.mu.Unlock()
	for _, o := range owed {
		if time.Since(o.at) < deafTime {
			_, _ = c.publish(l.ctx, o.m)
		}
	}
	for len(all) > 0 && pause(l.ctx, publishEvery) == nil {
		all = c.again(l, slices.DeleteFunc(all, func(r *route) bool { return !c.has(r) }))
	}
}

// owe keeps a message for the next link, or publishes it if that is there already.
func (c *Connection) owe(ctx context.Context, m *message) {
	c.mu.Lock()
	up := c.link != nil && c.link.ready
	room := len(c.owed) < maxOwed
	if !up && !c.closed && room {
		c.owed = append(c.owed, owed{m, time.Now()})
	}
	c.mu.Unlock()
	if up {
		_, _ = c.publish(ctx, m) // lost again, it is given up
	} else if !room {
		c.o.Logger.Warn("too many messages wait for a connection: one is dropped", "topic", m.topic)
	}
}

// again subscribes again, and returns what the broker did not take.
func (c *Connection) again(l *link, all []*route) (failed []*route) {
	for _, r := range all {
		if r.renew != nil {
			r.renew()
		}
		if err := l.subscribe(l.ctx, r); err != nil && l.ctx.Err() == nil {
			c.o.Logger.Error("cannot subscribe again", "topic", r.options.Topic, "error", err)
			failed = append(failed, r)
		}
	}
	return failed
}

// down is called when a connection is lost, and says whether to connect again.
func (c *Connection) down() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		c.closed = true
	}
	c.drop()
	if c.ledger.disconnected() == packets.DisconnectSessionTakenOver {
		c.o.Logger.Error("another connection has taken this client identifier", "clientId", c.o.ClientID)
		c.kill(errTaken)
	}
	c.changed()
	return c.life.Err() == nil
}

// drop forgets the link, which is lost. The lock is held.
func (c *Connection) drop() {
	if c.link != nil {
		c.link.lose()
		c.link = nil
		c.o.Logger.Info("the connection to the broker is lost")
	}
}

// will is that of the next CONNECT.
func (c *Connection) will() *Will {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// setWill is for the connections to come: a broker takes a will with a CONNECT.
func (c *Connection) setWill(w *Will) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = w
}

// yield ends the connection for good: a later instance has its identifier.
func (c *Connection) yield() {
	if c.life.Err() != nil {
		return
	}
	c.o.Logger.Error("another connection has taken this client identifier", "clientId", c.o.ClientID)
	c.kill(errTaken)
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), inflight.Grace)
		defer cancel()
		_ = c.cm.Disconnect(ctx)
		c.down()
	})
}

// changed wakes who waits for a change. The lock is held.
func (c *Connection) changed() {
	close(c.change)
	c.change = make(chan struct{})
}

// now is the connection as it is: nil while it is down.
func (c *Connection) now() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil || !c.link.ready {
		return nil
	}
	return c.link
}

// current is the connection even where not all is subscribed to again.
func (c *Connection) current() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// await waits until the connection is up.
func (c *Connection) await(ctx context.Context) (*link, error) {
	for {
		c.mu.Lock()
		l, change := c.link, c.change
		ready := l != nil && l.ready
		c.mu.Unlock()
		if err := c.Err(); err != nil {
			return nil, err
		}
		if ready {
			return l, nil
		}
		select {
		case <-change:
		case <-c.life.Done():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// dispatch gives a message to its route.
func (c *Connection) dispatch(p paho.PublishReceived) (bool, error) {
	m := received(p.Packet)
	c.mu.Lock()
	to := c.routes[m.topic]
	for _, r := range c.wild {
		if matches(r.topic, m.topic) {
			to = append(slices.Clip(to), r)
		}
	}
	c.mu.Unlock()
	for _, r := range to {
		r.handler(m)
	}
	return true, nil
}

// subscribe adds a route. It must be removed with unsubscribe.
func (c *Connection) subscribe(ctx context.Context, r *route) error {
	if err := c.add(r); err != nil {
		return err
	}
	for {
		l, err := c.await(ctx)
		if err == nil {
			err = l.subscribe(ctx, r)
		}
		switch {
		case err == nil:
			return nil
		case l != nil && (l.ctx.Err() != nil || errors.Is(err, paho.ErrConnectionLost)):
			continue // it was lost meanwhile, and all is subscribed again
		}
		c.forget(r)
		return err
	}
}

func (l *link) subscribe(ctx context.Context, r *route) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	ack, err := l.cm.Subscribe(ctx, &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{r.options}})
	switch {
	case err == nil:
		return nil
	case ack != nil && len(ack.Reasons) > 0 && ack.Reasons[0] == packets.SubackNotauthorized:
		return binding.Errorf(binding.PermissionDenied, "mqtt: subscribe to %s: %w", r.options.Topic, err)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return binding.Errorf(binding.Unavailable, "mqtt: subscribe to %s: %w", r.options.Topic, err)
}

// unsubscribe removes a route.
func (c *Connection) unsubscribe(r *route) {
	if c.forget(r) {
		c.stop(r)
	}
}

// withdraw is unsubscribe of a route that nobody shares: what comes until the
// broker says that it has ended still gets there.
func (c *Connection) withdraw(r *route) {
	l := c.now()
	c.stop(r)
	if c.forget(r) && c.now() != l {
		c.stop(r) // it was subscribed again meanwhile
	}
}

// stop ends a subscription at the broker.
func (c *Connection) stop(r *route) {
	if l := c.now(); l != nil {
		ctx, cancel := context.WithTimeout(l.ctx, inflight.Grace)
		defer cancel()
		_, _ = l.cm.Unsubscribe(ctx, &paho.Unsubscribe{Topics: []string{r.options.Topic}})
	}
}

func (c *Connection) add(r *route) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	others := c.routes[r.topic]
	if len(others) > 0 && (r.alone || others[0].alone) {
		return binding.Errorf(binding.InvalidParams, "mqtt: %s is served on this connection already", r.topic)
	}
	c.routes[r.topic] = append(slices.Clip(others), r)
	if strings.ContainsAny(r.topic, "+#") {
		delete(c.routes, r.topic)
		c.wild = append(slices.Clip(c.wild), r)
	}
	return nil
}

// has reports whether a route is still wanted.
func (c *Connection) has(r *route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.routes[r.topic], r) || slices.Contains(c.wild, r)
}

// forget removes a route, and reports whether nobody has the topic any more.
func (c *Connection) forget(r *route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	without := func(all []*route) []*route {
		return slices.DeleteFunc(slices.Clone(all), func(other *route) bool { return other == r })
	}
	c.wild = without(c.wild)
	rest := without(c.routes[r.topic])
	if c.routes[r.topic] = rest; len(rest) == 0 {
		delete(c.routes, r.topic)
	}
	return len(rest) == 0 && !slices.ContainsFunc(c.wild, func(other *route) bool { return other.topic == r.topic })
}

// publish sends a message, and says where its end is told. It waits for room
// at the broker, not for the end. The error is errDown while the connection is.
func (c *Connection) publish(ctx context.Context, m *message) (ack, error) {
	l := c.now()
	if l == nil {
		if err := c.Err(); err != nil {
			return nil, err
		}
		return nil, errDown
	}
	if n := m.size(); n > l.maxPacket {
		return nil, tooLarge(n, l.maxPacket)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := make(ack, 1)
	_, err := l.cm.Publish(newPublishing(ctx, a), m.publish())
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, paho.ErrInvalidArguments):
		return nil, binding.Errorf(binding.Unavailable, "mqtt: publish: %w", err)
	case errors.Is(err, session.ErrNoConnection), errors.Is(err, autopaho.ConnectionDownError):
		// It is lost, and down is about to be called: who waits for a connection
		// must not be given this one again.
		c.mu.Lock()
		if c.link == l {
			c.drop()
			c.changed()
		}
		c.mu.Unlock()
	}
	return nil, errDown
}

// wait waits for the end of a publish.
func (a ack) wait(ctx context.Context) error {
	select {
	case p := <-a:
		return ackError(p)
	case <-ctx.Done():
		return ctx.Err()
	}
}
