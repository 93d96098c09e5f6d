package ws

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
)

// session is a server's end of one connection. One goroutine reads, each call
// has one of its own, and none waits for another.
type session struct {
	h       *Handler
	flow    bool // the peer knows flow control
	offered []string

	name string         // of the identity
	base binding.Params // of every call, unless the call says otherwise
	own  binding.Params // of the identity, whatever the call says
	peer string

	out   outbox
	keep  keeper
	calls inflight.Group

	mu         sync.Mutex
	sock       *websocket.Conn
	ended      *websocket.CloseError // before it began
	served     map[string]*served    // by the id's text
	streams    int
	last       time.Time // something was in flight
	credential binding.Credential
	expires    time.Time
	expiry     *time.Timer
	term       int // counts renewals, so that a late timer knows that it is one
	expired    bool
	over       bool
}

// served is one call in flight.
type served struct {
	call     *inflight.Call
	window   *mux.Window // of a stream
	canceled bool        // by the peer
}

func newSession(h *Handler, r *http.Request, id *Identity, offered []string) *session {
	s := &session{
		h: h, name: id.Name, own: id.Params.Clone(), peer: strings.Clone(r.RemoteAddr), offered: offered,
		base: binding.Params{}, served: map[string]*served{}, last: time.Now(),
		credential: binding.Credential(strings.Clone(r.Header.Get("Authorization"))), expires: id.Expires,
	}
	for name, values := range r.Header {
		if key := strings.ToLower(name); strings.HasPrefix(key, "a2a-") {
			for _, v := range values {
				s.base.Add(key, strings.Clone(v))
			}
		}
	}
	return s
}

// subprotocols are ours in the spelling of the peer, which is case-insensitive.
func (s *session) subprotocols() []string {
	var out []string
	for _, p := range s.h.o.subprotocols() {
		if i := slices.IndexFunc(s.offered, equalFold(p)); i >= 0 {
			out = append(out, s.offered[i])
		}
	}
	return out
}

// closing is why a connection is to be closed.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func (c *closing) Error() string { return c.reason }

// run serves the connection until it ends, and what it started is gone.
func (s *session) run(sock *websocket.Conn, cork *corked) {
	s.flow, s.offered = strings.EqualFold(sock.Subprotocol(), subprotocolFlow), nil
	s.out.sock, s.out.cork, s.out.pool = sock, cork, &s.h.pool
	s.out.fail = func(error) { _ = cork.Close() } // ends the reading
	s.keep.sock, s.keep.cork, s.keep.o = sock, cork, s.h.o
	s.keep.idle, s.keep.end = s.idle, s.end
	s.keep.deaf = func() bool { return false }
	s.mu.Lock()
	s.sock = sock
	ended := s.ended
	s.mu.Unlock()
	if ended != nil {
		_ = sock.Close(ended.Code, ended.Reason)
		return
	}
	s.keep.start()
	s.renew(s.expires)
	err := s.read(sock)
	var c *closing
	switch {
	case errors.As(err, &c):
		s.flush(sock)
		_ = sock.Close(c.code, c.reason)
	case errors.Is(err, websocket.ErrMessageTooBig):
		_ = sock.Close(websocket.StatusMessageTooBig, "message over the limit")
	default:
		_ = sock.CloseNow()
	}
	s.calls.Stop(errGone)
	s.calls.Cancel(errGone)
	s.out.stop(errGone)
	s.keep.stop()
	s.mu.Lock()
	s.over = true
	if s.expiry != nil {
		s.expiry.Stop()
	}
	s.mu.Unlock()
	if !s.calls.WaitGrace() {
		s.h.o.Logger.Error("agent does not heed its context: calls are left behind")
	}
	s.out.gone.Wait()
}

var errGone = binding.Errorf(binding.Unavailable, "the connection is closed")

// flushTime is how long a peer that does not read may hold up a close.
const flushTime = 5 * time.Second

// flush refuses frames from now on, and waits until those there are have been
// written.
func (s *session) flush(sock *websocket.Conn) {
	s.out.mu.Lock()
	s.out.err = errGone
	s.out.mu.Unlock()
	late := time.AfterFunc(flushTime, func() { _ = sock.CloseNow() })
	s.out.gone.Wait()
	late.Stop()
}

// end closes the connection behind what was sent; run then ends.
func (s *session) end(code websocket.StatusCode, reason string) {
	s.mu.Lock()
	sock := s.sock
	if sock == nil {
		s.ended = &websocket.CloseError{Code: code, Reason: reason}
	}
	s.mu.Unlock()
	if sock != nil {
		s.flush(sock)
		_ = sock.Close(code, reason)
	}
}

