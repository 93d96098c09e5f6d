package mqtt

import (
	"github.com/a2awire/a2awire/binding"
)

// callKey finds a call that a control packet is about.
type callKey struct{ requester, correlation string }

// receive takes a packet from a request topic. It is called by the goroutine
// that reads the connection.
func (s *Server) receive(m *message) {
	switch {
	case m.get(propControl) != "":
		s.control(m)
		return
	case m.retain, len(m.payload) == 0:
		return // nobody's request
	}
	if err := s.topics.checkReply(m.response); err != nil {
		s.o.Logger.Warn("a request that cannot be answered", "error", err)
		return
	}
	if m.correlation == "" {
		s.o.Logger.Warn("a request that cannot be answered", "error", "no Correlation Data")
		return
	}
	c := &call{s: s, request: m, correlations: []string{m.correlation}, limit: defaultPacketBytes}
	if n, ok := m.number(propMaxReply); ok {
		c.limit = int(min(n, 1<<30))
	}
	if n, ok := m.number(propWindow); ok && n > 0 {
		c.window = int(min(n, maxWindow))
	}
	if id := m.get(propRequestID); id != "" {
		c.key = keyOf(m.response, id)
	}
	s.begin(c)
}

// maxRefusing is how many calls are being refused at one time at most, because
// the server is full. Others are dropped.
const maxRefusing = 256

// begin starts a call, or finds what became of it.
func (s *Server) begin(c *call) {
	job, err := s.jobs.Begin(s.life)
	if err != nil {
		return // the requester learns it from the card
	}
	c.cancel = job.Cancel
	full := !s.enter(c)
	if full && s.refusing.Add(1) > maxRefusing {
		s.refusing.Add(-1)
		s.jobs.End(job)
		return // there is no end of them
	}
	s.workers.Go(func() {
		defer s.jobs.End(job)
		if full {
			defer s.refusing.Add(-1)
			c.key = requestKey{} // it is not in the journal; a request that it repeats may be
			c.reply(c.failure(c.id(), binding.Errorf(binding.ResourceExhausted, "the agent has %d calls in flight", s.o.MaxCalls)))
			return
		}
		defer s.leave(c)
		if c.key.id == "" {
			c.key = c.profileKey()
		}
		if c.key.id != "" {
			if first, reply, seen := s.log.begin(c.key, c); seen {
				s.repeat(c, first, reply)
				return
			}
		}
		if err := c.accept(); err != nil {
			c.reply(c.failure(c.id(), binding.Errorf(binding.Unavailable, "the request was not executed: the connection to the requester was lost")))
			return
		}
		c.run(job)
	})
}

// enter makes a call known to control packets, if there is room. A packet that
// was delivered twice does not take the place of the first.
func (s *Server) enter(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count >= s.o.MaxCalls {
		return false
	}
	s.count++
	if k := c.control(c.correlations[0]); s.calls[k] == nil {
		s.calls[k] = c
	}
	return true
}

func (s *Server) leave(c *call) {
	c.mu.Lock()
	all := c.correlations
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
	for _, correlation := range all {
		if k := c.control(correlation); s.calls[k] == c {
			delete(s.calls, k)
		}
	}
}

// repeat answers a request that was seen before.
func (s *Server) repeat(c, first *call, reply *message) {
	attached := first != nil && first.attach(c.correlations[0])
	if first != nil && !attached {
		first, reply, _ = s.log.begin(c.key, c) // it may have been answered just now
	}
	switch {
	case attached:
	case reply != nil:
		again := *reply
		again.correlation = c.correlations[0]
		c.publish(&again)
	case first == nil:
		c.reply(c.failure(c.id(), binding.Errorf(binding.Unavailable, "this request was answered before, and the answer is no longer held")))
	}
}

// controlled is the call that a control packet is about, nil for none. Who does
// not say its name is who knows the correlation, if only one call has that.
func (s *Server) controlled(m *message) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := m.get(propRequester); name != "" {
		return s.calls[callKey{name, m.correlation}]
	}
	var found *call
	for k, c := range s.calls {
		if k.correlation == m.correlation {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// control acts on a control packet, of the call's own requester alone.
func (s *Server) control(m *message) {
	c := s.controlled(m)
	if c == nil {
		return
	}
	c.mu.Lock()
	stream := c.stream
	c.mu.Unlock()
	switch m.get(propControl) {
	case controlCredit:
		if n, ok := m.number(propAck); ok && stream != nil {
			stream.credit(n)
		}
	case controlResend:
		if n, ok := m.number(propSeq); ok && stream != nil {
			stream.resend(n)
		}
	case controlCancel:
		c.abandon()
	}
}
