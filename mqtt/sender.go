package mqtt

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eclipse/paho.golang/packets"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
)

// sender is a stream that is served to a requester who keeps to a window. It
// numbers the items, keeps those that are not acknowledged, and sends them
// again when it is asked to or has lost the connection. One goroutine pushes
// and finishes, one pumps, and the one that reads the connection hears.
type sender struct {
	wire   wire
	topic  string // of the replies
	from   string // a2a-responder-agent-id
	expiry uint32
	left   func(error) // ends the call; the error says why
	window *mux.Window
	acks   acks // of the pump

	mu          sync.Mutex
	correlation string
	items       []*message
	base        uint64 // the number of items[0]: all before are acknowledged
	sent        uint64 // the number of the next to send
	high        uint64 // the highest that sent has been
	finished    bool
	gone        bool
	heard       time.Time
	refused     time.Time // since when nobody is subscribed to the replies
	losses      int       // of connections, since the last credit

	wake     chan struct{}
	draining <-chan struct{} // closed when only what is there may still be sent
}

// wire is what a sender needs of a connection.
type wire interface {
	publish(context.Context, *message) (ack, error)
	restored(context.Context) error
}

// Why a stream is cut.
var (
	errLeft = binding.Errorf(binding.Canceled, "the requester has left the stream")
	errDeaf = binding.Errorf(binding.Canceled, "nothing is heard of the requester")
)

// push adds an item when there is room in the window.
func (s *sender) push(ctx context.Context, m *message) error {
	if err := s.window.Take(ctx, weight(len(m.payload))); err != nil {
		return err
	}
	s.append(m, false)
	return nil
}

// finish adds the last packet, which needs no room.
func (s *sender) finish(m *message) { s.append(m, true) }

func (s *sender) append(m *message, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.topic, m.expiry = s.topic, s.expiry
	m.add(propResponder, s.from)
	m.addNumber(propSeq, s.base+uint64(len(s.items)))
	s.items = append(s.items, m)
	s.finished = s.finished || last
	s.signal()
}

func (s *sender) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// credit notes that the requester has taken all items before n.
func (s *sender) credit(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.losses = time.Now(), 0
	if n > s.base && n <= s.high {
		taken := int(n - s.base)
		clear(s.items[:taken])
		s.items, s.base = s.items[taken:], n
		s.sent = max(s.sent, n)
		s.window.Grant(taken)
	}
	s.signal()
}

// resend sends again from n on.
func (s *sender) resend(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = time.Now()
	s.sent = min(s.sent, max(n, s.base))
	s.signal()
}

// attach sends the stream, from its beginning, under another correlation. It
// reports false when the beginning is gone.
func (s *sender) attach(correlation string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base > 0 || s.gone {
		return false
	}
	s.correlation, s.sent, s.heard = correlation, 0, time.Now()
	s.signal()
	return true
}

// cut ends the stream: nobody reads it.
func (s *sender) cut(why error) {
	s.mu.Lock()
	s.gone = true
	s.signal()
	s.mu.Unlock()
	s.left(why)
}

// next is the packet to send now, nil when there is none; over says that
// nothing is left to do.
func (s *sender) next() (m *message, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.base + uint64(len(s.items))
	if s.gone || s.finished && s.base == end {
		return nil, true
	}
	if s.sent == end {
		return nil, false
	}
	c := *s.items[s.sent-s.base]
	c.correlation = s.correlation
	s.sent++
	s.high = max(s.high, s.sent)
	return &c, false
}

// heartbeat says which item is next.
func (s *sender) heartbeat() *message {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &message{topic: s.topic, correlation: s.correlation, expiry: expiry(2 * heartbeatTime)}
	m.add(propResponder, s.from)
	m.addNumber(propHeartbeat, s.sent)
	return m
}

func (s *sender) silence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.heard)
}

// rewind sends everything again that is not acknowledged.
func (s *sender) rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = s.base
}

// pump sends until all is acknowledged, nobody reads, or the context ends. It
// is called once.
func (s *sender) pump(ctx context.Context) {
	beat := time.NewTimer(heartbeatTime)
	defer beat.Stop()
	for {
		m, over := s.next()
		if over {
			return
		}
		var err error
		if m == nil {
			select {
			case <-s.wake:
				continue
			case <-s.drained():
				// That it is sent is enough for who is closing.
				_ = s.acks.all(ctx)
				return
			case p := <-s.acks.first():
				err = s.acks.pop(p)
			case <-beat.C:
				m = s.heartbeat()
			case <-ctx.Done():
				return
			}
		}
		if m != nil {
			if s.silence() > deafTime {
				s.cut(errDeaf)
				return
			}
			var a ack
			if a, err = s.wire.publish(ctx, m); err == nil {
				beat.Reset(heartbeatTime)
				err = s.acks.push(ctx, a)
			}
		}
		if err != nil && !s.recover(ctx, err) {
			s.cut(binding.Errorf(binding.Canceled, "the stream cannot be sent: %w", err))
			return
		}
	}
}

// drained is closed when nothing more is to be waited for.
func (s *sender) drained() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		return nil
	}
	return s.draining
}

// recover waits for a connection that was lost, and reports whether it is there.
func (s *sender) recover(ctx context.Context, err error) bool {
	if errors.Is(err, errNobody) && s.refusedFor() < connectTimeout && pause(ctx, gapTime) == nil {
		// A requester that has lost its connection may be back a little later.
		s.acks = acks{}
		s.rewind()
		return true
	}
	if !errors.Is(err, errLost) || s.lostTooOften() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, deafTime)
	defer cancel()
	if s.wire.restored(ctx) != nil {
		return false
	}
	s.acks = acks{}
	s.rewind()
	return true
}

// lostTooOften counts a connection that was lost.
func (s *sender) lostTooOften() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losses++
	return s.losses > maxLosses
}

// refusedFor is how long nobody is subscribed to the replies.
func (s *sender) refusedFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused.Before(s.heard) {
		s.refused = time.Now()
	}
	return time.Since(s.refused)
}

// acks are publishes whose end is not known.
type acks struct{ waiting []ack }

// maxAcks is how many publishes of one stream may be without an acknowledgement.
const maxAcks = 256

// first is the oldest, nil for none.
func (a *acks) first() ack {
	if len(a.waiting) == 0 {
		return nil
	}
	return a.waiting[0]
}

// pop takes the oldest out, of which p has come.
func (a *acks) pop(p packets.ControlPacket) error {
	a.waiting = a.waiting[1:]
	return ackError(p)
}

// push adds one, and takes out those that have come. With too many it waits.
func (a *acks) push(ctx context.Context, one ack) error {
	a.waiting = append(a.waiting, one)
	for len(a.waiting) > 0 {
		if len(a.waiting) <= maxAcks {
			select {
			case p := <-a.first():
				if err := a.pop(p); err != nil {
					return err
				}
				continue
			default:
				return nil
			}
		}
		select {
		case p := <-a.first():
			if err := a.pop(p); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// all waits for all of them.
func (a *acks) all(ctx context.Context) error {
	for len(a.waiting) > 0 {
		if err := a.first().wait(ctx); err != nil {
			return err
		}
		a.waiting = a.waiting[1:]
	}
	return nil
}
