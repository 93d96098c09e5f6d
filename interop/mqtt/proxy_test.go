//go:build interop

package mqtt_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/eclipse/paho.golang/packets"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// proxy stands between clients and a broker, reads their MQTT packets, and
// loses what it is told to. Its methods may be called at the same time.
type proxy struct {
	l    net.Listener
	to   string // the broker's address
	see  func(packet) verdict
	work sync.WaitGroup

	mu      sync.Mutex
	live    map[net.Conn]bool
	closed  bool          // no connection is let in
	flowing chan struct{} // closed while the broker's packets pass
}

// packet is a packet on its way.
type packet struct {
	*packets.ControlPacket
	size       int // in bytes
	fromBroker bool
}

// verdict is what becomes of a packet.
type verdict int

const (
	pass      verdict = iota
	eat               // it is lost
	eatAndCut         // it is lost, and so is the connection
)

// before starts a proxy before a broker, which shows every packet to see: one
// at a time on each way of each connection. It ends with the test.
func before(t testing.TB, b *leg.Mosquitto, see func(packet) verdict) *proxy {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{l: l, to: b.Addr, see: see, live: map[net.Conn]bool{}, flowing: make(chan struct{})}
	close(p.flowing)
	p.work.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.flow()
		p.cut()
		p.work.Wait()
	})
	return p
}

func (p *proxy) url() string { return "mqtt://" + p.l.Addr().String() }

// cut ends all connections, and lets none in from now on.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.live {
		_ = c.Close()
	}
}

// stall holds back what comes from the broker.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flowing = make(chan struct{})
}

// flow lets pass what was held back.
func (p *proxy) flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flowing:
	default:
		close(p.flowing)
	}
}

// gate is closed when the broker's packets pass.
func (p *proxy) gate() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flowing
}

func (p *proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil || !p.enter(client, server) {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
			continue
		}
		for _, way := range []struct {
			from, to   net.Conn
			fromBroker bool
		}{{client, server, false}, {server, client, true}} {
			p.work.Go(func() {
				defer p.leave(client, server)
				p.carry(way.from, way.to, way.fromBroker)
			})
		}
	}
}

func (p *proxy) enter(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	for _, c := range conns {
		p.live[c] = true
	}
	return true
}

func (p *proxy) leave(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(p.live, c)
	}
}

// carry passes packets on one way until the connection ends.
func (p *proxy) carry(from, to net.Conn, fromBroker bool) {
	r := bufio.NewReader(from)
	for {
		raw, err := readRaw(r)
		if err != nil {
			return
		}
		cp, err := packets.ReadPacket(bytes.NewReader(raw))
		if err != nil {
			return
		}
		switch p.see(packet{cp, len(raw), fromBroker}) {
		case eat:
			continue
		case eatAndCut:
			return
		}
		if fromBroker {
			<-p.gate()
		}
		if _, err := to.Write(raw); err != nil {
			return
		}
	}
}

// readRaw reads one packet as it is on the wire.
func readRaw(r *bufio.Reader) ([]byte, error) {
	raw := make([]byte, 1, 512)
	var err error
	if raw[0], err = r.ReadByte(); err != nil {
		return nil, err
	}
	size := 0
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		raw = append(raw, b)
		size |= int(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift == 21 {
			return nil, errors.New("the length of a packet has more than four bytes")
		}
	}
	head := len(raw)
	raw = append(raw, make([]byte, size)...)
	_, err = io.ReadFull(r, raw[head:])
	return raw, err
}

// published is a PUBLISH, nil for every other packet.
func (p packet) published() *packets.Publish {
	pub, _ := p.Content.(*packets.Publish)
	return pub
}

// user is the value of a user property of a PUBLISH, "" when it has none.
func user(p *packets.Publish, key string) string {
	for _, u := range p.Properties.User {
		if u.Key == key {
			return u.Value
		}
	}
	return ""
}
