package ws_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

const (
	workingTask = `{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"}}`
	working     = `{"task":` + workingTask + `}`
	completed   = `{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}`
)

// result and signal are frames of a server.
func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}
func signal(id, member string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + member + `}` }

// collect ranges over a stream: how many events, and how it ended.
func collect(ctx context.Context, c binding.Client) (n int, err error) {
	for _, err := range c.SendStreamingMessage(ctx, nil, message("x")) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// What a client makes of what a server of the proposal sends for a stream.
func TestForeignServerStreams(t *testing.T) {
	for name, c := range map[string]struct {
		frames []string
		events int
		code   binding.Code // "" is a clean end
		text   string
	}{
		"streamEnd":               {[]string{result(`"1"`, working), result(`"1"`, completed), signal(`"1"`, `"streamEnd":true`)}, 2, "", ""},
		"a number for an id":      {[]string{result(`1`, working), signal(`1`, `"streamEnd":true`)}, 1, "", ""},
		"no events":               {[]string{signal(`"1"`, `"streamEnd":true`)}, 0, "", ""},
		"an error":                {[]string{result(`"1"`, working), signal(`"1"`, `"error":{"code":-32001,"message":"gone"}`)}, 1, binding.TaskNotFound, "gone"},
		"streamEnd false":         {[]string{result(`"1"`, working), signal(`"1"`, `"streamEnd":false`), result(`"1"`, completed), signal(`"1"`, `"streamEnd":true`)}, 2, "", ""},
		"frames of others":        {[]string{result(`"99"`, working), signal(`"x"`, `"streamEnd":true`), result(`"1"`, working), signal(`null`, `"error":{"code":-32600,"message":"m"}`), signal(`"1"`, `"streamEnd":true`)}, 1, "", ""},
		"unknown frames":          {[]string{signal(`"1"`, `"pause":true`), `{"jsonrpc":"2.0","control":"Hello","params":{}}`, `{}`, result(`"1"`, working), signal(`"1"`, `"streamEnd":true`)}, 1, "", ""},
		"an event of no kind":     {[]string{result(`"1"`, `{}`)}, 0, binding.InvalidAgentResponse, ""},
		"a state that is unknown": {[]string{result(`"1"`, `{"task":{"id":"t-1","status":{"state":"completed"}}}`)}, 0, binding.InvalidAgentResponse, "task.status.state"},
		"not JSON":                {[]string{result(`"1"`, working), `{"jsonrpc":`}, 1, binding.InvalidAgentResponse, ""},
		"a member twice":          {[]string{`{"jsonrpc":"2.0","id":"1","id":"2","result":` + working + `}`}, 0, binding.InvalidAgentResponse, ""},
		"serviceParams no map":    {[]string{`{"jsonrpc":"2.0","id":"1","result":` + working + `,"serviceParams":7}`}, 0, binding.InvalidAgentResponse, "serviceParams"},
	} {
		t.Run(name, func(t *testing.T) {
			url := foreign(t, "a2a.v1", func(p *peer) {
				p.expect(`{"jsonrpc":"2.0","id":"1","method":"SendStreamingMessage","params":{"message":`)
				p.send(c.frames...)
			})
			client := dial(t, url, &ws.Options{SharedStreams: true})
			n, err := collect(within(t), client)
			assert.Equal(t, c.events, n)
			codes(t, c.code, err)
			if c.text != "" {
				assert.ErrorContains(t, err, c.text)
			}
		})
	}
}

// What a client makes of answers to a call with one answer.
func TestForeignServerAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		code  binding.Code
	}{
		"a task":            {result(`"1"`, workingTask), ""},
		"a number for id":   {result(`1`, workingTask), ""},
		"an error":          {signal(`"1"`, `"error":{"code":-32002,"message":"m"}`), binding.TaskNotCancelable},
		"a foreign code":    {signal(`"1"`, `"error":{"code":-32050,"message":"m"}`), binding.Internal},
		"an error of text":  {signal(`"1"`, `"error":"boom"`), binding.InvalidAgentResponse},
		"the end of stream": {signal(`"1"`, `"streamEnd":true`), binding.InvalidAgentResponse},
		"a task without id": {result(`"1"`, `{"status":{"state":"TASK_STATE_WORKING"}}`), binding.InvalidAgentResponse},
		"null":              {result(`"1"`, `null`), binding.InvalidAgentResponse},
		"a list":            {`[` + result(`"1"`, workingTask) + `]`, binding.InvalidAgentResponse},
	} {
		t.Run(name, func(t *testing.T) {
			url := foreign(t, "a2a.v1.flow", func(p *peer) { p.read(); p.send(c.frame) })
			_, err := dial(t, url, nil).GetTask(within(t), nil, get("t-1"))
			codes(t, c.code, err)
		})
	}
}

