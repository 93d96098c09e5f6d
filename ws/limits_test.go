package ws_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// What is no text of ours closes the connection, with the code that says why.
func TestMessagesThatClose(t *testing.T) {
	for name, c := range map[string]struct {
		typ   websocket.MessageType
		bytes string
		code  websocket.StatusCode
	}{
		"binary":    {websocket.MessageBinary, call(`2`, "GetTask", `{"id":"t"}`), websocket.StatusUnsupportedData},
		"bad UTF-8": {websocket.MessageText, call(`2`, "GetTask", `{"id":"`+"\xff"+`"}`), websocket.StatusInvalidFramePayloadData},
		"not JSON":  {websocket.MessageText, `{"jsonrpc":`, websocket.StatusProtocolError},
		"empty":     {websocket.MessageText, ``, websocket.StatusProtocolError},
		"oversize":  {websocket.MessageText, call(`2`, "GetTask", `{"id":"`+strings.Repeat("x", 1<<20)+`"}`), websocket.StatusMessageTooBig},
		"twice":     {websocket.MessageText, send(`1`, "SendStreamingMessage", "for ever"), 4000},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan string, 2)
			h, url := serve(t, endings(ended), &ws.Options{Options: binding.Options{MaxMessageBytes: 1000}})
			p := connect(t, url, nil, "a2a.v1.flow")
			p.send(send(`1`, "SendStreamingMessage", "x"), call(`"u"`, "GetTask", `{"id":"wait"}`))
			p.expect(`"id":1,"result":`)
			require.NoError(t, p.sock.Write(within(t), c.typ, []byte(c.bytes)))
			code, reason := p.closed()
			assert.Equal(t, c.code, code)
			assert.NotEmpty(t, reason)
			assert.ElementsMatch(t, []string{"stream", "call"}, []string{<-ended, <-ended}, "what was in flight has ended at the agent too")
			require.NoError(t, h.Close())
			assert.Zero(t, h.Connections())
		})
	}
}

// A client is told why its calls ended, all of them.
func TestOversizeTellsAllCalls(t *testing.T) {
	ended := make(chan string, 2)
	a, begun := endings(ended), make(chan struct{})
	wait := a.get
	a.get = func(ctx context.Context, call *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
		close(begun)
		return wait(ctx, call, r)
	}
	_, url := serve(t, a, &ws.Options{Options: binding.Options{MaxMessageBytes: 1000}})
	c := dial(t, url, nil)
	failed := make(chan error, 2)
	go func() { _, err := c.GetTask(within(t), nil, get("wait")); failed <- err }()
	<-begun
	for _, err := range c.SendStreamingMessage(within(t), nil, message("x")) {
		if err != nil {
			failed <- err
			break
		}
		go func() { _, _ = c.SendMessage(within(t), nil, message(strings.Repeat("x", 1<<20))) }()
	}
	for range 2 {
		err := <-failed
		codes(t, binding.ResourceExhausted, err)
		assert.ErrorContains(t, err, "closed with 1009")
	}
}

// A message over the limit that the frame's allowance lets in is an error of
// its call alone, both ways.
func TestMessageOverTheLimit(t *testing.T) {
	limit := &ws.Options{Options: binding.Options{MaxMessageBytes: 1000}}
	_, url := serve(t, &agent{}, limit)
	p := connect(t, url, nil, "a2a.v1")
	p.send(send(`1`, "SendMessage", strings.Repeat("x", 2000)))
	p.expect(`"id":1,"error":{"code":-32000,`)
	p.quiet()
	_, err := dial(t, url, limit).SendMessage(within(t), nil, message(strings.Repeat("x", 2000)))
	codes(t, binding.ResourceExhausted, err)
	_, url = serve(t, &agent{}, nil)
	small := dial(t, url, limit)
	_, err = small.GetTask(within(t), nil, get(strings.Repeat("x", 950)))
	codes(t, binding.ResourceExhausted, err)
	_, err = small.GetTask(within(t), nil, get("t-1"))
	assert.NoError(t, err)
}

// Events that are larger than the WebSocket library's own limit of 32 KiB
// touch no other call.
func TestLargeEvents(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	c := dial(t, url, nil)
	for _, err := range c.SendStreamingMessage(within(t), nil, message("for ever")) {
		require.NoError(t, err)
		for _, n := range []int{32_768, 40_000, 1 << 20, 7 << 20} {
			text := strings.Repeat("x", n)
			resp, err := c.SendMessage(within(t), nil, message(text))
			require.NoError(t, err)
			assert.Equal(t, text, resp.GetMessage().GetParts()[0].GetText())
		}
		break
	}
}

func TestLimitsOfCalls(t *testing.T) {
	ended := make(chan string, 10)
	_, url := serve(t, endings(ended), &ws.Options{MaxStreams: 2, MaxCalls: 3})
	p := connect(t, url, nil, "a2a.v1")
	for i := range 2 {
		p.send(send(fmt.Sprint(i), "SendStreamingMessage", "x"))
		p.expect(`"result":`)
	}
	p.send(send(`"s"`, "SendStreamingMessage", "x"))
	p.expect(`"id":"s","error":{"code":-32000,"message":"more than 2 streams on one connection"`)
	for i := range 3 {
		p.send(call(fmt.Sprint(10+i), "GetTask", `{"id":"wait"}`))
	}
	p.send(call(`"c"`, "ListTasks", `{}`))
	p.expect(`"id":"c","error":{"code":-32000,"message":"more than 3 calls on one connection"`)
	p.send(signal(`0`, `"cancelStream":true`), signal(`10`, `"cancelStream":true`))
	for range 2 {
		p.read()
	}
	p.send(call(`"c"`, "ListTasks", `{}`))
	p.expect(`"id":"c","result":`)
	p.send(send(`"s"`, "SendStreamingMessage", "x"))
	p.expect(`"id":"s","result":`)
	other := connect(t, url, nil, "a2a.v1")
	other.send(send(`"s"`, "SendStreamingMessage", "x"))
	other.expect(`"id":"s","result":`)
}

func TestMaxConnections(t *testing.T) {
	h, url := serve(t, &agent{}, &ws.Options{MaxConnections: 2})
	p := connect(t, url, nil, "a2a.v1")
	connect(t, url, nil, "a2a.v1")
	_, resp, err := try(t, url, nil, "a2a.v1")
	require.Error(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	_, err = ws.Dial(within(t), url, nil)
	codes(t, binding.Unavailable, err)
	require.NoError(t, p.sock.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return h.Connections() == 1 }, patience, tick)
	connect(t, url, nil, "a2a.v1").quiet()
}

func TestMaxPerIdentity(t *testing.T) {
	h, url := serve(t, &agent{}, &ws.Options{MaxPerIdentity: 1, Authenticate: named})
	alice, bob, nobody := http.Header{"Authorization": {"alice"}}, http.Header{"Authorization": {"bob"}}, http.Header{}
	p := connect(t, url, alice, "a2a.v1")
	_, resp, err := try(t, url, alice, "a2a.v1")
	require.Error(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	connect(t, url, bob, "a2a.v1").quiet()
	connect(t, url, nobody, "a2a.v1").quiet()
	connect(t, url, nobody, "a2a.v1").quiet()
	require.NoError(t, p.sock.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return h.Connections() == 3 }, patience, tick)
	connect(t, url, alice, "a2a.v1").quiet()
}

// named is an authenticator that takes the credential for the name.
func named(_ context.Context, r *http.Request) (*ws.Identity, error) {
	return &ws.Identity{Name: r.Header.Get("Authorization")}, nil
}
