package ws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
)

// link is a client's end of one connection. One goroutine reads; it never
// waits for a caller, but on a link that a single stream has for its own.
type link struct {
	c     *conn
	sock  *websocket.Conn
	flow  bool // the server knows flow control
	waits bool // the link of one stream, whose caller holds the server back
	out   outbox
	keep  keeper
	done  chan struct{} // closed when the connection is lost

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]*waiter
	err     error // why no call can be made any more
	last    time.Time
	blocked bool // reading waits for a caller
	renews  bool // the authentication, at this moment
}

// waiter is a call in flight.
type waiter struct {
	id    uint64
	op    *binding.Op
	queue *mux.Queue[arrival]
}

// arrival is a frame for a call.
type arrival struct {
	payload binding.Payload
	err     error
	reply   binding.Params
	end     bool // of a stream, cleanly
}

func newLink(c *conn, sock *websocket.Conn, cork *corked) *link {
	l := &link{c: c, sock: sock, done: make(chan struct{}), waiting: map[uint64]*waiter{}, last: time.Now()}
	l.flow = strings.EqualFold(sock.Subprotocol(), subprotocolFlow)
	l.out.sock, l.out.cork, l.out.pool = sock, cork, &c.pool
	l.out.fail = func(error) {
		c.closing.Add(1)
		go func() {
			defer c.closing.Done()
			_ = sock.CloseNow()
		}()
	}
	l.keep.sock, l.keep.cork, l.keep.o = sock, cork, c.o
	l.keep.idle, l.keep.deaf = l.idle, l.deaf
	l.keep.end = func(code websocket.StatusCode, reason string) {
		l.lose(binding.Errorf(binding.Unavailable, "ws: the connection was lost: %s", reason))
		_ = sock.Close(code, reason)
	}
	return l
}

// run reads until the connection ends, and what it started is gone.
func (l *link) run() {
	l.keep.start()
	err := l.read()
	var c *closing
	switch {
	case errors.As(err, &c):
		l.lose(binding.Errorf(binding.InvalidAgentResponse, "ws: the server sent %s", c.reason))
		_ = l.sock.Close(c.code, c.reason)
	case errors.Is(err, websocket.ErrMessageTooBig):
		l.lose(binding.TooLarge(l.c.o.MaxMessageBytes))
		_ = l.sock.Close(websocket.StatusMessageTooBig, "message over the limit")
	default:
		l.lose(lost(err))
		_ = l.sock.CloseNow()
	}
	l.out.stop(errClosed)
	l.keep.stop()
	l.out.gone.Wait()
}

// closeErrors is what the code that a server closes with means to the calls in
// flight; any other is a lost connection.
var closeErrors = map[websocket.StatusCode]binding.Code{
	websocket.StatusMessageTooBig:   binding.ResourceExhausted,
	websocket.StatusPolicyViolation: binding.ResourceExhausted,
	statusAuth:                      binding.Unauthenticated,
	statusVersion:                   binding.VersionNotSupported,
}

// lost is the error for a connection that has ended.
func lost(err error) *binding.Error {
	var ce websocket.CloseError
	if !errors.As(err, &ce) {
		return binding.Errorf(binding.Unavailable, "ws: the connection was lost: %w", err)
	}
	code, ok := closeErrors[ce.Code]
	if !ok {
		code = binding.Unavailable
	}
	said := fmt.Sprintf("closed with %d", ce.Code)
	if ce.Reason != "" {
		said += ", " + ce.Reason
	}
	return binding.Errorf(code, "ws: the connection was %s", said)
}

// lose ends the calls in flight, and refuses others. The first reason counts.
func (l *link) lose(err error) {
	for _, w := range l.end(err, false) {
		w.queue.End(err)
	}
}

// end refuses calls from now on, and is what was in flight. If it is to end
// only when unused, and is used, nothing happens.
func (l *link) end(err error, unused bool) map[uint64]*waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || unused && len(l.waiting) > 0 {
		return nil
	}
	all := l.waiting
	l.err, l.waiting = err, nil
	close(l.done)
	return all
}

// close ends the link in good order. It does not wait for run.
func (l *link) close(why error) {
	l.lose(why)
	l.out.mu.Lock()
	l.out.err = why
	l.out.mu.Unlock()
	_ = l.sock.Close(websocket.StatusNormalClosure, "")
}

func (l *link) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err != nil
}

// retire closes the link if nobody uses it, and reports whether it did.
func (l *link) retire() bool {
	if l.end(errRetired, true) == nil {
		return false
	}
	l.c.closing.Add(1)
	go func() {
		defer l.c.closing.Done()
		l.close(errRetired)
	}()
	return true
}