// shutdown refuses calls, gives those that have been told to end a moment to
// say so, and closes the connection.
func (s *session) shutdown() {
	s.calls.Stop(errStopped)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.calls.Wait(ctx)
	s.end(websocket.StatusGoingAway, "the server is shutting down")
}

var errStopped = binding.Errorf(binding.Unavailable, "the server is shutting down")

func (s *session) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.served) > 0 {
		return 0
	}
	return time.Since(s.last)
}

// read takes frames until the connection ends, and is why.
func (s *session) read(sock *websocket.Conn) error {
	for {
		frame, err := readFrame(sock, &s.h.pool)
		if err != nil {
			return err
		}
		if err := s.frame(frame); err != nil {
			return err
		}
	}
}

// readFrame is the next text message; it belongs to the caller. An error may
// be a closing.
func readFrame(sock *websocket.Conn, pool *buffers) ([]byte, error) {
	typ, r, err := sock.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	if typ != websocket.MessageText {
		return nil, &closing{websocket.StatusUnsupportedData, "a binary message"}
	}
	sc := pool.get()
	defer pool.put(sc)
	for {
		if len(sc.buf) == cap(sc.buf) {
			sc.buf = append(sc.buf, 0)[:len(sc.buf)]
		}
		n, err := r.Read(sc.buf[len(sc.buf):cap(sc.buf)])
		sc.buf = sc.buf[:len(sc.buf)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	frame := append(make([]byte, 0, len(sc.buf)), sc.buf...)
	if !utf8.Valid(frame) {
		return nil, &closing{websocket.StatusInvalidFramePayloadData, "text that is not UTF-8"}
	}
	return frame, nil
}

// frame deals with one frame of the peer. The error closes the connection.
func (s *session) frame(frame []byte) error {
	f, err := readRequest(frame)
	if err != nil {
		s.answer(nil, err)
		if binding.CodeOf(err) == binding.JSONParse {
			return &closing{websocket.StatusProtocolError, "text that is not JSON"}
		}
		return nil
	}
	switch {
	case f.method != nil:
		return s.call(f)
	case string(f.cancelStream) == "true":
		s.cancel(string(f.id))
	case f.streamCredit != nil:
		s.credit(f)
	case f.unfinished():
		r, err := f.call()
		s.answer(r.ID, err)
	}
	return nil
}

// call begins a call. It is registered before the next frame is read, so that
// nothing that follows can miss it.
func (s *session) call(f request) error {
	r, err := f.call()
	if err != nil {
		s.answer(r.ID, err)
		return nil
	}
	id := string(r.ID)
	s.mu.Lock()
	_, twice := s.served[id]
	s.mu.Unlock()
	if twice {
		return &closing{statusProtocol, "an id that is in flight already"}
	}
	if r.Method == methodAuthenticate {
		s.authenticate(r)
		return nil
	}
	op := binding.Lookup(r.Method)
	call, err := s.describe(f)
	if err != nil {
		s.answer(r.ID, err)
		return nil
	}
	var window *mux.Window
	if op != nil && op.Streaming {
		if window, err = s.window(f); err != nil {
			s.answer(r.ID, err)
			return nil
		}
	}
	sv, err := s.begin(id, window)
	if err != nil {
		s.answer(r.ID, err)
		return nil
	}
	if window != nil {
		go s.stream(sv, op, call, r)
	} else {
		go s.invoke(sv, op, call, r)
	}
	return nil
}

// describe is the call beside a frame.
func (s *session) describe(f request) (*binding.Call, error) {
	p := make(binding.Params, 2)
	if f.serviceParams != nil && string(f.serviceParams) != "null" {
		if err := readParams(f.serviceParams, p); err != nil {
			return nil, err
		}
	}
	for k, v := range s.base {
		if _, ok := p[k]; !ok {
			p[k] = v
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.own {
		p.Set(k, v)
	}
	if s.expired {
		return nil, binding.Errorf(binding.Unauthenticated, "the authentication has expired")
	}
	return &binding.Call{Params: p, Credential: s.credential, Peer: s.peer}, nil
}

// window is how far a stream may be ahead: without limit for a peer that does
// not grant, whose socket is all there is to hold it back.
func (s *session) window(f request) (*mux.Window, error) {
	if !s.flow {
		return mux.NewWindow(mux.MaxGrant, mux.MaxGrant), nil
	}
	n := DefaultWindow
	if f.streamWindow != nil {
		var err error
		if n, err = readCount("streamWindow", f.streamWindow); err != nil {
			return nil, err
		}
	}
	return mux.NewWindow(n, WindowBytes), nil
}

func (s *session) begin(id string, window *mux.Window) (*served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case window != nil && s.streams >= s.h.o.MaxStreams:
		return nil, binding.Errorf(binding.ResourceExhausted, "more than %d streams on one connection", s.h.o.MaxStreams)
	case window == nil && len(s.served)-s.streams >= s.h.o.MaxCalls:
		return nil, binding.Errorf(binding.ResourceExhausted, "more than %d calls on one connection", s.h.o.MaxCalls)
	}
	c, err := s.calls.Begin(context.Background())
	if err != nil {
		return nil, err
	}
	sv := &served{call: c, window: window}
	s.served[id] = sv
	if window != nil {
		s.streams++
	}
	return sv, nil
}

// finish frees a call's id, before its last frame is sent.
func (s *session) finish(id string, sv *served) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.served, id)
	if sv.window != nil {
		s.streams--
	}
	s.last = time.Now()
}

func (s *session) cancel(id string) {
	s.mu.Lock()
	sv := s.served[id]
	if sv != nil {
		sv.canceled = true
	}
	s.mu.Unlock()
	if sv != nil {
		sv.call.Cancel(nil)
	}
}

func (s *session) credit(f request) {
	if !s.flow {
		return
	}
	n, err := readCount("streamCredit", f.streamCredit)
	if err != nil {
		s.answer(nil, err)
		return
	}
	s.mu.Lock()
	sv := s.served[string(f.id)]
	s.mu.Unlock()
	if sv != nil && sv.window != nil {
		sv.window.Grant(n)
	}
}

func (s *session) invoke(sv *served, op *binding.Op, call *binding.Call, r rpc.Request) {
	defer s.calls.End(sv.call)
	resp, err := s.h.in.Invoke(sv.call, op, call, r.Payload(op))
	s.finish(string(r.ID), sv)
	if err != nil {
		s.sendError(r.ID, call.Reply, err)
		return
	}
	s.sendResult(context.Background(), r.ID, call.Reply, resp)
}

func (s *session) stream(sv *served, op *binding.Op, call *binding.Call, r rpc.Request) {
	defer s.calls.End(sv.call)
	first := true
	for ev, err := range s.h.in.Stream(sv.call, op, call, r.Payload(op)) {
		var text []byte
		if err == nil {
			text, err = ev.JSON()
		}
		if err == nil && s.flow {
			err = sv.window.Take(sv.call, len(text))
		}
		var reply binding.Params
		if first {
			reply = call.Reply
		}
		if err != nil {
			s.endStream(sv, r.ID, reply, err)
			return
		}
		first = false
		if !s.sendResult(sv.call, r.ID, reply, ev) {
			break
		}
	}
	var reply binding.Params
	if first {
		reply = call.Reply
	}
	s.endStream(sv, r.ID, reply, nil)
}

// endStream sends the last frame of a stream: its error, or that it has ended.
func (s *session) endStream(sv *served, id []byte, reply binding.Params, err error) {
	s.finish(string(id), sv)
	s.mu.Lock()
	canceled := sv.canceled
	s.mu.Unlock()
	if err == nil && sv.call.Err() != nil { // the connection, or the server, has ended it
		err = binding.Flatten(sv.call.Cause())
	}
	if err != nil && !canceled {
		s.sendError(id, reply, err)
		return
	}
	if s.out.begin(context.Background()) == nil {
		start := len(s.out.buf)
		s.out.buf = appendSignal(s.out.buf, id, streamEnd)
		s.commit(start, reply)
	}
}

// answer sends an error that no call makes.
func (s *session) answer(id []byte, err error) { s.sendError(id, nil, err) }

// sendResult sends an answer or event, and reports whether it could.
func (s *session) sendResult(ctx context.Context, id []byte, reply binding.Params, p binding.Payload) bool {
	if s.out.begin(ctx) != nil {
		return false
	}
	start := len(s.out.buf)
	s.out.buf, _ = rpc.AppendResult(s.out.buf, id, p) // it was encoded before
	s.commit(start, reply)
	return true
}

func (s *session) sendError(id []byte, reply binding.Params, err error) {
	if s.out.begin(context.Background()) != nil {
		return
	}
	start := len(s.out.buf)
	s.out.buf = rpc.AppendErrorTo(s.out.buf, id, err)
	s.commit(start, reply)
}

// commit sends the frame that begins at start, with the parameters of the answer.
func (s *session) commit(start int, reply binding.Params) {
	if len(reply) > 0 {
		s.out.buf = append(s.out.buf[:start], appendReply(s.out.buf[start:], reply)...)
	}
	s.out.commit()
}
