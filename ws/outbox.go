package ws

import (
	"context"
	"sync"

	"github.com/coder/websocket"
)

// outboxBytes is how much may wait for a socket before senders wait too. A frame
// that is larger goes alone.
const outboxBytes = 64 << 10

// outbox holds frames on their way to one socket, which one goroutine at a
// time writes; there is none while there is nothing to write.
type outbox struct {
	sock *websocket.Conn
	cork *corked
	pool *buffers
	fail func(error) // told once that writing has failed; must not wait

	mu   sync.Mutex
	buf  []byte // frames, one behind the other; the scratch's
	from *scratch
	ends []int // where each ends
	busy bool
	err  error
	room chan struct{} // closed when there may be room again
	owed []byte        // the payload of the latest ping,
	owes bool          // if it is not answered yet
	gone sync.WaitGroup
}

// now locks the outbox, room or not: append a frame to buf, then commit. It is
// for signals, whose number the calls in flight bound. The error is why nothing
// can be sent any more.
func (o *outbox) now() error {
	o.mu.Lock()
	if o.err != nil {
		defer o.mu.Unlock()
		return o.err
	}
	if o.from == nil {
		o.from = o.pool.get()
		o.buf = o.from.buf
	}
	return nil
}

// begin is now behind a wait for room, until the context ends. The error may be
// the context's.
func (o *outbox) begin(ctx context.Context) error {
	for {
		if err := o.now(); err != nil {
			return err
		}
		if len(o.buf) < outboxBytes {
			return nil
		}
		if o.room == nil {
			o.room = make(chan struct{})
		}
		room := o.room
		o.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// commit sends what was appended since begin as a frame.
func (o *outbox) commit() {
	o.ends = append(o.ends, len(o.buf))
	start := !o.busy
	if start {
		o.busy = true
		o.gone.Add(1)
	}
	o.mu.Unlock()
	if start {
		go o.run()
	}
}

// pong reports whether run will answer a ping, which must not wait for the
// socket where frames are being written. The latest ping is answered (RFC 6455,
// 5.5.3).
func (o *outbox) pong(payload []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy {
		o.owed, o.owes = append(o.owed[:0], payload...), true
	}
	return o.busy
}

// pay sends the pong that is owed. It is called by run between two frames, so
// that it falls into none.
func (o *outbox) pay() error {
	const finalPong = 0x8a // of a server, whose frames are not masked
	o.mu.Lock()
	owes := o.owes
	frame := append([]byte{finalPong, byte(len(o.owed))}, o.owed...)
	o.owes = false
	o.mu.Unlock()
	if !owes {
		return nil
	}
	_, err := o.cork.Write(frame)
	return err
}

// run writes frames until there are none.
func (o *outbox) run() {
	defer o.gone.Done()
	gathered := o.pool.get()
	o.hold(gathered)
	var ends []int
	for {
		o.mu.Lock()
		if len(o.ends) == 0 && !o.owes {
			o.mu.Unlock()
			if o.rest(gathered) {
				o.pool.put(gathered)
				return
			}
			continue
		}
		buf, from := o.buf, o.from
		ends, o.ends = o.ends, ends[:0]
		o.buf, o.from = nil, nil
		o.wake()
		o.mu.Unlock()
		if err := o.write(buf, ends); err != nil {
			o.stop(err)
			_, _ = o.cork.release()
			return
		}
		if from != nil {
			from.buf = buf
			o.pool.put(from)
		}
	}
}

// write writes frames, and what is owed before and between them.
func (o *outbox) write(buf []byte, ends []int) error {
	start := 0
	for _, end := range ends {
		if err := o.pay(); err != nil {
			return err
		}
		if err := o.sock.Write(context.Background(), websocket.MessageText, buf[start:end]); err != nil {
			return err
		}
		start = end
	}
	return o.pay()
}

// hold lends the cork a buffer, until it is released.
func (o *outbox) hold(gathered *scratch) {
	o.cork.hold(gathered.buf)
	gathered.buf = nil
}

// rest writes out what the cork holds, and reports whether there is nothing
// more to write.
func (o *outbox) rest(gathered *scratch) bool {
	buf, err := o.cork.release()
	gathered.buf = buf
	if err != nil {
		o.stop(err)
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ends) == 0 && !o.owes {
		o.busy, o.ends = false, nil
		return true
	}
	o.hold(gathered)
	return false
}

// stop refuses frames from now on.
func (o *outbox) stop(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
	}
	o.buf, o.from, o.ends = nil, nil, nil
	o.wake()
	o.mu.Unlock()
	if first && o.fail != nil {
		o.fail(err)
	}
}

func (o *outbox) wake() {
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// scratch is space that connections share, so that an idle one has none.
type scratch struct{ buf []byte }

type buffers struct{ pool sync.Pool }

// A buffer begins at this size, and is kept if it has not grown too far.
const (
	scratchBytes = 64 << 10
	keptBytes    = 256 << 10
)

func (b *buffers) get() *scratch {
	if s, ok := b.pool.Get().(*scratch); ok {
		return s
	}
	return &scratch{buf: make([]byte, 0, scratchBytes)}
}

func (b *buffers) put(s *scratch) {
	if s.buf = s.buf[:0]; cap(s.buf) > 0 && cap(s.buf) <= keptBytes {
		b.pool.Put(s)
	}
}
