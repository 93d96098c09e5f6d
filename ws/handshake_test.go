package ws_test

import (
	"context"
	"net/http"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// Whom a handler lets in, and what it tells others.
func TestHandshake(t *testing.T) {
	host := func(name string) http.Header { return http.Header{"Host": {name}} }
	origin := func(name string) http.Header { return http.Header{"Origin": {name}} }
	for name, c := range map[string]struct {
		o            *ws.Options
		header       http.Header
		subprotocols []string
		status       int
	}{
		"both":                       {nil, nil, []string{"a2a.v1.flow", "a2a.v1"}, 101},
		"among others":               {nil, nil, []string{"mqtt", "a2a.v1"}, 101},
		"none":                       {nil, nil, nil, 400},
		"others":                     {nil, nil, []string{"mqtt", "a2a.v2"}, 400},
		"flow where it is off":       {&ws.Options{Proposal: true}, nil, []string{"a2a.v1.flow"}, 400},
		"foreign origin":             {nil, origin("https://evil.example"), []string{"a2a.v1"}, 403},
		"origin of a pattern":        {&ws.Options{Origins: []string{"*.example"}}, origin("https://app.example"), []string{"a2a.v1"}, 101},
		"origin with a scheme":       {&ws.Options{Origins: []string{"https://app.example"}}, origin("https://app.example"), []string{"a2a.v1"}, 101},
		"origin of another scheme":   {&ws.Options{Origins: []string{"https://app.example"}}, origin("http://app.example"), []string{"a2a.v1"}, 403},
		"origin null":                {nil, origin("null"), []string{"a2a.v1"}, 403},
		"foreign host on loopback":   {nil, host("evil.example"), []string{"a2a.v1"}, 403},
		"foreign host with a port":   {nil, host("evil.example:80"), []string{"a2a.v1"}, 403},
		"localhost":                  {nil, host("localhost:80"), []string{"a2a.v1"}, 101},
		"loopback of the other kind": {nil, host("[::1]:80"), []string{"a2a.v1"}, 101},
		"a host that is ours":        {&ws.Options{Hosts: []string{"agent.example"}}, host("Agent.example"), []string{"a2a.v1"}, 101},
	} {
		t.Run(name, func(t *testing.T) {
			h, url := serve(t, &agent{}, c.o)
			p, resp, err := try(t, url, c.header, c.subprotocols...)
			if c.status == http.StatusSwitchingProtocols {
				require.NoError(t, err)
				p.quiet()
				return
			}
			require.Error(t, err)
			require.NotNil(t, resp)
			assert.Equal(t, c.status, resp.StatusCode)
			assert.Zero(t, h.Connections())
		})
	}
}

// The server prefers flow control, and answers in the spelling of its client.
func TestSubprotocolChosen(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	for want, offers := range map[string][]string{
		"a2a.v1.flow": {"a2a.v1", "a2a.v1.flow"},
		"A2A.V1.Flow": {"A2A.V1.Flow"},
		"a2a.v1":      {"mqtt", "a2a.v1"},
	} {
		assert.Equal(t, want, connect(t, url, nil, offers...).sock.Subprotocol())
	}
}

// No extension is agreed on: frames are not compressed.
func TestNoCompression(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	_, resp, err := try(t, url, http.Header{"Sec-Websocket-Extensions": {"permessage-deflate; client_max_window_bits"}}, "a2a.v1")
	require.NoError(t, err)
	assert.Empty(t, resp.Header.Get("Sec-WebSocket-Extensions"))
}

func TestNoUpgrade(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	for name, header := range map[string]http.Header{
		"plain":         {},
		"no connection": {"Upgrade": {"websocket"}},
		"to another":    {"Upgrade": {"h2c"}, "Connection": {"Upgrade"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http"+url[2:], nil)
		require.NoError(t, err)
		req.Header = header
		transport := &http.Transport{}
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		transport.CloseIdleConnections()
		assert.Equal(t, http.StatusUpgradeRequired, resp.StatusCode, name)
		assert.Equal(t, "websocket", resp.Header.Get("Upgrade"), name)
	}
}

func TestEveryOriginIsRefused(t *testing.T) {
	for _, pattern := range []string{"*", "**", "https://*", "http://*", "*:*", "https://*:*", "["} {
		assert.Panics(t, func() { ws.NewHandler(&agent{}, &ws.Options{Origins: []string{"app.example", pattern}}) }, pattern)
	}
}

// Of the handshake's headers, those of A2A are service parameters of every
// call; a call's own come before them, and the identity's before all.
func TestParameters(t *testing.T) {
	seen := make(chan binding.Params, 1)
	a := &agent{get: func(_ context.Context, call *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
		seen <- call.Params.Clone()
		return task(r.GetId()), nil
	}}
	_, url := serve(t, a, &ws.Options{Authenticate: func(context.Context, *http.Request) (*ws.Identity, error) {
		return &ws.Identity{Params: binding.Params{"A2A-User": "alice"}}, nil
	}})
	p := connect(t, url, http.Header{
		"A2a-Version": {"1.0"}, "A2a-Extensions": {"https://x.example/a", "https://x.example/b"}, "A2a-User": {"mallory"},
		"Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "X-Other": {"1"},
	}, "a2a.v1")
	for frame, want := range map[string]binding.Params{
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`: {
			"a2a-version": "1.0", "a2a-extensions": "https://x.example/a, https://x.example/b", "a2a-user": "alice"},
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"},"serviceParams":{"A2A-Extensions":"https://x.example/c","x-own":"Value","a2a-user":"eve"}}`: {
			"a2a-version": "1.0", "a2a-extensions": "https://x.example/c", "a2a-user": "alice", "x-own": "Value"},
	} {
		p.send(frame)
		p.expect(`"id":1,"result":`)
		assert.Equal(t, want, <-seen)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"},"serviceParams":{"a2a-version":""}}`)
	p.expect(`"error":{"code":-32009,`)
}
