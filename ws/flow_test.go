package ws_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// endless is an agent whose streams go on for ever with events of some size,
// and that counts what it has yielded.
func endless(size int, yielded *atomic.Int64) *agent {
	text := strings.Repeat("x", size)
	return &agent{stream: func(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
		return func(yield func(*pb.StreamResponse, error) bool) {
			for ev := taskEvent("t-1"); ; ev = textEvent("t-1", text) {
				yielded.Add(1)
				if !yield(ev, nil) {
					return
				}
			}
		}
	}}
}

// window is a frame that begins a stream with a window.
func window(id string, n int) string {
	return strings.TrimSuffix(send(id, "SendStreamingMessage", "x"), "}") + fmt.Sprintf(`,"streamWindow":%d}`, n)
}

// A stream sends as many items as its window and the credits for it, and
// another call goes on meanwhile.
func TestWindowOfItems(t *testing.T) {
	var yielded atomic.Int64
	_, url := serve(t, endless(10, &yielded), nil)
	p := connect(t, url, nil, "a2a.v1.flow")
	p.send(window(`1`, 3))
	p.expect(`"task":`, `"artifactUpdate":`, `"artifactUpdate":`)
	p.quiet()
	for _, credit := range []int{1, 2, 5} {
		p.send(signal(`1`, fmt.Sprintf(`"streamCredit":%d`, credit)))
		for range credit {
			p.expect(`"id":1,"result":`)
		}
		p.quiet()
	}
	assert.LessOrEqual(t, yielded.Load(), int64(3+8+1), "one is in hand")
	p.send(signal(`1`, `"cancelStream":true`))
	p.expect(`{"jsonrpc":"2.0","id":1,"streamEnd":true}`)
}

// Without streamWindow the window is 256 items.
func TestWindowByDefault(t *testing.T) {
	var yielded atomic.Int64
	_, url := serve(t, endless(10, &yielded), nil)
	p := connect(t, url, nil, "a2a.v1.flow")
	p.send(send(`1`, "SendStreamingMessage", "x"))
	for range ws.DefaultWindow {
		p.expect(`"id":1,"result":`)
	}
	p.quiet()
}

// The window is of bytes too: 4 MiB of what has not been granted back, but for
// an item behind less than half of that.
func TestWindowOfBytes(t *testing.T) {
	var yielded atomic.Int64
	_, url := serve(t, endless(ws.WindowBytes/3, &yielded), nil)
	p := connect(t, url, nil, "a2a.v1.flow")
	p.send(send(`1`, "SendStreamingMessage", "x"))
	p.expect(`"task":`, `"artifactUpdate":`, `"artifactUpdate":`)
	p.quiet()
	p.send(signal(`1`, `"streamCredit":1`)) // for the task, which is small
	p.quiet()
	p.send(signal(`1`, `"streamCredit":1`))
	p.expect(`"artifactUpdate":`)
	p.quiet()
	assert.LessOrEqual(t, yielded.Load(), int64(5))

	yielded.Store(0)
	_, url = serve(t, endless(ws.WindowBytes+1, &yielded), nil)
	p = connect(t, url, nil, "a2a.v1.flow")
	p.send(send(`1`, "SendStreamingMessage", "x"))
	p.expect(`"task":`, `"artifactUpdate":`)
	p.quiet()
	p.send(signal(`1`, `"streamCredit":1`)) // for the task
	p.quiet()
	for range 3 {
		p.send(signal(`1`, `"streamCredit":1`))
		p.expect(`"artifactUpdate":`)
		p.quiet()
	}
}

// A small item that is taken and not granted back does not hold up one that is
// nearly as large as the window.
func TestLargeItemBehindSmall(t *testing.T) {
	_, url := serve(t, endless(ws.WindowBytes-100, new(atomic.Int64)), nil)
	c, err := ws.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	defer c.Close()
	n := 0
	for _, err := range c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "m", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "x"}}},
	}}) {
		require.NoError(t, err)
		if n++; n == 5 {
			break
		}
	}
	assert.Equal(t, 5, n)
}

// Numbers that are none end no stream; a window that is none begins none.
func TestWindowThatIsNone(t *testing.T) {
	var yielded atomic.Int64
	_, url := serve(t, endless(10, &yielded), nil)
	p := connect(t, url, nil, "a2a.v1.flow")
	p.send(window(`1`, 1))
	p.expect(`"task":`)
	for _, n := range []string{`0`, `-1`, `1.5`, `1e2`, `"1"`, `null`, `true`, `1048577`, `99999999999999999999`, `[1]`} {
		p.send(signal(`1`, `"streamCredit":`+n))
		p.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"streamCredit: `)
		p.send(strings.TrimSuffix(send(`2`, "SendStreamingMessage", "x"), "}") + `,"streamWindow":` + n + `}`)
		p.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"streamWindow: `)
	}
	p.send(signal(`9`, `"streamCredit":1`), signal(`"1"`, `"streamCredit":1`)) // of no stream
	p.quiet()
	p.send(signal(`1`, `"streamCredit":1048576`), signal(`1`, `"streamCredit":1048576`))
	for range 1000 {
		p.expect(`"id":1,"result":`)
	}
}

// A stream that is not taken stops its agent at the window, and its
// neighbours go on.
func TestStalledStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var yielded atomic.Int64
		_, m := inMemory(t, endless(10, &yielded), nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial, Window: 8})
		taken := 0
		for _, err := range c.SendStreamingMessage(t.Context(), nil, message("x")) {
			require.NoError(t, err)
			taken++
			synctest.Wait()
			assert.LessOrEqual(t, yielded.Load(), int64(taken+8+1))
			for range 50 {
				_, err := c.GetTask(t.Context(), nil, get("t-1"))
				require.NoError(t, err)
			}
			if taken == 30 {
				break
			}
		}
		before := yielded.Load()
		pass(ws.DefaultPing)
		assert.Equal(t, before, yielded.Load(), "a stream that was left has ended at the agent")
	})
}

// Without flow control the socket of a stream holds its agent back, and only
// that stream's.
func TestStalledStreamOfTheProposal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var yielded atomic.Int64
		_, m := inMemory(t, endless(10_000, &yielded), &ws.Options{Proposal: true})
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial, Window: 8})
		for _, err := range c.SendStreamingMessage(t.Context(), nil, message("x")) {
			require.NoError(t, err)
			synctest.Wait()
			assert.Less(t, yielded.Load(), int64(300), "what an outbox and two sockets hold, and no more")
			_, err := c.GetTask(t.Context(), nil, get("t-1"))
			require.NoError(t, err)
			break
		}
	})
}
