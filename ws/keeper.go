package ws

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// keeper notices peers that are gone and connections that nobody needs. It has
// a timer and no goroutine while nothing is to be done.
type keeper struct {
	sock *websocket.Conn
	cork *corked
	o    *Options
	// idle is how long nothing has been in flight, 0 if something is.
	idle func() time.Duration
	// deaf reports whether this side is not reading, so that no pong could arrive.
	deaf func() bool
	// end closes the connection. It may wait.
	end func(code websocket.StatusCode, reason string)

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
	gone    sync.WaitGroup
}

func (k *keeper) start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(k.next(), k.check)
}

// next is when to look again.
func (k *keeper) next() time.Duration {
	return max(min(k.o.Ping-k.cork.quiet(), k.o.Idle), k.o.Pong/10)
}

func (k *keeper) check() {
	k.mu.Lock()
	if k.stopped {
		k.mu.Unlock()
		return
	}
	k.gone.Add(1)
	k.mu.Unlock()
	defer k.gone.Done()
	if k.idle() >= k.o.Idle {
		k.end(websocket.StatusGoingAway, "idle")
		return
	}
	if heard := k.cork.heard.Load(); k.cork.quiet() >= k.o.Ping && !k.alive(heard) {
		k.end(websocket.StatusGoingAway, "no pong")
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stopped {
		k.timer.Reset(k.next())
	}
}

// alive asks the peer for a sign of life. Whatever it sends after it was last
// heard is one.
func (k *keeper) alive(heard int64) bool {
	ctx, cancel := context.WithTimeout(context.Background(), k.o.Pong)
	defer cancel()
	return k.sock.Ping(ctx) == nil || k.deaf() || k.cork.heard.Load() != heard
}

// stop waits until nothing is being checked. It must not be called by end.
func (k *keeper) stop() {
	k.mu.Lock()
	k.stopped = true
	if k.timer != nil {
		k.timer.Stop()
	}
	k.mu.Unlock()
	k.gone.Wait()
}