// A message that is no text closes the connection, and its calls fail.
func TestForeignServerMessages(t *testing.T) {
	for name, c := range map[string]struct {
		typ    websocket.MessageType
		bytes  string
		code   binding.Code
		status websocket.StatusCode
	}{
		"binary":    {websocket.MessageBinary, result(`"1"`, workingTask), binding.InvalidAgentResponse, websocket.StatusUnsupportedData},
		"bad UTF-8": {websocket.MessageText, result(`"1"`, `{"id":"`+"\xff"+`"}`), binding.InvalidAgentResponse, websocket.StatusInvalidFramePayloadData},
		"not JSON":  {websocket.MessageText, `nope`, binding.InvalidAgentResponse, websocket.StatusProtocolError},
		"oversize":  {websocket.MessageText, strings.Repeat(" ", 1<<20), binding.ResourceExhausted, websocket.StatusMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			status := make(chan websocket.StatusCode, 1)
			url := foreign(t, "a2a.v1.flow", func(p *peer) {
				p.read()
				p.read()
				_ = p.sock.Write(within(t), c.typ, []byte(c.bytes))
				_, _, err := p.sock.Read(within(t))
				status <- websocket.CloseStatus(err)
			})
			client := dial(t, url, &ws.Options{Options: binding.Options{MaxMessageBytes: 1000}})
			failed := make(chan error, 2)
			go func() { _, err := client.GetTask(within(t), nil, get("t-1")); failed <- err }()
			go func() { _, err := collect(within(t), client); failed <- err }()
			codes(t, c.code, <-failed)
			codes(t, c.code, <-failed)
			assert.Equal(t, c.status, <-status)
		})
	}
}

// A server that closes says why, and every call in flight is told.
func TestForeignServerCloses(t *testing.T) {
	for status, code := range map[websocket.StatusCode]binding.Code{
		websocket.StatusNormalClosure:   binding.Unavailable,
		websocket.StatusGoingAway:       binding.Unavailable,
		websocket.StatusProtocolError:   binding.Unavailable,
		websocket.StatusPolicyViolation: binding.ResourceExhausted,
		websocket.StatusMessageTooBig:   binding.ResourceExhausted,
		websocket.StatusInternalError:   binding.Unavailable,
		websocket.StatusTryAgainLater:   binding.Unavailable,
		4000:                            binding.Unavailable,
		4001:                            binding.Unauthenticated,
		4002:                            binding.VersionNotSupported,
		4999:                            binding.Unavailable,
	} {
		t.Run(fmt.Sprint(int(status)), func(t *testing.T) {
			url := foreign(t, "a2a.v1.flow", func(p *peer) {
				p.read()
				p.read()
				_ = p.sock.Close(status, "the reason")
			})
			client := dial(t, url, nil)
			failed := make(chan error, 2)
			go func() { _, err := client.GetTask(within(t), nil, get("t-1")); failed <- err }()
			go func() { _, err := collect(within(t), client); failed <- err }()
			for range 2 {
				err := <-failed
				codes(t, code, err)
				assert.False(t, binding.Flatten(err).Remote, "no agent said so")
				assert.ErrorContains(t, err, fmt.Sprintf("closed with %d, the reason", status))
			}
		})
	}
}

// A server of the proposal is sent no frame that it does not know, however long
// a stream is and however it ends.
func TestForeignServerSeesTheProposalAlone(t *testing.T) {
	for name, c := range map[string]struct {
		shared      bool
		connections int
	}{"shared": {true, 1}, "own": {false, 2}} {
		t.Run(name, func(t *testing.T) {
			const gone = "gone"
			seen := make(chan string, 10)
			url := foreign(t, "a2a.v1", func(p *peer) {
				defer func() { seen <- gone }()
				for {
					_, b, err := p.sock.Read(context.Background())
					if err != nil {
						return
					}
					seen <- string(b)
					if strings.Contains(string(b), `"method":"SendStreamingMessage"`) {
						for range 600 {
							p.send(result(`"1"`, working))
						}
					}
				}
			})
			client := dial(t, url, &ws.Options{SharedStreams: c.shared, Window: 1000})
			n := 0
			for _, err := range client.SendStreamingMessage(within(t), nil, message("x")) {
				require.NoError(t, err)
				if n++; n == 600 {
					break
				}
			}
			require.Equal(t, 600, n)
			frames := []string{<-seen}
			if c.shared {
				frames = append(frames, <-seen)
			}
			require.NoError(t, client.Close())
			for c.connections > 0 {
				if f := <-seen; f == gone {
					c.connections--
				} else {
					frames = append(frames, f)
				}
			}
			want := []string{`{"jsonrpc":"2.0","id":"1","method":"SendStreamingMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"x"}]}},"serviceParams":{"a2a-version":"1.0"}}`,
				`{"jsonrpc":"2.0","id":"1","cancelStream":true}`}
			if !c.shared && len(frames) == 1 {
				want = want[:1] // the end of the connection says as much
			}
			assert.Equal(t, want, frames)
		})
	}
}

