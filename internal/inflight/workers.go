package inflight

import "time"

// keep is how long a worker waits for its next function.
const keep = time.Second

// Workers run functions in goroutines that are used again, since a new one has a
// stack that has to grow first: on small calls that is a tenth of all. Who gives
// them something to run keeps track of its end; see [Group]. NewWorkers makes
// them. Go may be called by many at the same time.
type Workers struct {
	next chan func()
	over chan struct{}
}

// NewWorkers is workers, of which there are none yet.
func NewWorkers() *Workers {
	return &Workers{next: make(chan func()), over: make(chan struct{})}
}

// Go runs f in a goroutine: a worker's who waits, or a new one's. It does not wait.
func (w *Workers) Go(f func()) {
	select {
	case w.next <- f:
	default:
		go w.work(f)
	}
}

func (w *Workers) work(f func()) {
	t := time.NewTimer(keep)
	defer t.Stop()
	for {
		f()
		t.Reset(keep)
		select {
		case f = <-w.next:
		case <-t.C:
			return
		case <-w.over:
			return
		}
	}
}

// Close ends the workers that wait at once, and the others when they have run
// what they run. What is given to Go from then on still runs.
func (w *Workers) Close() { close(w.over) }
