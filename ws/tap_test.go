package ws_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/golden"
)

// tap stands between a client and a server, and writes down what crosses.
type tap struct {
	t        testing.TB
	upstream string
	running  sync.WaitGroup

	mu       sync.Mutex
	changed  *sync.Cond
	from, to []string // the client's frames, and the server's
}

// tapped is a tap in front of a server, and its URL.
func tapped(t testing.TB, upstream string) (*tap, string) {
	p := &tap{t: t, upstream: upstream}
	p.changed = sync.NewCond(&p.mu)
	return p, mount(t, p, p.running.Wait)
}

// ServeHTTP forwards a connection until one end closes it.
func (p *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.running.Add(1)
	defer p.running.Done()
	header := http.Header{}
	for k, v := range r.Header {
		if k == "Authorization" || strings.HasPrefix(k, "A2a-") {
			header[k] = v
		}
	}
	far, _, err := websocket.Dial(r.Context(), p.upstream, &websocket.DialOptions{HTTPHeader: header,
		Subprotocols: strings.Split(r.Header.Get("Sec-Websocket-Protocol"), ",")})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	near, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{far.Subprotocol()}})
	if err != nil {
		_ = far.CloseNow()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.forward(near, far, &p.from) })
	both.Go(func() { p.forward(far, near, &p.to) })
	both.Wait()
}

func (p *tap) forward(from, to *websocket.Conn, frames *[]string) {
	from.SetReadLimit(64 << 20)
	for {
		typ, b, err := from.Read(context.Background())
		if err != nil {
			if status := websocket.CloseStatus(err); status > 0 {
				_ = to.Close(status, "")
			}
			_ = to.CloseNow()
			return
		}
		p.mu.Lock()
		*frames = append(*frames, string(b))
		p.changed.Broadcast()
		p.mu.Unlock()
		if to.Write(context.Background(), typ, b) != nil {
			return
		}
	}
}

// record waits until so many frames have crossed since it was last called, and
// adds them to a golden file.
func (p *tap) record(wire *golden.Wire, name string, from, to int) {
	late := context.AfterFunc(within(p.t), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})
	defer late()
	ctx := within(p.t)
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.from) < from || len(p.to) < to {
		require.NoError(p.t, ctx.Err(), "%s: %s", name, fmt.Sprint(p.from, p.to))
		p.changed.Wait()
	}
	wire.Add(name+" >", strings.Join(p.from, "\n"))
	wire.Add(name+" <", strings.Join(p.to, "\n"))
	p.from, p.to = nil, nil
}
