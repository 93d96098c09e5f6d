package mux

import (
	"context"
	"sync"
)

// Queue holds what has arrived of one call until its caller takes it. One
// goroutine puts, one takes, any may end it.
type Queue[T any] struct {
	mu           sync.Mutex
	items, bytes int // the bound
	held         []entry[T]
	first        int // of held
	heldBytes    int
	ended        bool
	err          error
	ready        chan struct{} // there is something to take
	room         chan struct{} // something was taken
}

type entry[T any] struct {
	v    T
	size int
}

// NewQueue is a queue of at most so many items and bytes; it takes what a
// [Window] of the same lets go.
func NewQueue[T any](items, bytes int) *Queue[T] {
	return &Queue[T]{items: items, bytes: bytes, ready: make(chan struct{}, 1)}
}

// Put adds an item, and reports whether there was room. What comes after the
// end is dropped.
func (q *Queue[T]) Put(v T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.put(v, size)
}

func (q *Queue[T]) put(v T, size int) bool {
	if q.ended {
		return true
	}
	if len(q.held)-q.first >= q.items || !fits(q.heldBytes, size, q.bytes) {
		return false
	}
	q.held = append(q.held, entry[T]{v, size})
	q.heldBytes += size
	signal(q.ready)
	return true
}

// PutWait is Put that waits for room, until done is closed; then it reports false.
func (q *Queue[T]) PutWait(done <-chan struct{}, v T, size int) bool {
	for {
		q.mu.Lock()
		if q.put(v, size) {
			q.mu.Unlock()
			return true
		}
		if q.room == nil {
			q.room = make(chan struct{}, 1)
		}
		room := q.room
		q.mu.Unlock()
		select {
		case <-room:
		case <-done:
			return false
		}
	}
}

// End ends the queue behind what it holds; nil is a clean end. The first end counts.
func (q *Queue[T]) End(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return
	}
	q.ended, q.err = true, err
	signal(q.ready)
	signal(q.room)
}

// EndWith ends the queue cleanly behind one more item, whatever the bound.
func (q *Queue[T]) EndWith(v T, size int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return
	}
	q.held = append(q.held, entry[T]{v, size})
	q.heldBytes += size
	q.ended = true
	signal(q.ready)
	signal(q.room)
}

// Take waits for the next item and its size. ok is false at the end, with the
// error that it ended with, and when the context ends, with that's.
func (q *Queue[T]) Take(ctx context.Context) (v T, size int, ok bool, err error) {
	for {
		q.mu.Lock()
		if q.first < len(q.held) {
			e := q.held[q.first]
			q.held[q.first] = entry[T]{}
			if q.first++; q.first == len(q.held) {
				q.held, q.first = q.held[:0], 0
			} else if q.first >= 64 && 2*q.first >= len(q.held) {
				n := copy(q.held, q.held[q.first:])
				clear(q.held[n:])
				q.held, q.first = q.held[:n], 0
			}
			q.heldBytes -= e.size
			signal(q.room)
			q.mu.Unlock()
			return e.v, e.size, true, nil
		}
		if q.ended {
			q.mu.Unlock()
			return v, 0, false, q.err
		}
		q.mu.Unlock()
		select {
		case <-q.ready:
		case <-ctx.Done():
			return v, 0, false, ctx.Err()
		}
	}
}

// signal never waits; a nil channel is nobody.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
