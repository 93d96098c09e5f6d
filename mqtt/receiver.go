package mqtt

import (
	"sync"
	"time"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
)

// receiver puts the replies to one request in order. The goroutine that reads
// the connection delivers, the caller's takes, and a watching one looks after
// what is missing.
type receiver struct {
	window int
	unary  bool // one answer is due, and is not numbered
	q      *mux.Queue[*message]

	mu          sync.Mutex
	numbered    bool
	next        uint64 // that is delivered
	tail        uint64 // that the sender has got to, as far as is known
	held        map[uint64]*message
	heldBytes   int
	taken       uint64 // by the caller
	responder   string
	correlation string
	heard       time.Time
	ended       bool
	answer      bool // there is a heartbeat to answer
	firstSeen   bool

	arrived  chan struct{} // closed with the first packet
	answered chan struct{} // closed with the first that has a payload, or is the end
	settled  bool
	poke     chan struct{} // there is something to look after
}

// unnumberedRoom is how many replies of a sender that does not number them, and
// so keeps to no window, are held.
const unnumberedRoom = 256

func newReceiver(window int, unary bool) *receiver {
	return &receiver{
		window: window, unary: unary, q: mux.NewQueue[*message](max(window+1, unnumberedRoom), 2*streamBytes), // the end needs no room in the window
		heard:   time.Now(),
		arrived: make(chan struct{}), answered: make(chan struct{}), poke: make(chan struct{}, 1),
	}
}

// deliver takes a packet. It does not wait.
func (r *receiver) deliver(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := m.get(propResponder)
	if !r.firstSeen {
		r.firstSeen, r.responder = true, from
		defer close(r.arrived)
	}
	if from != r.responder {
		return // two members of a pool: the first one counts
	}
	r.heard, r.correlation = time.Now(), m.correlation
	if at, ok := m.number(propHeartbeat); ok {
		if r.unary {
			return // the request has been taken
		}
		r.numbered, r.answer = true, true
		r.tail = max(r.tail, min(at, r.next+uint64(r.window)))
		r.wake()
		return
	}
	seq, ok := m.number(propSeq)
	switch {
	case !ok && r.numbered, ok && seq < r.next, ok && seq > r.next+uint64(r.window):
		return // stray, old, or out of bounds: what counts comes again
	case !ok:
		if len(m.payload) > 0 {
			r.pass(m)
		}
		return
	}
	r.numbered = true
	if seq > r.next {
		r.hold(seq, m)
		return
	}
	for m != nil {
		r.next++
		r.pass(m)
		m = r.held[r.next]
		if m != nil {
			delete(r.held, r.next)
			r.heldBytes -= weight(len(m.payload))
		}
	}
	r.wake()
}

// hold keeps what came before its turn, in bounds: what is dropped is asked for again.
func (r *receiver) hold(seq uint64, m *message) {
	r.tail = max(r.tail, seq+1)
	if _, ok := r.held[seq]; !ok && r.heldBytes+weight(len(m.payload)) <= 2*streamBytes {
		if r.held == nil {
			r.held = map[uint64]*message{}
		}
		r.held[seq] = m
		r.heldBytes += weight(len(m.payload))
	}
	r.wake()
}

// pass gives a packet that is in order to the caller.
func (r *receiver) pass(m *message) {
	if r.ended {
		return
	}
	if !r.settled {
		r.settled = true
		close(r.answered)
	}
	size := len(m.payload)
	if r.numbered {
		size = weight(size)
	}
	end := m.get(propEnd) != ""
	if (size > 0 || !end) && !r.q.Put(m, size) {
		r.ended = true
		r.q.End(binding.Errorf(binding.Unavailable, "mqtt: the stream is ahead of its window; its task can be subscribed to again"))
		return
	}
	if end {
		r.ended = true
		r.q.End(nil)
	}
}

// fail ends the replies with an error.
func (r *receiver) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.q.End(err)
}

func (r *receiver) wake() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

// state is what the watching goroutine acts on.
type state struct {
	numbered, ended bool
	next, taken     uint64
	gap             bool // an item before one that is known of is missing
	heard           time.Time
}

// look is the state as it is now.
func (r *receiver) look() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return state{r.numbered, r.ended, r.next, r.taken, r.tail > r.next && !r.ended, r.heard}
}

// due reports, once, whether there is a heartbeat to answer.
func (r *receiver) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.answer
	r.answer = false
	return was
}

// from is the agent that the replies come from, "" before the first.
func (r *receiver) from() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.responder
}

// current is the correlation of the newest packet, "" before the first.
func (r *receiver) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.correlation
}

// took notes that the caller has taken one more item, and is how many it has.
func (r *receiver) took() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken++
	return r.taken
}

// revive forgets the silence of a connection that was down.
func (r *receiver) revive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = time.Now()
}