var errRetired = binding.Errorf(binding.Unavailable, "ws: the connection made room for another")

func (l *link) idle() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		return 0
	}
	return time.Since(l.last)
}

func (l *link) deaf() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blocked
}

// call sends a request; what comes back is held for at most so many items.
func (l *link) call(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload, items int) (*waiter, error) {
	params, err := p.JSON()
	if err != nil {
		return nil, err
	}
	w, err := l.enlist(op, items)
	if err != nil {
		return nil, err
	}
	if err := l.out.begin(ctx); err != nil {
		l.forget(w)
		return nil, err
	}
	var id [24]byte
	l.out.buf = rpc.AppendCall(l.out.buf, string(appendID(id[:0], w.id)), op.Name, params)
	l.out.buf = appendParams(l.out.buf, call.Outgoing())
	if op.Streaming && l.flow && items != DefaultWindow {
		l.out.buf = fmt.Appendf(l.out.buf, `,"streamWindow":%d`, items)
	}
	l.out.buf = append(l.out.buf, '}')
	l.out.commit()
	return w, nil
}

// forget takes a call out, and reports whether it was in flight.
func (l *link) forget(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.waiting[w.id]
	delete(l.waiting, w.id)
	l.last = time.Now()
	return ok
}

// leave ends a call whose caller wants no more of it. What comes late is
// dropped; the task goes on (spec 3.5.2).
func (l *link) leave(w *waiter) {
	if l.forget(w) {
		l.signal(w, cancelStream)
	}
}

// grant lets the server send more items of a stream.
func (l *link) grant(w *waiter, n int) { l.signal(w, fmt.Sprintf("%s%d", streamCredit, n)) }

// signal sends a frame without method.
func (l *link) signal(w *waiter, member string) {
	if l.out.now() != nil {
		return // the connection has ended, which tells the server
	}
	var id [24]byte
	l.out.buf = appendSignal(l.out.buf, appendID(id[:0], w.id), member)
	l.out.commit()
}

// read takes frames until the connection ends, and is why.
func (l *link) read() error {
	for {
		frame, err := readFrame(l.sock, &l.c.pool)
		if err != nil {
			return err
		}
		f, err := readResponse(frame)
		if err != nil {
			return &closing{websocket.StatusProtocolError, "text that is not a response"}
		}
		l.frame(f)
	}
}

func (l *link) frame(f response) {
	if f.control != nil {
		l.control(rpc.Text(f.control))
		return
	}
	n, ok := f.number()
	if !ok {
		if f.err != nil { // of a frame that the server could not read
			l.c.o.Logger.Error("the server refused a frame", "error", errmap.ReadJSONRPC(f.err))
		}
		return
	}
	l.mu.Lock()
	w := l.waiting[n]
	last := w != nil && (f.err != nil || string(f.streamEnd) == "true" || !w.op.Streaming && f.result != nil)
	if last {
		delete(l.waiting, n)
		l.last = time.Now()
	}
	l.mu.Unlock()
	if w == nil || !last && f.result == nil {
		return // late, or of a kind that is not known
	}
	// An error is one, whatever stands beside it.
	a := arrival{end: f.err == nil && string(f.streamEnd) == "true"}
	if f.serviceParams != nil {
		a.reply = binding.Params{}
		if err := readParams(f.serviceParams, a.reply); err != nil {
			a.err = binding.Errorf(binding.InvalidAgentResponse, "ws: %w", err)
		}
	}
	if a.end && f.result != nil && string(f.result) != "null" {
		a.end, a.err = false, binding.Errorf(binding.InvalidAgentResponse, "ws: an item and the end of its stream in one frame")
	}
	if !a.end && a.err == nil {
		a.payload, a.err = rpc.NewResponse(f.id, f.result, f.err).Answer(w.op)
	}
	l.deliver(w, a, len(f.result), last)
}

// deliver hands a frame to its caller.
func (l *link) deliver(w *waiter, a arrival, size int, last bool) {
	switch {
	case last:
		w.queue.EndWith(a, size)
	case l.waits:
		l.wait(true)
		w.queue.PutWait(l.done, a, size)
		l.wait(false)
	case !w.queue.Put(a, size):
		w.queue.End(binding.Errorf(binding.Unavailable, "ws: the stream's caller is more than %d items or %d bytes behind", l.c.o.Window, WindowBytes))
		l.leave(w)
	}
}

func (l *link) wait(blocked bool) {
	l.mu.Lock()
	l.blocked = blocked
	l.mu.Unlock()
}
