package mqtt

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho/log"
	"github.com/eclipse/paho.golang/paho/session"

	"github.com/a2awire/a2awire/binding"
)

// ack is where the end of a publish is told: its PUBACK, or an empty packet
// when the connection was lost before.
type ack chan packets.ControlPacket

// publishing is the context of a publish, for the library. It does not end with
// the caller's, which the library would make contexts of: who waits for the
// broker's Receive Maximum looks at the caller's itself, and the rest does not wait.
type publishing struct {
	context.Context
	caller context.Context
	ack    ack
}

// publishingKey finds it.
type publishingKey struct{}

func newPublishing(caller context.Context, a ack) context.Context {
	return &publishing{context.Background(), caller, a}
}

func (p *publishing) Value(key any) any {
	if key == (publishingKey{}) {
		return p
	}
	return nil
}

// ledger is the state of an MQTT session that ends with its connection: which
// packets wait for their acknowledgement. Nothing is stored for a later
// connection, as only those above know what may be sent twice.
type ledger struct {
	mu      sync.Mutex
	conn    io.Writer
	lost    chan struct{} // closed with the connection
	slots   chan struct{} // the broker's Receive Maximum
	pending map[uint16]waiter
	idle    chan struct{} // closed when nothing is pending, nil where nobody waits for that
	last    uint16
	reason  byte // of the broker's DISCONNECT
	sent    packets.ControlPacket
}

type waiter struct {
	to       chan<- packets.ControlPacket
	takesOne bool // of slots
}

var _ session.SessionManager = (*ledger)(nil)

func newLedger() *ledger {
	return &ledger{sent: packets.ControlPacket{
		FixedHeader: packets.FixedHeader{Type: packets.PUBACK},
		Content:     &packets.Puback{Properties: new(packets.Properties)},
	}}
}

// ConAckReceived begins with a new connection.
func (l *ledger) ConAckReceived(conn io.Writer, _ *packets.Connect, ca *packets.Connack) error {
	most := uint16(65535)
	if ca.Properties != nil && ca.Properties.ReceiveMaximum != nil {
		most = *ca.Properties.ReceiveMaximum
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.reason = conn, 0
	l.lost, l.slots = make(chan struct{}), make(chan struct{}, most)
	l.pending = map[uint16]waiter{}
	return nil
}

// ConnectionLost tells everybody who waits.
func (l *ledger) ConnectionLost(d *packets.Disconnect) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d != nil {
		l.reason = d.ReasonCode
	}
	if l.conn == nil {
		return nil
	}
	l.conn = nil
	close(l.lost)
	for _, w := range l.pending {
		w.to <- packets.ControlPacket{} // has room for one
	}
	l.pending = nil
	l.rest()
	return nil
}

