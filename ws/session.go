package ws

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
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
	workers    *inflight.Workers
	timers     sync.WaitGroup // of the expiry, at work
	url        url.URL        // of the handshake, for those who authenticate
	host       string
}

// served is one call in flight.
type served struct {
	call     *inflight.Call
	stream   bool
	window   *mux.Window // of a stream, to a peer that grants
	canceled bool        // by the peer
}

func newSession(h *Handler, r *http.Request, id *Identity, offered []string) *session {
	s := &session{
		h: h, name: id.Name, own: id.Params.Clone(), peer: strings.Clone(r.RemoteAddr), offered: offered,
		base: binding.Params{}, served: map[string]*served{}, last: time.Now(), workers: inflight.NewWorkers(),
		url: *r.URL, host: strings.Clone(r.Host),
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
	defer s.workers.Close()
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
	s.timers.Wait()
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

// shutdown refuses calls, waits until the answers of those in flight are on
// their way, until the context ends, and then for a moment more, for those who
// have been told to end to say so. Then it closes the connection.
func (s *session) shutdown(ctx context.Context) {
	s.calls.Stop(errStopped)
	if s.calls.Wait(ctx) != nil {
		moment, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.calls.Wait(moment)
	}
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
		s.sendError(nil, err)
		if binding.CodeOf(err) == binding.JSONParse {
			return &closing{websocket.StatusProtocolError, "text that is not JSON"}
		}
		return nil
	}
	switch {
	case (f.method != nil || f.unfinished()) && s.inFlight(f.id):
		return &closing{statusProtocol, "an id that is in flight already"}
	case f.method != nil:
		s.call(f)
	case string(f.cancelStream) == "true":
		s.cancel(string(f.id))
	case f.streamCredit != nil:
		s.credit(f)
	case f.unfinished():
		r, err := f.call()
		s.sendError(r.ID, err)
	}
	return nil
}

// call begins a call. It is registered before the next frame is read, so that
// nothing that follows can miss it.
func (s *session) call(f request) {
	r, err := f.call()
	switch {
	case err != nil:
	case r.Method == methodAuthenticate:
		err = s.authenticate(r)
	default:
		err = s.serve(f, r)
	}
	if err != nil {
		s.sendError(r.ID, err)
	}
}

// serve begins the call of an operation. The error is its answer.
func (s *session) serve(f request, r rpc.Request) error {
	op := binding.Lookup(r.Method)
	call, err := s.describe(f)
	if err != nil {
		return err
	}
	sv := &served{stream: op != nil && op.Streaming}
	if sv.stream && s.flow {
		if sv.window, err = newWindow(f); err != nil {
			return err
		}
	}
	if err := s.begin(string(r.ID), sv); err != nil {
		return err
	}
	if sv.stream {
		s.workers.Go(func() { s.stream(sv, op, call, r) })
	} else {
		s.workers.Go(func() { s.invoke(sv, op, call, r) })
	}
	return nil
}

// inFlight reports whether an id, as text, is of a call in flight.
func (s *session) inFlight(id []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served[string(id)] != nil
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

// newWindow is how far a stream may be ahead. A peer that does not grant has
// its socket alone to hold a stream back.
func newWindow(f request) (*mux.Window, error) {
	n := DefaultWindow
	if f.streamWindow != nil {
		var err error
		if n, err = readCount("streamWindow", f.streamWindow); err != nil {
			return nil, err
		}
	}
	return mux.NewWindow(n, WindowBytes), nil
}

// begin puts a call in flight, where there is room for it.
func (s *session) begin(id string, sv *served) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case sv.stream && s.streams >= s.h.o.MaxStreams:
		return binding.Errorf(binding.ResourceExhausted, "more than %d streams on one connection", s.h.o.MaxStreams)
	case !sv.stream && len(s.served)-s.streams >= s.h.o.MaxCalls:
		return binding.Errorf(binding.ResourceExhausted, "more than %d calls on one connection", s.h.o.MaxCalls)
	}
	c, err := s.calls.Begin(context.Background())
	if err != nil {
		return err
	}
	sv.call = c
	s.served[id] = sv
	if sv.stream {
		s.streams++
	}
	return nil
}

// beginLast waits for room for a call's last frame, and frees its id: until then
// the call is in flight, so that its answer counts against the limits of a peer
// that does not read. It locks the outbox as begin does.
func (s *session) beginLast(id []byte, sv *served) bool {
	err := s.out.begin(context.Background())
	s.mu.Lock()
	delete(s.served, string(id))
	if sv.stream {
		s.streams--
	}
	s.last = time.Now()
	s.mu.Unlock()
	return err == nil
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
		s.sendError(nil, err)
		return
	}
	s.mu.Lock()
	sv := s.served[string(f.id)]
	s.mu.Unlock()
	if sv != nil && sv.stream {
		sv.window.Grant(n)
	}
}

func (s *session) invoke(sv *served, op *binding.Op, call *binding.Call, r rpc.Request) {
	defer s.calls.End(sv.call)
	resp, err := s.h.in.Invoke(sv.call, op, call, r.Payload(op))
	if !s.beginLast(r.ID, sv) {
		return
	}
	if err != nil {
		s.out.buf = rpc.AppendErrorTo(s.out.buf, r.ID, err)
	} else {
		s.out.buf, _ = rpc.AppendResult(s.out.buf, r.ID, resp) // it was encoded before
	}
	s.commit(call.Reply)
}

func (s *session) stream(sv *served, op *binding.Op, call *binding.Call, r rpc.Request) {
	defer s.calls.End(sv.call)
	first := true
	// reply are the parameters of the answer, with the first frame alone.
	reply := func() (p binding.Params) {
		if first {
			p = call.Reply
		}
		first = false
		return p
	}
	for ev, err := range s.h.in.Stream(sv.call, op, call, r.Payload(op)) {
		var text []byte
		if err == nil {
			text, err = ev.JSON()
		}
		if err == nil && sv.window != nil {
			err = sv.window.Take(sv.call, len(text))
		}
		if err != nil {
			s.endStream(sv, r.ID, reply(), err)
			return
		}
		if s.out.begin(sv.call) != nil {
			break
		}
		s.out.buf, _ = rpc.AppendResult(s.out.buf, r.ID, ev) // it was encoded before
		s.commit(reply())
	}
	s.endStream(sv, r.ID, reply(), nil)
}

// endStream sends the last frame of a stream: its error, or that it has ended.
func (s *session) endStream(sv *served, id []byte, reply binding.Params, err error) {
	if err == nil && sv.call.Err() != nil { // the connection, or the server, has ended it
		err = binding.Flatten(sv.call.Cause())
	}
	if !s.beginLast(id, sv) {
		return
	}
	s.mu.Lock()
	canceled := sv.canceled
	s.mu.Unlock()
	if err != nil && !canceled {
		s.out.buf = rpc.AppendErrorTo(s.out.buf, id, err)
	} else {
		s.out.buf = appendSignal(s.out.buf, id, streamEnd)
	}
	s.commit(reply)
}

// sendError sends an error that no call in flight makes; a nil id is null.
func (s *session) sendError(id []byte, err error) {
	if s.out.begin(context.Background()) != nil {
		return
	}
	s.out.buf = rpc.AppendErrorTo(s.out.buf, id, err)
	s.commit(nil)
}

// commit sends the frame that was appended, with the parameters of the answer.
func (s *session) commit(reply binding.Params) {
	s.out.buf = appendReply(s.out.buf, reply)
	s.out.commit()
}
