package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the server: the page's URL, and what stops it and is its error.
func start(t *testing.T) (url string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0", out) }()
	line, err := bufio.NewReader(in).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), func() error { cancel(); return <-ended }
}

// get is an answer and its body, unless it is an upgrade.
func get(t *testing.T, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header = header
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, ""
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

// handshake are the headers that a browser sends for a page of an origin.
func handshake(origin string) http.Header {
	return http.Header{
		"Origin": {origin}, "Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		"Sec-Websocket-Protocol": {"a2a.v1.flow, a2a.v1"},
	}
}

// The page is served, and nothing that is not of it.
func TestPage(t *testing.T) {
	url, stop := start(t)
	for _, c := range []struct {
		path   string
		status int
		kind   string
		text   string
	}{
		{"", 200, "text/html; charset=utf-8", `src="page.js"`},
		{"page.js", 200, "text/javascript; charset=utf-8", `from './agent.js'`},
		{"agent.js", 200, "text/javascript; charset=utf-8", "'a2a.v1.flow', 'a2a.v1'"},
		{"style.css", 200, "text/css; charset=utf-8", "#events"},
		{"main.go", 404, "text/plain; charset=utf-8", "not found"},
		{"ws", 426, "application/json", "WebSocket endpoint"},
	} {
		resp, body := get(t, url+c.path, http.Header{})
		assert.Equal(t, c.status, resp.StatusCode, c.path)
		assert.Equal(t, c.kind, resp.Header.Get("Content-Type"), c.path)
		assert.Contains(t, body, c.text, c.path)
	}
	resp, _ := get(t, url, http.Header{})
	assert.Contains(t, resp.Header.Get("Content-Security-Policy"), "default-src 'self'")
	require.NoError(t, stop())
}

// Pages from elsewhere may not connect.
func TestOrigin(t *testing.T) {
	url, stop := start(t)
	for origin, status := range map[string]int{
		strings.TrimSuffix(url, "/"): http.StatusSwitchingProtocols,
		"http://foreign.example":     http.StatusForbidden,
		"http://127.0.0.1:1":         http.StatusForbidden,
		"null":                       http.StatusForbidden,
	} {
		resp, _ := get(t, url+"ws", handshake(origin))
		assert.Equal(t, status, resp.StatusCode, origin)
	}
	require.NoError(t, stop())
}

// The agent answers, and a stream in flight comes to its end when the server is stopped.
func TestConversation(t *testing.T) {
	url, stop := start(t)
	client, err := ws.Dial(t.Context(), strings.Replace(url, "http", "ws", 1)+"ws", nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	var states []pb.TaskState
	for ev, err := range client.SendStreamingMessage(ctx, nil, &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "m-1", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "long 0.3"}}},
	}}) {
		require.NoError(t, err)
		if s := ev.GetStatusUpdate(); s != nil {
			states = append(states, s.GetStatus().GetState())
			if len(states) == 1 {
				go func() { stopped <- stop() }()
			}
		}
	}
	assert.Equal(t, []pb.TaskState{pb.TaskState_TASK_STATE_WORKING, pb.TaskState_TASK_STATE_COMPLETED}, states)
	require.NoError(t, client.Close())
	require.NoError(t, <-stopped)
}

// An address that cannot be had is an error, and leaves nothing behind.
func TestNoAddress(t *testing.T) {
	assert.Error(t, run(t.Context(), "127.0.0.1:-1", io.Discard))
}
