package embedded

import (
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/mochi-mqtt/server/v2/listeners"
)

// introduction is how long a connection may take to say who it is. The broker
// sets deadlines of its own from then on.
const introduction = 10 * time.Second

// listener is where the broker's clients come in. It bounds those that have
// not introduced themselves too, and waits for every one of them at its end.
type listener struct {
	l   net.Listener
	max int // connections
	log *slog.Logger

	mu    sync.Mutex
	live  map[net.Conn]bool
	ended bool
	all   sync.WaitGroup // the accepting goroutine, and one for each connection
}

var _ listeners.Listener = (*listener)(nil)

func newListener(l net.Listener, clients int) *listener {
	// Twice the clients, so that one who comes back is let in before the
	// connection that it lost is given up.
	return &listener{l: l, max: 2 * clients, live: map[net.Conn]bool{}}
}

// ID names the listener in the broker's log.
func (l *listener) ID() string { return "tcp" }

// Address is what it listens on.
func (l *listener) Address() string { return l.l.Addr().String() }

// Protocol is the network.
func (l *listener) Protocol() string { return "tcp" }

// Init is called before Serve.
func (l *listener) Init(log *slog.Logger) error {
	l.log = log
	return nil
}

// Serve accepts connections until Close.
func (l *listener) Serve(establish listeners.EstablishFn) {
	if !l.begin(nil) {
		return
	}
	defer l.all.Done()
	for {
		c, err := l.l.Accept()
		if err != nil {
			return
		}
		if !l.begin(c) {
			_ = c.Close()
			continue
		}
		go func() {
			defer l.end(c)
			_ = c.SetDeadline(time.Now().Add(introduction))
			if err := establish(l.ID(), c); err != nil {
				l.log.Debug("connection ended", "error", err)
			}
		}()
	}
}

// begin counts a goroutine and its connection, if there is room.
func (l *listener) begin(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || c != nil && len(l.live) >= l.max {
		return false
	}
	if c != nil {
		l.live[c] = true
	}
	l.all.Add(1)
	return true
}

func (l *listener) end(c net.Conn) {
	_ = c.Close()
	l.mu.Lock()
	delete(l.live, c)
	l.mu.Unlock()
	l.all.Done()
}

// Close stops accepting, lets the broker say farewell to its clients, and
// waits until all connections are gone.
func (l *listener) Close(farewell listeners.CloseFn) {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	_ = l.l.Close()
	farewell(l.ID())
	l.mu.Lock()
	for c := range l.live {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.all.Wait()
}
