package mux

import (
	"context"
	"sync"
)

// MaxGrant is how many items a window may be granted ahead, whatever a peer says.
const MaxGrant = 1 << 20

// Window bounds how far the sender of a stream may be ahead of its receiver,
// in items that the receiver grants, and in bytes that it has not yet granted
// back. One goroutine takes; any may grant.
type Window struct {
	mu     sync.Mutex
	credit int
	limit  int // bytes
	bytes  int // of the items in sent
	sent   []int
	room   chan struct{}
}

// NewWindow is a window of some items and bytes. Behind less than half of the
// bytes an item of any size may go: the receiver grants when it has taken half,
// and a sender that waited for less would wait for ever.
func NewWindow(items, bytes int) *Window {
	return &Window{credit: min(items, MaxGrant), limit: bytes, room: make(chan struct{}, 1)}
}

// Take waits until an item of some size may be sent, and takes it from the
// window. The error is the context's.
func (w *Window) Take(ctx context.Context, size int) error {
	for {
		w.mu.Lock()
		if w.credit > 0 && fits(w.bytes, size, w.limit) {
			w.credit--
			w.bytes += size
			w.sent = append(w.sent, size)
			w.mu.Unlock()
			return nil
		}
		w.mu.Unlock()
		select {
		case <-w.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fits reports whether an item may join others within a limit of bytes.
func fits(bytes, size, limit int) bool { return 2*bytes < limit || bytes+size <= limit }

// Grant lets n more items go, and counts the n oldest as received.
func (w *Window) Grant(n int) {
	w.mu.Lock()
	w.credit = min(w.credit+n, MaxGrant)
	n = min(n, len(w.sent))
	for _, size := range w.sent[:n] {
		w.bytes -= size
	}
	w.sent = append(w.sent[:0], w.sent[n:]...)
	w.mu.Unlock()
	select {
	case w.room <- struct{}{}:
	default:
	}
}

// Meter tells a receiver how much to grant its sender: half a window at a
// time, so that the sender need not wait. It is not for concurrent use.
type Meter struct {
	// Items and Bytes are the window.
	Items, Bytes int

	items, bytes int
}

// Took notes an item that was taken, and is how many to grant now, 0 for none.
func (m *Meter) Took(size int) int {
	m.items++
	m.bytes += size
	if 2*m.items < m.Items && 2*m.bytes < m.Bytes {
		return 0
	}
	n := m.items
	m.items, m.bytes = 0, 0
	return n
}
