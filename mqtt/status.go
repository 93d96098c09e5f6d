package mqtt

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/internal/inflight"
)

// status keeps an agent's card at its broker: online while the agent is served,
// offline when it stops, and again when it changes or somebody else wrote it.
type status struct {
	s        *Server
	instance string
	topic    string
	route    *route
	began    *link // that the agent started on
	remove   bool  // the card is taken away when the agent stops

	cancel context.CancelFunc
	work   sync.WaitGroup
	stale  chan struct{} // what the broker has is not what it should have

	mu   sync.Mutex
	card []byte
}

// How often a card is published, and looked at for changes.
const (
	publishEvery = 6 * time.Second
	lookEvery    = 30 * time.Second
)

func newStatus(s *Server) *status {
	// Instances of one address are ordered by their start: the later one stays.
	instance := fmt.Sprintf("%012x-%s", time.Now().UnixMilli(), randomID())
	st := &status{s: s, instance: instance, topic: s.topics.discovery(s.addr), stale: make(chan struct{}, 1), cancel: func() {}}
	st.route = &route{options: paho.SubscribeOptions{Topic: st.topic, QoS: 1, RetainAsPublished: true}, topic: st.topic, handler: st.receive}
	return st
}

// start publishes the card as online.
func (st *status) start(ctx context.Context) error {
	card, err := cardOf(st.s.conn.broker.String(), st.s.addr, &st.s.o)
	if err != nil {
		return err
	}
	st.set(card)
	st.began = st.s.conn.current()
	if err := st.s.conn.subscribe(ctx, st.route); err != nil {
		return err
	}
	st.s.routes = append(st.s.routes, st.route)
	if err := st.s.send(ctx, st.message(statusOnline)); err != nil {
		return err
	}
	life, cancel := context.WithCancel(st.s.life)
	st.cancel = cancel
	st.work.Go(func() { st.keep(life) })
	return nil
}

func (st *status) set(card []byte) {
	st.mu.Lock()
	st.card = card
	st.mu.Unlock()
	if w := st.s.conn.will(); w == nil || w.topic == st.topic {
		will := newWill(st.s.topics, st.s.addr, card)
		will.user.Add(propInstance, st.instance)
		st.s.conn.setWill(will)
	}
}

func (st *status) message(s string) *message {
	st.mu.Lock()
	defer st.mu.Unlock()
	m := &message{topic: st.topic, retain: true, content: contentA2A, payload: st.card, user: statusProperties(s, sourceAgent)}
	m.add(propInstance, st.instance)
	return m
}

// receive sees what the broker has. A will of a connection that was lost before
// this one was made may come after it.
func (st *status) receive(m *message) {
	online := m.get(propStatus) == statusOnline
	switch instance := m.get(propInstance); {
	case online && instance == st.instance:
		return
	case instance > st.instance && (online || st.fought(m)):
		st.s.conn.yield()
		return
	}
	select {
	case st.stale <- struct{}{}:
	default:
	}
}

// fought reports whether another instance's will is from a fight for the client
// identifier: this one has lost its connection, and taken it back from the other.
// The will that an agent finds when it starts is of one that has died.
func (st *status) fought(m *message) bool {
	return m.get(propStatusSource) == sourceWill && st.s.conn.current() != st.began
}

// keep publishes the card when it has changed, when the broker has another,
// and when the connection was lost, at most ten times a minute.
func (st *status) keep(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	last := st.s.conn.now()
	for {
		lost := make(<-chan struct{})
		if last != nil {
			lost = last.ctx.Done()
		}
		select {
		case <-st.stale:
		case <-lost:
			var err error
			if last, err = st.s.conn.await(ctx); err != nil {
				return
			}
		case <-look.C:
			if !st.renew() {
				continue
			}
		case <-ctx.Done():
			return
		}
		if err := st.s.send(ctx, st.message(statusOnline)); err != nil && ctx.Err() == nil {
			st.s.o.Logger.Error("the card cannot be published", "error", err)
		}
		if pause(ctx, publishEvery) != nil {
			return
		}
	}
}

// renew takes the card as it is now, and reports whether it has changed.
func (st *status) renew() bool {
	card, err := cardOf(st.s.conn.broker.String(), st.s.addr, &st.s.o)
	if err != nil {
		st.s.o.Logger.Error("the card cannot be published", "error", err)
		return false
	}
	st.mu.Lock()
	same := bytes.Equal(card, st.card)
	st.mu.Unlock()
	if !same {
		st.set(card)
	}
	return !same
}

// stop publishes the card as offline, or takes it away.
func (st *status) stop() {
	st.cancel()
	st.work.Wait()
	if st.card == nil {
		return // it was never published
	}
	m := st.message(statusOffline)
	if st.remove {
		m = &message{topic: st.topic, retain: true}
	}
	ctx, cancel := context.WithTimeout(context.Background(), inflight.Grace)
	defer cancel()
	if a, err := st.s.conn.publish(ctx, m); err == nil {
		err = a.wait(ctx)
		if err != nil {
			st.s.o.Logger.Error("the card cannot be published as offline", "error", err)
		}
	}
}
