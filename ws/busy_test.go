package ws_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
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

// large answers each GetTask with so many bytes, and counts them.
func large(size int, answered *atomic.Int64) *agent {
	text := strings.Repeat("x", size)
	return &agent{get: func(context.Context, *binding.Call, *pb.GetTaskRequest) (*pb.Task, error) {
		answered.Add(1)
		got := task("t")
		got.Artifacts = []*pb.Artifact{{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}}
		return got, nil
	}}
}

// A call is in flight until its answer is on its way: a peer that does not read
// gets no more answered than the limits let be in flight.
func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 4
		var answered atomic.Int64
		_, m := inMemory(t, large(1<<20, &answered), &ws.Options{MaxCalls: limit})
		p := m.connect(t, nil, "a2a.v1")
		for i := range 100 {
			p.send(call(fmt.Sprint(i), "GetTask", `{"id":"t-1"}`))
		}
		synctest.Wait()
		// One more is being written, and one waits for its turn.
		assert.LessOrEqual(t, answered.Load(), int64(limit+2))
		require.NoError(t, p.sock.CloseNow())
	})
}

// held is a connection whose writes wait while it is held.
type held struct {
	net.Conn
	gate atomic.Pointer[chan struct{}]
}

func (h *held) Write(p []byte) (int, error) {
	if gate := h.gate.Load(); gate != nil {
		<-*gate
	}
	return h.Conn.Write(p)
}

// Credits come through behind requests that keep the socket busy.
func TestCreditsBehindABusySocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m := inMemory(t, endless(10, new(atomic.Int64)), nil)
		var up *held
		c := dial(t, memoryURL, &ws.Options{Window: 4, NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			raw, err := m.dial(ctx, network, addr)
			up = &held{Conn: raw}
			return up, err
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		n := 0
		for _, err := range c.SendStreamingMessage(ctx, nil, message("x")) {
			require.NoError(t, err, "after %d items", n)
			if n++; n == 1 {
				gate := make(chan struct{})
				up.gate.Store(&gate)
				time.AfterFunc(8*time.Second, func() { up.gate.Store(nil); close(gate) })
				for range 3 {
					go func() { _, _ = c.SendMessage(ctx, nil, message(strings.Repeat("x", 100_000))) }()
					synctest.Wait()
				}
			}
			if n == 100 {
				break
			}
		}
		assert.Equal(t, 100, n)
	})
}

// Pings are answered while frames are being written, too.
func TestPingsUnderLoad(t *testing.T) {
	_, url := serve(t, endless(20_000, new(atomic.Int64)), nil)
	p := connect(t, url, nil, "a2a.v1")
	p.send(send(`1`, "SendStreamingMessage", "x"))
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if _, _, err := p.sock.Read(context.Background()); err != nil {
				return
			}
		}
	}()
	for range 20 {
		require.NoError(t, p.sock.Ping(within(t)))
	}
	_ = p.sock.CloseNow()
	<-read
}

// A shutdown with time waits for a peer that reads slowly.
func TestShutdownWaitsForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, large(400_000, new(atomic.Int64)), nil)
		p := m.connect(t, nil, "a2a.v1")
		p.sock.SetReadLimit(1 << 20)
		for i := range 5 {
			p.send(call(fmt.Sprint(i), "GetTask", `{"id":"t"}`))
		}
		synctest.Wait()
		down := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { down <- h.Shutdown(ctx) }()
		got := 0
		for {
			pass(2 * time.Second)
			if _, _, err := p.sock.Read(context.Background()); err != nil {
				assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
				break
			}
			got++
		}
		assert.Equal(t, 5, got)
		require.NoError(t, <-down)
	})
}

// Who authenticates sees a whole request when a client renews, and a panic of
// theirs is the call's error.
func TestRenewalRequest(t *testing.T) {
	renewing := false
	_, url := serve(t, &agent{}, &ws.Options{Authenticate: func(_ context.Context, r *http.Request) (*ws.Identity, error) {
		if r.URL.Query().Get("x") != "1" || r.Host == "" {
			return nil, binding.ErrPermissionDenied
		}
		if renewing {
			panic("theirs")
		}
		return nil, nil
	}})
	p := connect(t, url+"?x=1", nil, "a2a.v1")
	p.send(renewal)
	p.expect(`"id":"a","result":{}`)
	renewing = true
	p.send(renewal)
	p.expect(`"reason":"INTERNAL_ERROR"`)
	p.quiet()
}

// What says two things at once is no clean end.
func TestEndsThatAreNone(t *testing.T) {
	for frame, code := range map[string]binding.Code{
		`"error":{"code":-32001,"message":"gone"},"streamEnd":true`: binding.TaskNotFound,
		`"result":` + working + `,"streamEnd":true`:                 binding.InvalidAgentResponse,
	} {
		url := foreign(t, "a2a.v1", func(p *peer) {
			p.read()
			p.send(`{"jsonrpc":"2.0","id":"1",` + frame + `}`)
		})
		_, err := collect(within(t), dial(t, url, &ws.Options{SharedStreams: true}))
		codes(t, code, err, frame)
	}
}

// An id that is in flight is fatal whatever else is wrong with the frame, and a
// parameter that is there twice is wrong.
func TestFaultsBesideOthers(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	p := connect(t, url, nil, "a2a.v1")
	p.send(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"},"serviceParams":{"a2a-version":"1.0","x-a":"1","x-a":"2"}}`)
	p.expect(`serviceParams.x-a: is there twice`)
	for _, frame := range []string{`"method":"GetTask","params":[1]`, `"params":{}`} {
		p := connect(t, url, nil, "a2a.v1")
		p.send(send(`7`, "SendStreamingMessage", "for ever"))
		p.expect(`"task":`)
		p.send(`{"jsonrpc":"2.0","id":7,` + frame + `}`)
		code, _ := p.closed()
		assert.Equal(t, websocket.StatusCode(4000), code, frame)
	}
}
