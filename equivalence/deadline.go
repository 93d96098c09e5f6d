package equivalence

import (
	"context"
	"sync"
	"time"
)

// farDeadline is a context with a deadline, which passes when it is told to:
// scenarios about deadlines wait for no clock. Its Deadline is an hour away.
type farDeadline struct {
	context.Context
	at   time.Time
	done chan struct{}
	once sync.Once
}

func newDeadline(parent context.Context) *farDeadline {
	return &farDeadline{Context: parent, at: time.Now().Add(time.Hour), done: make(chan struct{})}
}

// expire makes the deadline pass.
func (d *farDeadline) expire() { d.once.Do(func() { close(d.done) }) }

// Deadline is when it would pass by itself.
func (d *farDeadline) Deadline() (time.Time, bool) { return d.at, true }

// Done is closed by expire.
func (d *farDeadline) Done() <-chan struct{} { return d.done }

// Err is DeadlineExceeded once expire was called.
func (d *farDeadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// Value is none: the parent's belong to the parent.
func (d *farDeadline) Value(any) any { return nil }
