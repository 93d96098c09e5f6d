package ws_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// serve serves an agent on a real socket, and is its ws URL.
func serve(t testing.TB, a binding.Agent, o *ws.Options) (*ws.Handler, string) {
	t.Helper()
	h := ws.NewHandler(a, o)
	return h, mount(t, h, func() { require.NoError(t, h.Close()) })
}

// mount serves a handler on a real socket; end ends its connections.
func mount(t testing.TB, h http.Handler, end func()) string {
	s := httptest.NewServer(h)
	t.Cleanup(func() { end(); s.Close() })
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

func dial(t testing.TB, url string, o *ws.Options) binding.Client {
	t.Helper()
	c, err := ws.Dial(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// within bounds what a test waits for.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// peer is an end of a connection that knows nothing of this package: it
// writes and reads frames by hand.
type peer struct {
	t    testing.TB
	sock *websocket.Conn
}

// connect dials as a foreign client.
func connect(t testing.TB, url string, header http.Header, subprotocols ...string) *peer {
	t.Helper()
	p, _, err := try(t, url, header, subprotocols...)
	require.NoError(t, err)
	return p
}

// try is connect that may fail, with the answer to the handshake.
func try(t testing.TB, url string, header http.Header, subprotocols ...string) (*peer, *http.Response, error) {
	transport := &http.Transport{}
	sock, resp, err := websocket.Dial(within(t), url, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header, Host: header.Get("Host"), Subprotocols: subprotocols})
	if err != nil {
		transport.CloseIdleConnections()
		return nil, resp, err
	}
	t.Cleanup(func() { _ = sock.CloseNow() })
	sock.SetReadLimit(64 << 20)
	return &peer{t, sock}, resp, nil
}

// send sends frames.
func (p *peer) send(frames ...string) {
	p.t.Helper()
	for _, f := range frames {
		require.NoError(p.t, p.sock.Write(within(p.t), websocket.MessageText, []byte(f)))
	}
}

// read is the next frame.
func (p *peer) read() string {
	p.t.Helper()
	typ, b, err := p.sock.Read(within(p.t))
	require.NoError(p.t, err)
	require.Equal(p.t, websocket.MessageText, typ)
	return string(b)
}

// expect reads frames, each of which must contain a text, in order.
func (p *peer) expect(parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		require.Contains(p.t, p.read(), part)
	}
}

// quiet asserts that the peer has sent nothing that it has not been asked for:
// the next frame is the answer to one more call.
func (p *peer) quiet() {
	p.t.Helper()
	p.send(call(`"quiet"`, "GetTask", `{"id":"still-here"}`))
	p.expect(`{"jsonrpc":"2.0","id":"quiet","result":{"id":"still-here",`)
}

// closed reads until the connection is closed, and is with which code and reason.
func (p *peer) closed() (websocket.StatusCode, string) {
	p.t.Helper()
	for {
		if _, _, err := p.sock.Read(within(p.t)); err != nil {
			var ce websocket.CloseError
			require.ErrorAs(p.t, err, &ce)
			return ce.Code, ce.Reason
		}
	}
}

// call is a frame that calls a method.
func call(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `,"serviceParams":{"a2a-version":"1.0"}}`
}

// send is the frame of a call with a message.
func send(id, method, text string) string {
	return call(id, method, `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"`+text+`"}]}}`)
}

// foreign is a server that knows nothing of this package: each connection is
// accepted with the subprotocol, none for "", and handed to talk.
func foreign(t testing.TB, subprotocol string, talk func(*peer)) string {
	ended := make(chan struct{})
	var running sync.WaitGroup
	return mount(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Done()
		o := &websocket.AcceptOptions{Subprotocols: []string{subprotocol}}
		sock, err := websocket.Accept(w, r, o)
		if !assert.NoError(t, err) {
			return
		}
		sock.SetReadLimit(64 << 20)
		talk(&peer{t, sock})
		// The client is to notice what was sent, not that the connection is gone.
		ctx, cancel := context.WithCancel(context.Background())
		running.Go(func() {
			select {
			case <-ended:
				cancel()
			case <-ctx.Done():
			}
		})
		for err == nil {
			_, _, err = sock.Read(ctx)
		}
		cancel()
		_ = sock.CloseNow()
	}), func() { close(ended); running.Wait() })
}

// codes asserts the code of an error.
func codes(t testing.TB, want binding.Code, err error, text ...any) {
	t.Helper()
	assert.Equal(t, want, binding.CodeOf(err), "%v %v", err, text)
}