// settled waits until the broker has acknowledged everything, the connection is
// lost, or the context ends.
func (l *ledger) settled(ctx context.Context) {
	l.mu.Lock()
	if l.idle == nil {
		l.idle = make(chan struct{})
	}
	idle := l.idle
	l.rest()
	l.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// rest tells who waits when nothing is pending. The lock is held.
func (l *ledger) rest() {
	if l.idle != nil && len(l.pending) == 0 {
		close(l.idle)
		l.idle = nil
	}
}

// disconnected is the reason of the broker's DISCONNECT, 0 when it sent none.
func (l *ledger) disconnected() byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// await waits for one of the slots, unless the caller or the library has enough.
func (p *publishing) await(ctx context.Context, slots chan<- struct{}, lost <-chan struct{}) error {
	var left <-chan struct{}
	if p != nil {
		left = p.caller.Done()
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-lost:
		return session.ErrNoConnection
	case <-left:
		return p.caller.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// AddToSession gives a packet its identifier. A publish whose context has an
// ack is told there what becomes of it; the library's own wait ends at once.
func (l *ledger) AddToSession(ctx context.Context, p session.Packet, resp chan<- packets.ControlPacket) error {
	l.mu.Lock()
	lost, slots := l.lost, l.slots
	down := l.conn == nil
	l.mu.Unlock()
	if down {
		return session.ErrNoConnection
	}
	w := waiter{to: resp, takesOne: p.Type() == packets.PUBLISH}
	pub, async := ctx.Value(publishingKey{}).(*publishing)
	if w.takesOne {
		select {
		case slots <- struct{}{}:
		default:
			if err := pub.await(ctx, slots, lost); err != nil {
				return err
			}
		}
	}
	if async {
		w.to = pub.ack
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.lost != lost {
		return session.ErrNoConnection
	}
	id, ok := l.next()
	if !ok {
		if w.takesOne {
			<-slots
		}
		return session.ErrPacketIdentifiersExhausted
	}
	l.pending[id] = w
	p.SetIdentifier(id)
	if async {
		resp <- l.sent
	}
	return nil
}

// next is a free packet identifier.
func (l *ledger) next() (uint16, bool) {
	for range 65535 {
		if l.last++; l.last == 0 {
			l.last = 1
		}
		if _, taken := l.pending[l.last]; !taken {
			return l.last, true
		}
	}
	return 0, false
}

// PacketReceived passes acknowledgements to who waits, and messages on.
func (l *ledger) PacketReceived(p *packets.ControlPacket, to chan<- *packets.Publish) error {
	switch c := p.Content.(type) {
	case *packets.Publish:
		to <- c
	case *packets.Puback, *packets.Suback, *packets.Unsuback:
		l.settle(p)
	}
	return nil // no other packet belongs to QoS 1
}

func (l *ledger) settle(p *packets.ControlPacket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.pending[p.PacketID()]
	if !ok {
		return
	}
	delete(l.pending, p.PacketID())
	w.to <- *p // has room for one
	if w.takesOne {
		<-l.slots
	}
	l.rest()
}

// Ack acknowledges a message.
func (l *ledger) Ack(p *packets.Publish) error {
	if p.QoS != 1 {
		return nil
	}
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn == nil {
		return nil // it comes again
	}
	if c, ok := conn.(*netConn); ok {
		conn = unhurried{c}
	}
	_, err := (&packets.Puback{PacketID: p.PacketID, Properties: new(packets.Properties)}).WriteTo(conn)
	return err
}

// Close has nothing to release.
func (l *ledger) Close() error { return nil }

// SetErrorLogger has nothing to log.
func (l *ledger) SetErrorLogger(log.Logger) {}

// SetDebugLogger has nothing to log.
func (l *ledger) SetDebugLogger(log.Logger) {}

// errNobody is why a publish reached no one.
var errNobody = errors.New("nobody is subscribed")

// refusals holds what a broker says of a publish that it does not take.
var refusals = map[byte]struct {
	code  binding.Code
	cause error
}{
	packets.PubackNoMatchingSubscribers: {binding.Unavailable, errNobody},
	packets.PubackNotAuthorized:         {binding.PermissionDenied, errors.New("the broker does not allow this topic")},
	packets.PubackTopicNameInvalid:      {binding.InvalidParams, errors.New("the broker does not take this topic")},
	packets.PubackQuotaExceeded:         {binding.ResourceExhausted, errors.New("a quota of the broker is exceeded")},
	packets.PubackPayloadFormatInvalid:  {binding.InvalidParams, errors.New("the broker does not take the payload's format")},
}

// ackError is what a publish ended with.
func ackError(p packets.ControlPacket) error {
	a, ok := p.Content.(*packets.Puback)
	if !ok {
		return errDown
	}
	if a.ReasonCode == packets.PubackSuccess {
		return nil
	}
	if r, ok := refusals[a.ReasonCode]; ok {
		return binding.Errorf(r.code, "mqtt: %w", r.cause)
	}
	return binding.Errorf(binding.Unavailable, "mqtt: the broker refused the packet with reason 0x%02x", a.ReasonCode)
}
