package mqtt

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packetOf writes one packet as the library does.
func packetOf(c interface {
	sync.Locker
	io.Writer
}, text string) {
	c.Lock()
	_, _ = io.WriteString(c, text)
	c.Unlock()
}

// counted counts the writes of a connection.
type counted struct {
	net.Conn
	mu  sync.Mutex
	all []string
}

func (c *counted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, string(p))
	return len(p), nil
}

func (c *counted) written() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// What is unhurried goes out with the next packet, in one write, or alone when
// none comes.
func TestUnhurried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		w := &counted{Conn: near}
		c := newNetConn(w)
		later := unhurried{c}
		packetOf(later, "ack ")
		synctest.Wait()
		assert.Empty(t, w.written())
		packetOf(c, "answer")
		assert.Equal(t, []string{"ack answer"}, w.written())
		time.Sleep(2 * ackTime)
		assert.Len(t, w.written(), 1, "nothing is left to be flushed")
		for range 2 { // the timer works again
			packetOf(later, "a")
			packetOf(later, "b")
			time.Sleep(ackTime)
			synctest.Wait()
		}
		assert.Equal(t, []string{"ack answer", "ab", "ab"}, w.written())
		packetOf(later, "last")
		require.NoError(t, c.Close())
		assert.Equal(t, []string{"ack answer", "ab", "ab", "last"}, w.written(), "a close flushes")
	})
}

// A broker that has sent what nobody reads any more gets the last packets all
// the same, and a reader nothing that is cut.
func TestCloseDoesNotReset(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	unread := bytes.Repeat([]byte("x"), 128<<10)
	got := make(chan []byte, 1)
	go func() {
		defer close(got)
		broker, err := l.Accept()
		if !assert.NoError(t, err) {
			return
		}
		defer broker.Close()
		_, _ = broker.Write(unread)
		all, err := io.ReadAll(broker)
		assert.NoError(t, err, "the connection was reset")
		got <- all
	}()
	raw, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	c := newNetConn(raw)
	_, err = io.ReadFull(c, make([]byte, 1)) // the rest is not read
	require.NoError(t, err)
	packetOf(unhurried{c}, "bye")
	require.NoError(t, c.Close())
	assert.Equal(t, "bye", string(<-got))
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
}

// stuck is a connection whose writes wait for a deadline.
type stuck struct {
	net.Conn
	writing, until chan struct{}
}

func (c *stuck) Write([]byte) (int, error) {
	close(c.writing)
	<-c.until
	return 0, os.ErrDeadlineExceeded
}

func (c *stuck) SetWriteDeadline(at time.Time) error {
	if at.Before(time.Now().Add(flushTime + time.Second)) {
		close(c.until)
	}
	return nil
}

// A peer that does not read holds a close up for a moment alone.
func TestCloseOfAStuckConnection(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	w := &stuck{near, make(chan struct{}), make(chan struct{})}
	c := newNetConn(w)
	written := make(chan struct{})
	go func() { packetOf(c, "nobody reads"); close(written) }()
	<-w.writing
	require.NoError(t, c.Close())
	<-written
}
