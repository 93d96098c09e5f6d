package ws_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// Shutdown lets what is in flight come to its end, refuses what is new, and
// then says goodbye.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 2)
		h, m := inMemory(t, endings(ended), nil)
		p := m.connect(t, nil, "a2a.v1.flow")
		p.send(send(`1`, "SendStreamingMessage", "x"))
		p.expect(`"task":`)
		down := make(chan error, 1)
		go func() { down <- h.Shutdown(t.Context()) }()
		pass(time.Second)
		assert.Empty(t, down)
		p.send(call(`2`, "GetTask", `{"id":"t-1"}`))
		p.expect(`"id":2,"error":{"code":-32603,"message":"the server is shutting down"`)
		_, err := ws.Dial(t.Context(), memoryURL, &ws.Options{NetDial: m.dial})
		codes(t, binding.Unavailable, err)
		p.send(signal(`1`, `"cancelStream":true`))
		p.expect(`{"jsonrpc":"2.0","id":1,"streamEnd":true}`)
		code, reason := p.closed()
		assert.Equal(t, websocket.StatusGoingAway, code)
		assert.Equal(t, "the server is shutting down", reason)
		assert.NoError(t, <-down)
		assert.Zero(t, h.Connections())
	})
}

// The context of Shutdown ends the waiting; calls that heed theirs still say so.
func TestShutdownThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 2)
		h, m := inMemory(t, endings(ended), nil)
		p := m.connect(t, nil, "a2a.v1")
		p.send(send(`1`, "SendStreamingMessage", "x"), call(`2`, "GetTask", `{"id":"wait"}`))
		p.expect(`"task":`)
		synctest.Wait() // until the call has begun too
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		down := make(chan error, 1)
		began := time.Now()
		go func() { down <- h.Shutdown(ctx) }()
		goodbye(p)
		require.ErrorIs(t, <-down, context.DeadlineExceeded)
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

// goodbye reads what a stream 1 and a call 2 are told when their server ends
// them, in either order, and that it goes away.
func goodbye(p *peer) {
	p.t.Helper()
	both := []string{p.read(), p.read()}
	for i, id := range []string{`"id":1,`, `"id":2,`} {
		assert.Contains(p.t, both[0]+both[1], id+`"error":{"code":-32603,"message":"the server is shutting down"`, i)
	}
	code, _ := p.closed()
	assert.Equal(p.t, websocket.StatusGoingAway, code)
}

// Close does not wait for the calls in flight to come to their end, but lets
// those that heed their context say so.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 2)
		h, m := inMemory(t, endings(ended), nil)
		p := m.connect(t, nil, "a2a.v1.flow")
		p.send(send(`1`, "SendStreamingMessage", "x"), call(`2`, "GetTask", `{"id":"wait"}`))
		p.expect(`"task":`)
		synctest.Wait() // until the call has begun too
		closed := make(chan error, 1)
		go func() { closed <- h.Close() }()
		goodbye(p)
		require.NoError(t, <-closed)
		assert.Zero(t, h.Connections())
		assert.Len(t, ended, 2)
		require.NoError(t, h.Close(), "a second time does nothing")
	})
}

// Peers that do not read hold a Close up for seconds, not for ever.
func TestCloseWithAMutePeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, &agent{}, nil)
		for range 10 {
			m.connect(t, nil, "a2a.v1.flow")
		}
		synctest.Wait()
		assert.Equal(t, 10, h.Connections())
		began := time.Now()
		require.NoError(t, h.Close())
		assert.LessOrEqual(t, time.Since(began), 10*time.Second)
	})
}

// Closing a client ends its calls at once, on both sides.
func TestCloseOfAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 2)
		h, m := inMemory(t, endings(ended), nil)
		c, err := ws.Dial(t.Context(), memoryURL, &ws.Options{NetDial: m.dial})
		require.NoError(t, err)
		failed := make(chan error, 2)
		go func() { _, err := c.GetTask(t.Context(), nil, get("wait")); failed <- err }()
		go func() { _, err := collect(t.Context(), c); failed <- err }()
		synctest.Wait()
		require.NoError(t, c.Close())
		for range 2 {
			err := <-failed
			codes(t, binding.Unavailable, err)
			assert.ErrorContains(t, err, "the client is closed")
			<-ended
		}
		synctest.Wait()
		assert.Zero(t, h.Connections())
		_, err = c.GetTask(t.Context(), nil, get("t-1"))
		codes(t, binding.Unavailable, err)
		require.NoError(t, c.Close())
	})
}

// The end of a client's connection ends its streams, not its tasks: the agent
// is told that nobody listens any more, and no more than that (spec 3.5.2).
// The client dials again when it next calls.
func TestLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		_, m := inMemory(t, endings(ended), nil)
		conns := make(chan net.Conn, 10)
		c := dial(t, memoryURL, &ws.Options{NetDial: func(ctx context.Context, network, address string) (net.Conn, error) {
			raw, err := m.dial(ctx, network, address)
			conns <- raw
			return raw, err
		}})
		for range 3 {
			var last error
			for _, err := range c.SendStreamingMessage(t.Context(), nil, message("x")) {
				if last = err; err == nil {
					require.NoError(t, (<-conns).Close())
				}
			}
			codes(t, binding.Unavailable, last)
			assert.False(t, binding.Flatten(last).Remote)
			assert.Equal(t, "stream", <-ended)
			_, err := c.GetTask(t.Context(), nil, get("t-1"))
			require.NoError(t, err)
		}
		assert.Len(t, conns, 1)
	})
}

// A server that says goodbye is dialed again.
func TestGoodbyeIsNoFailure(t *testing.T) {
	h, m := ws.NewHandler(&agent{}, nil), &turns{}
	m.next(h)
	url := mount(t, m, func() {})
	c := dial(t, url, nil)
	_, err := c.GetTask(within(t), nil, get("t-1"))
	require.NoError(t, err)
	next := ws.NewHandler(&agent{}, nil)
	m.next(next)
	require.NoError(t, h.Shutdown(within(t)))
	require.Eventually(t, func() bool { _, err := c.GetTask(within(t), nil, get("t-1")); return err == nil }, patience, tick)
	assert.Equal(t, 1, next.Connections())
	require.NoError(t, next.Close())
}