// What a server still sends for a call that its client has left is dropped,
// and touches no other call.
func TestForeignServerLateFrames(t *testing.T) {
	left := make(chan struct{})
	url := foreign(t, "a2a.v1.flow", func(p *peer) {
		p.expect(`"id":"1","method":"SendStreamingMessage"`)
		p.send(result(`"1"`, working))
		p.expect(`{"jsonrpc":"2.0","id":"1","cancelStream":true}`)
		p.expect(`"id":"2","method":"GetTask"`)
		close(left)
		p.expect(`{"jsonrpc":"2.0","id":"2","cancelStream":true}`)
		p.expect(`"id":"3","method":"GetTask"`)
		p.send(result(`"1"`, completed), signal(`"1"`, `"streamEnd":true`), signal(`"1"`, `"error":{"code":-32603,"message":"late"}`),
			result(`"2"`, workingTask), result(`"3"`, strings.Replace(workingTask, "t-1", "t-3", 1)))
	})
	client := dial(t, url, nil)
	for _, err := range client.SendStreamingMessage(within(t), nil, message("x")) {
		require.NoError(t, err)
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := client.GetTask(ctx, nil, get("t-2")); failed <- err }()
	<-left
	cancel()
	codes(t, binding.Canceled, <-failed)
	got, err := client.GetTask(within(t), nil, get("t-3"))
	require.NoError(t, err)
	assert.Equal(t, "t-3", got.GetId())
}

// Without flow control, each stream has a connection of its own, whose caller
// holds the server back.
func TestForeignServerStreamsHaveTheirOwn(t *testing.T) {
	connections := make(chan int, 10)
	n := 0
	url := foreign(t, "a2a.v1", func(p *peer) {
		n++
		connections <- n
		for {
			_, b, err := p.sock.Read(context.Background())
			if err != nil {
				return
			}
			if strings.Contains(string(b), `"method":"GetTask"`) {
				p.send(result(`"1"`, workingTask))
				continue
			}
			if strings.Contains(string(b), `"method"`) {
				p.send(result(`"1"`, working), signal(`"1"`, `"streamEnd":true`))
			}
		}
	})
	client := dial(t, url, nil)
	assert.Equal(t, 1, <-connections)
	for i := range 3 {
		n, err := collect(within(t), client)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		assert.Equal(t, i+2, <-connections)
	}
	_, err := client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
	require.NoError(t, err)
	assert.Empty(t, connections, "a call with one answer takes the shared connection")
}

// A shared stream whose caller falls behind ends with an error that names the
// limit, behind what has arrived; the server is told, and others go on.
func TestSharedStreamsOverflow(t *testing.T) {
	told := make(chan struct{})
	url := foreign(t, "a2a.v1", func(p *peer) {
		p.expect(`"id":"1","method":"SendStreamingMessage"`)
		for range 100 {
			p.send(result(`"1"`, working))
		}
		p.expect(`{"jsonrpc":"2.0","id":"1","cancelStream":true}`)
		close(told)
		p.expect(`"id":"2","method":"GetTask"`)
		p.send(result(`"2"`, workingTask))
	})
	client := dial(t, url, &ws.Options{SharedStreams: true, Window: 8})
	n := 0
	var last error
	for _, err := range client.SendStreamingMessage(within(t), nil, message("x")) {
		if last = err; err == nil {
			n++
			<-told
		}
	}
	codes(t, binding.Unavailable, last)
	assert.ErrorContains(t, last, "more than 8 items or 4194304 bytes behind")
	assert.GreaterOrEqual(t, n, 8)
	assert.LessOrEqual(t, n, 9)
	_, err := client.GetTask(within(t), nil, get("t-1"))
	assert.NoError(t, err)
}
