package ws

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// corkBytes is how much is held back before it is written all the same.
const corkBytes = 32 << 10

// corked is the connection below a WebSocket. While it is held, writes gather,
// so that many frames go out in one system call. It notes when the peer was
// last heard.
type corked struct {
	net.Conn
	heard atomic.Int64 // Unix nanoseconds

	mu   sync.Mutex
	held bool
	buf  []byte
}

func newCorked(c net.Conn) *corked {
	k := &corked{Conn: c}
	k.heard.Store(time.Now().UnixNano())
	return k
}

func (c *corked) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// quiet is how long the peer has not been heard.
func (c *corked) quiet() time.Duration {
	return time.Duration(time.Now().UnixNano() - c.heard.Load())
}

func (c *corked) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held {
		return c.Conn.Write(p)
	}
	if len(c.buf)+len(p) > corkBytes {
		if err := c.flush(); err != nil {
			return 0, err
		}
		if len(p) > corkBytes {
			return c.Conn.Write(p)
		}
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// hold begins to gather, in a buffer that release gives back.
func (c *corked) hold(buf []byte) {
	c.mu.Lock()
	c.held, c.buf = true, buf[:0]
	c.mu.Unlock()
}

// release writes what was gathered.
func (c *corked) release() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.flush()
	buf := c.buf
	c.held, c.buf = false, nil
	return buf, err
}

func (c *corked) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}
