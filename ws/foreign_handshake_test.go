package ws_test

import (
	"net"
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// Answers to a handshake that are none.
func TestForeignServerHandshakes(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header http.Header
		dial   binding.Code // of Dial
		call   binding.Code // of a call, where Dial succeeds
	}{
		"401":      {401, http.Header{"Www-Authenticate": {`Bearer realm="a2a"`}}, "", binding.Unauthenticated},
		"403":      {403, nil, "", binding.PermissionDenied},
		"404":      {404, nil, binding.Unavailable, ""},
		"426":      {426, nil, binding.Unavailable, ""},
		"429":      {429, nil, binding.Unavailable, ""},
		"500":      {500, nil, binding.Unavailable, ""},
		"503":      {503, nil, binding.Unavailable, ""},
		"200":      {200, nil, binding.Unavailable, ""},
		"redirect": {302, http.Header{"Location": {"/elsewhere"}}, binding.Unavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := mount(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.NotEqual(t, "/elsewhere", r.URL.Path, "redirects are not followed")
				for k, v := range c.header {
					w.Header()[k] = v
				}
				w.WriteHeader(c.status)
			}), func() {})
			client, err := ws.Dial(within(t), url, nil)
			codes(t, c.dial, err)
			if c.dial != "" {
				return
			}
			defer func() { require.NoError(t, client.Close()) }()
			_, err = client.GetTask(within(t), nil, get("t-1"))
			codes(t, c.call, err)
			assert.True(t, binding.Flatten(err).Remote)
			if challenge := c.header.Get("WWW-Authenticate"); challenge != "" {
				assert.Equal(t, challenge, binding.Flatten(err).Info().GetMetadata()["wwwAuthenticate"])
			}
		})
	}
}

// Nobody listens, or who does speaks no HTTP.
func TestForeignServerIsNone(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c, err := l.Accept()
		if assert.NoError(t, err) {
			_, _ = c.Write([]byte("SSH-2.0-x\r\n"))
			_ = c.Close()
		}
	}()
	_, err = ws.Dial(within(t), "ws://"+l.Addr().String(), nil)
	codes(t, binding.Unavailable, err)
	<-gone
	require.NoError(t, l.Close())
	_, err = ws.Dial(within(t), "ws://"+l.Addr().String(), nil)
	codes(t, binding.Unavailable, err)
	assert.ErrorContains(t, err, "ws: dial: ")
	for _, url := range []string{"http://x.example", "ws:", "nope", "ws://user:secret@x.example", "%"} {
		_, err = ws.Dial(within(t), url, nil)
		codes(t, binding.InvalidParams, err, url)
		assert.NotContains(t, err.Error(), "secret")
	}
}

// The subprotocol that a server chooses decides what is spoken.
func TestForeignServerSubprotocols(t *testing.T) {
	url := foreign(t, "", func(*peer) {})
	_, err := ws.Dial(within(t), url, nil)
	codes(t, binding.InvalidAgentResponse, err)
	url = mount(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Sec-WebSocket-Protocol", "mqtt") // as if it had been offered
		sock, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mqtt"}})
		if assert.NoError(t, err) {
			_ = sock.CloseNow()
		}
	}), func() {})
	_, err = ws.Dial(within(t), url, nil)
	require.Error(t, err)
	offered := make(chan string, 2)
	url = mount(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offered <- r.Header.Get("Sec-WebSocket-Protocol")
		w.WriteHeader(http.StatusServiceUnavailable)
	}), func() {})
	_, err = ws.Dial(within(t), url, nil)
	require.Error(t, err)
	_, err = ws.Dial(within(t), url, &ws.Options{Proposal: true})
	require.Error(t, err)
	assert.Equal(t, "a2a.v1.flow,a2a.v1", <-offered)
	assert.Equal(t, "a2a.v1", <-offered)
}
