package mqtt

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// wireBuffer is the size of a connection's buffers.
const wireBuffer = 16 << 10

// netConn is a connection whose packets are read and written in few system
// calls. A writer holds the lock for its packet; when another already waits for
// the lock, that one flushes.
type netConn struct {
	net.Conn
	r       *bufio.Reader
	w       *bufio.Writer
	mu      sync.Mutex
	waiting atomic.Int32
	late    *time.Timer // flushes what is unhurried, nil before there was any
	armed   bool        // late is to come
	closing atomic.Bool
}

var _ sync.Locker = (*netConn)(nil)

// ackTime is how long an acknowledgement may wait for a packet to go with. It
// tells the broker alone that it need not send again: no caller waits for it.
const ackTime = time.Millisecond

// flushTime is how long a broker may hold up a close that does not read, and how
// long one that does not acknowledge.
const flushTime = time.Second

// lingerTime is how long the broker has to end its side of a connection.
const lingerTime = 250 * time.Millisecond

func newNetConn(c net.Conn) *netConn {
	return &netConn{Conn: c, r: bufio.NewReaderSize(c, wireBuffer), w: bufio.NewWriterSize(c, wireBuffer)}
}

// dialBroker connects to a broker.
func dialBroker(ctx context.Context, u *url.URL, config *tls.Config) (net.Conn, error) {
	if u.Scheme == "mqtts" {
		c, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return nil, err
		}
		return newNetConn(c), nil
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return newNetConn(c), nil
}

// Read is for one goroutine. Once Close reads along there is nothing to be read:
// it would be pieces of packets.
func (c *netConn) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.closing.Load() {
		return 0, net.ErrClosed
	}
	return n, err
}

// Write is for who holds the lock.
func (c *netConn) Write(p []byte) (int, error) { return c.w.Write(p) }

// Lock begins a packet.
func (c *netConn) Lock() {
	c.waiting.Add(1)
	c.mu.Lock()
	c.waiting.Add(-1)
}

// unhurried is the connection to who writes what need not go out at once.
type unhurried struct{ *netConn }

// Lock begins a packet. Whoever is before it does not leave the flushing to it.
func (c unhurried) Lock() { c.mu.Lock() }

// Unlock ends a packet, which goes out with the next or a little later.
func (c unhurried) Unlock() {
	if !c.armed && c.w.Buffered() > 0 {
		c.armed = true
		if c.late == nil {
			c.late = time.AfterFunc(ackTime, c.flush)
		} else {
			c.late.Reset(ackTime)
		}
	}
	c.mu.Unlock()
}

func (c *netConn) flush() {
	c.mu.Lock()
	c.armed = false
	c.Unlock()
}

// Close closes the connection, once what is written has gone out or a peer that
// does not read has had its time.
func (c *netConn) Close() error {
	c.closing.Store(true)
	_ = c.Conn.SetWriteDeadline(time.Now().Add(flushTime)) // ends a write that holds the lock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late != nil {
		c.late.Stop()
	}
	_ = c.w.Flush() // it is closed whether it went out or not
	// To close with something unread resets the connection, and what the broker
	// has not read yet is lost: the last packets, that tell agents who has left.
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.Copy(io.Discard, c.Conn)
	}
	return c.Conn.Close()
}

// Unlock ends a packet. A connection that cannot be written to is closed, so
// that its reader learns of it.
func (c *netConn) Unlock() {
	if c.waiting.Load() == 0 && c.w.Flush() != nil {
		_ = c.Conn.Close()
	}
	c.mu.Unlock()
}
