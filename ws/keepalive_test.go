package ws_test

import (
	"context"
	"iter"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// noticed is how soon a peer that is gone must be noticed: the ping, the wait
// for its pong, and the wait for an answer to the close.
const noticed = 45 * time.Second

// until is an agent whose streams begin and do not end, and that tells when
// their context has.
func until(ended chan<- time.Time) *agent {
	return &agent{stream: func(ctx context.Context, _ *binding.Call, _ *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			if yield(taskEvent("t-1"), nil) {
				<-ctx.Done()
				ended <- time.Now()
			}
		}
	}}
}

func TestMuteClientIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		h, m := inMemory(t, until(ended), nil)
		p := m.connect(t, nil, "a2a.v1.flow")
		p.send(send(`1`, "SendStreamingMessage", "x"))
		p.expect(`"task":`)
		began := time.Now()
		took := (<-ended).Sub(began)
		assert.GreaterOrEqual(t, took, ws.DefaultPing+ws.DefaultPong)
		assert.LessOrEqual(t, took, noticed)
		synctest.Wait()
		assert.Zero(t, h.Connections())
	})
}

func TestMuteServerIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		m := mountInMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sock, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"a2a.v1"}})
			if assert.NoError(t, err) {
				<-ended
				_ = sock.CloseNow()
			}
		}), func() { close(ended) })
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial})
		began := time.Now()
		_, err := c.GetTask(t.Context(), nil, get("t-1"))
		codes(t, binding.Unavailable, err)
		assert.ErrorContains(t, err, "no pong")
		assert.GreaterOrEqual(t, time.Since(began), ws.DefaultPing+ws.DefaultPong)
		assert.LessOrEqual(t, time.Since(began), noticed)
	})
}

// A peer that answers no ping but sends something is alive.
func TestAnyFrameIsASignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, &agent{}, nil)
		p := m.connect(t, nil, "a2a.v1.flow")
		p.send(send(`1`, "SendStreamingMessage", "for ever"))
		for range 15 {
			pass(20 * time.Second)
			p.send(`{"jsonrpc":"2.0","id":1,"still":"here"}`)
			assert.Equal(t, 1, h.Connections())
		}
		pass(noticed)
		assert.Zero(t, h.Connections())
	})
}

// Peers that answer pings stay as long as something is in flight, and are let
// go after five minutes in which nothing was.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		h, m := inMemory(t, until(ended), nil)
		p := m.connect(t, nil, "a2a.v1.flow")
		closed := make(chan error, 1)
		go func() {
			for {
				if _, _, err := p.sock.Read(t.Context()); err != nil {
					closed <- err
					return
				}
			}
		}()
		p.send(send(`1`, "SendStreamingMessage", "x"))
		pass(time.Hour)
		assert.Equal(t, 1, h.Connections())
		p.send(`{"jsonrpc":"2.0","id":1,"cancelStream":true}`)
		<-ended
		pass(ws.DefaultIdle - time.Second)
		assert.Equal(t, 1, h.Connections())
		pass(ws.DefaultPing + 2*time.Second)
		assert.Zero(t, h.Connections())
		var ce websocket.CloseError
		require.ErrorAs(t, <-closed, &ce)
		assert.Equal(t, websocket.CloseError{Code: websocket.StatusGoingAway, Reason: "idle"}, ce)
	})
}

// A client whose connection was idle dials again when it next calls.
func TestIdleClientDialsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, &agent{}, nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial})
		for range 3 {
			_, err := c.GetTask(t.Context(), nil, get("t-1"))
			require.NoError(t, err)
			assert.Equal(t, 1, h.Connections())
			pass(ws.DefaultIdle + ws.DefaultPing + time.Second)
			assert.Zero(t, h.Connections())
		}
	})
}

// A server that is dialed and never answers the handshake.
func TestHandshakeThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{conns: make(chan net.Conn, 1), done: make(chan struct{})}
		began := time.Now()
		_, err := ws.Dial(t.Context(), memoryURL, &ws.Options{NetDial: m.dial})
		codes(t, binding.Unavailable, err)
		assert.ErrorContains(t, err, "no handshake within 10s")
		assert.Equal(t, 10*time.Second, time.Since(began))
		require.NoError(t, (<-m.conns).Close())
	})
}

// The context of Dial bounds the dialling before that.
func TestDialContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{conns: make(chan net.Conn, 1), done: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := ws.Dial(ctx, memoryURL, &ws.Options{NetDial: m.dial})
		codes(t, binding.DeadlineExceeded, err)
		assert.Equal(t, time.Second, time.Since(began))
		require.NoError(t, (<-m.conns).Close())
	})
}

// A client that begins a handshake and does not go on is cut off.
func TestHandshakeOfAClientThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, &agent{}, nil)
		raw, err := m.dial(t.Context(), "", "")
		require.NoError(t, err)
		_, err = raw.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"))
		require.NoError(t, err)
		began := time.Now()
		for err == nil {
			_, err = raw.Read(make([]byte, 1000))
		}
		assert.Equal(t, 10*time.Second, time.Since(began).Round(time.Second))
		assert.Zero(t, h.Connections())
	})
}
