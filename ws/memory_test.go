package ws_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/httpwire"
	"github.com/a2awire/a2awire/ws"
)

// memory is a listener whose connections are in memory, so that a test has
// their time.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// dial connects to the listener, for ws.Options.NetDial.
func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	here, there := pipe()
	select {
	case m.conns <- there:
		return here, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

// inMemory serves an agent in memory, as ws.Binding does on a socket.
func inMemory(t testing.TB, a binding.Agent, o *ws.Options) (*ws.Handler, *memory) {
	h := ws.NewHandler(a, o)
	return h, mountInMemory(t, h, func() { require.NoError(t, h.Close()) })
}

// mountInMemory serves a handler in memory; end ends its connections.
func mountInMemory(t testing.TB, h http.Handler, end func()) *memory {
	m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := httpwire.NewHTTPServer(h, nil)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(m) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, srv.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return m
}

// connect dials as a foreign client.
func (m *memory) connect(t testing.TB, header http.Header, subprotocol string) *peer {
	transport := &http.Transport{DialContext: m.dial}
	sock, _, err := websocket.Dial(t.Context(), memoryURL, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header, Subprotocols: []string{subprotocol}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = sock.CloseNow() })
	return &peer{t, sock}
}

const memoryURL = "ws://agent.example/a2a"

// pass lets time pass, in a synctest bubble, and what is due happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// pipe is a connection in memory with a buffer each way. Both ends keep deadlines.
func pipe() (net.Conn, net.Conn) {
	a, b := newHalf(), newHalf()
	return &end{in: a, out: b}, &end{in: b, out: a}
}

type end struct{ in, out *half }

func (e *end) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }
func (e *end) Close() error                { e.in.close(); e.out.close(); return nil }
func (e *end) LocalAddr() net.Addr         { return &net.UnixAddr{Name: "memory"} }
func (e *end) RemoteAddr() net.Addr        { return &net.UnixAddr{Name: "memory"} }

func (e *end) SetDeadline(t time.Time) error {
	e.in.reading.set(e.in, t)
	e.out.writing.set(e.out, t)
	return nil
}
func (e *end) SetReadDeadline(t time.Time) error  { e.in.reading.set(e.in, t); return nil }
func (e *end) SetWriteDeadline(t time.Time) error { e.out.writing.set(e.out, t); return nil }

// halfBytes is how much a connection holds each way, as a socket does.
const halfBytes = 64 << 10

// half is one direction.
type half struct {
	mu               sync.Mutex
	changed          *sync.Cond
	buf              bytes.Buffer
	closed           bool
	reading, writing deadline
}

func newHalf() *half {
	h := new(half)
	h.changed = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.reading.passed():
			return 0, os.ErrDeadlineExceeded
		case h.buf.Len() > 0:
			defer h.changed.Broadcast()
			return h.buf.Read(p)
		case h.closed:
			return 0, io.EOF
		}
		h.changed.Wait()
	}
}

func (h *half) write(p []byte) (n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.closed:
			return n, net.ErrClosed
		case h.writing.passed():
			return n, os.ErrDeadlineExceeded
		case len(p) == 0:
			return n, nil
		}
		if room := halfBytes - h.buf.Len(); room > 0 {
			k, _ := h.buf.Write(p[:min(room, len(p))])
			n, p = n+k, p[k:]
			h.changed.Broadcast()
			continue
		}
		h.changed.Wait()
	}
}

func (h *half) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.changed.Broadcast()
	h.reading.stop()
	h.writing.stop()
}

// deadline is one of a half, which guards it.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

func (d *deadline) set(h *half, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.stop()
	d.at = at
	h.changed.Broadcast()
	if !at.IsZero() && !h.closed {
		d.timer = time.AfterFunc(time.Until(at), func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.changed.Broadcast()
		})
	}
}
