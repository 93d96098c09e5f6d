package mqtt

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
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
}

var _ sync.Locker = (*netConn)(nil)

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

// Read is for one goroutine.
func (c *netConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// Write is for who holds the lock.
func (c *netConn) Write(p []byte) (int, error) { return c.w.Write(p) }

// Lock begins a packet.
func (c *netConn) Lock() {
	c.waiting.Add(1)
	c.mu.Lock()
	c.waiting.Add(-1)
}

// Unlock ends a packet. A connection that cannot be written to is closed, so
// that its reader learns of it.
func (c *netConn) Unlock() {
	if c.waiting.Load() == 0 && c.w.Flush() != nil {
		_ = c.Conn.Close()
	}
	c.mu.Unlock()
}
