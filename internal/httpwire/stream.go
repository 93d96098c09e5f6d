package httpwire

import (
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/sse"
)

// DefaultKeepAlive is how long a stream may be silent before a comment is sent.
const DefaultKeepAlive = 15 * time.Second

// Frames says how a binding writes a stream.
type Frames struct {
	// Event appends the data of an event; it may not keep dst.
	Event func(dst []byte, p binding.Payload) ([]byte, error)
	// Error appends the data of the error that ends a stream.
	Error func(dst []byte, err error) []byte
	// ErrorName is the event's name of the error that ends a stream, for clients
	// that tell it from an event by that. Empty is none.
	ErrorName string
	// KeepAlive is the time between comments on a silent stream. 0 is the default.
	KeepAlive time.Duration
}

// ServeStream writes a stream as Server-Sent Events, flushed one by one. The
// headers go out with the first event, so an error before it is returned, and
// nothing has been written. A client that does not read slows its own stream
// alone; one that is gone ends it.
func ServeStream(w http.ResponseWriter, call *binding.Call, events iter.Seq2[binding.Payload, error], f Frames) error {
	s := &eventWriter{w: w, rc: http.NewResponseController(w), every: f.KeepAlive}
	if s.every == 0 {
		s.every = DefaultKeepAlive
	}
	defer s.stop()
	var data, frame []byte
	for p, err := range events {
		if err != nil && !s.started {
			return err
		}
		frame = frame[:0]
		if err == nil {
			data, err = f.Event(data[:0], p)
		}
		if err != nil {
			data = f.Error(data[:0], err)
			frame = sse.AppendName(frame, f.ErrorName)
		}
		frame = sse.AppendEvent(frame, data)
		if s.write(frame, call) != nil || err != nil {
			return nil
		}
	}
	if !s.started {
		s.start(call)
	}
	return nil
}

// eventWriter is shared by the stream and its keep-alive timer.
type eventWriter struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	every time.Duration

	started bool // by the stream alone

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (s *eventWriter) start(call *binding.Call) {
	h := s.w.Header()
	SetReply(h, call)
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-cache"}
	h["X-Accel-Buffering"] = []string{"no"}
	s.w.WriteHeader(http.StatusOK)
	s.started = true
}

func (s *eventWriter) write(frame []byte, call *binding.Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		s.start(call)
		s.timer = time.AfterFunc(s.every, s.keepAlive)
	} else {
		s.timer.Reset(s.every)
	}
	if _, err := s.w.Write(frame); err != nil {
		return err
	}
	return s.rc.Flush()
}

// keepAlive runs in the timer's goroutine, which stop waits for by the lock.
func (s *eventWriter) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	if _, err := s.w.Write([]byte(sse.KeepAlive)); err == nil && s.rc.Flush() == nil {
		s.timer.Reset(s.every)
	}
}

func (s *eventWriter) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.timer != nil {
		s.timer.Stop()
	}
}
