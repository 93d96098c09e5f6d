package mqtt

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
)

// call is a request that is being answered.
type call struct {
	s       *Server
	cancel  context.CancelCauseFunc
	request *message
	key     requestKey // zero without a2a-request-id
	limit   int        // of a reply packet; 0 for none
	window  int        // of a stream; 0 when the requester keeps to none

	mu           sync.Mutex
	correlations []string // the request's, and those of its repetitions
	stream       *sender  // once it streams
	left         bool     // the requester wants no reply
	answered     bool     // under all correlations
}

// maxRepetitions is how many repetitions of one request are answered.
const maxRepetitions = 16

// requester is who asks: what the request says, or its Response Topic.
func (c *call) requester() string {
	if name := c.request.get(propRequester); name != "" {
		return name
	}
	return c.s.topics.requester(c.request.response)
}

func (c *call) control(correlation string) callKey {
	return callKey{c.requester(), correlation}
}

// accept says to who asked the pool, at once, which member has taken the
// request: until it knows, it may ask another.
func (c *call) accept() error {
	if c.request.get(propRequestID) == "" || c.request.topic == c.s.topics.request(c.s.addr) {
		return nil
	}
	m := &message{topic: c.request.response, correlation: c.correlations[0], expiry: c.request.expiry}
	m.add(propResponder, c.s.addr.Agent)
	m.addNumber(propHeartbeat, 0)
	ctx, cancel := context.WithTimeout(c.s.life, connectTimeout)
	defer cancel()
	a, err := c.s.conn.publish(ctx, m)
	if err == nil {
		err = a.wait(ctx)
	}
	return err
}

// attach sends the answer under one more correlation.
func (c *call) attach(correlation string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.correlations, correlation) {
		return !c.answered
	}
	if c.answered || len(c.correlations) >= maxRepetitions {
		return false
	}
	if c.stream != nil && !c.stream.attach(correlation) {
		return false
	}
	c.correlations = append(c.correlations, correlation)
	c.s.mu.Lock()
	c.s.calls[c.control(correlation)] = c
	c.s.mu.Unlock()
	return true
}

// id is the JSON-RPC id of the request, nil when it cannot be read.
func (c *call) id() []byte {
	req, err := rpc.ReadRequest(c.request.payload)
	if err != nil {
		return nil
	}
	return req.ID
}

// run answers the request.
func (c *call) run(ctx context.Context) {
	req, err := rpc.ReadRequest(c.request.payload)
	op := binding.Lookup(req.Method)
	if err == nil && req.ID == nil {
		if op != nil && op.ReadOnly {
			c.note(nil)
			return // a notification, which wants no answer
		}
		err = binding.InvalidField("id", "is required: notifications are not executed").WithCode(binding.InvalidRequest)
	}
	if err != nil {
		c.reply(c.failure(req.ID, err))
		return
	}
	if ms, ok := c.request.number(propTimeout); ok && ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, min(time.Duration(ms), 1<<40)*time.Millisecond)
		defer cancel()
	}
	bc := &binding.Call{
		Params:     c.request.params(),
		Credential: binding.Credential(c.request.get(propAuthorization)),
		Peer:       c.requester(),
	}
	if _, ok := bc.Params[binding.ParamVersion]; !ok {
		bc.Params[binding.ParamVersion] = c.s.o.unversioned
	}
	d := c.foreign()
	p := d.request(ctx, op, bc, req.Payload(op))
	switch {
	case op != nil && op.Streaming && c.window > 0:
		c.streamed(ctx, op, bc, req.ID, p)
	case op != nil && op.Streaming:
		c.unnumbered(ctx, op, bc, req.ID, p, d)
	default:
		resp, err := c.s.in.Invoke(ctx, op, bc, p)
		m, _ := c.answer(req.ID, bc, d.answer(resp), err)
		c.reply(m)
	}
}

// message begins a reply.
func (c *call) message() *message {
	return &message{topic: c.request.response, content: contentA2A, expiry: c.request.expiry}
}

// failure is a reply with an error.
func (c *call) failure(id []byte, err error) *message {
	m := c.message()
	m.payload = rpc.AppendError(nil, id, err)
	return m
}

// answer is a reply with a result or an error, and whether it is an error. What
// somebody on the way would drop is one.
func (c *call) answer(id []byte, bc *binding.Call, p binding.Payload, err error) (m *message, failed bool) {
	m = c.message()
	if err == nil {
		m.payload, err = rpc.AppendResult(make([]byte, 0, 512), id, p)
	}
	if err != nil {
		m.payload = rpc.AppendError(nil, id, err)
	}
	m.addParams(bc.Reply)
	if large := c.fits(m); large != nil {
		m, err = c.message(), large
		m.payload = appendTransportError(nil, id, payloadTooLarge, large)
	}
	return m, err != nil
}

// slack is what is added to a reply after its size was checked.
const slack = 512

func (c *call) fits(m *message) error {
	limit := c.limit
	if l := c.s.conn.now(); l != nil && (limit == 0 || l.maxPacket < limit) {
		limit = l.maxPacket
	}
	n := m.size() + slack
	c.mu.Lock()
	for _, correlation := range c.correlations {
		n = max(n, m.size()+slack+len(correlation))
	}
	c.mu.Unlock()
	if limit > 0 && n > limit {
		return tooLarge(n, limit)
	}
	return nil
}

// reply sends the one answer, under every correlation.
func (c *call) reply(m *message) {
	m.add(propResponder, c.s.addr.Agent)
	c.note(m)
	for i := 0; ; i++ {
		c.mu.Lock()
		if c.left || i >= len(c.correlations) {
			c.answered = true
			c.mu.Unlock()
			return
		}
		one := *m
		one.correlation = c.correlations[i]
		c.mu.Unlock()
		c.publish(&one)
	}
}

// note tells the journal what the request was answered with; nil is what cannot
// be sent again.
func (c *call) note(reply *message) {
	if c.key.id != "" {
		c.s.log.done(c.key, reply)
	}
}

// abandon ends the call of a requester that wants nothing more of it.
func (c *call) abandon() {
	c.mu.Lock()
	c.left = true
	stream := c.stream
	c.mu.Unlock()
	if stream != nil {
		stream.cut(errLeft)
		return
	}
	c.cancel(errLeft)
}

// publish sends a reply, for as long as its requester may be waiting.
func (c *call) publish(m *message) {
	ctx, cancel := context.WithTimeout(c.s.life, deafTime)
	defer cancel()
	if err := c.s.send(ctx, m); err != nil {
		c.s.o.Logger.Debug("a reply did not reach its requester", "error", err)
	}
}

// streamed answers with a stream to a requester who keeps to a window.
func (c *call) streamed(ctx context.Context, op *binding.Op, bc *binding.Call, id []byte, req binding.Payload) {
	s := &sender{
		wire: c.s, topic: c.request.response, from: c.s.addr.Agent, expiry: c.request.expiry, left: func(why error) { c.cancel(why) },
		window: mux.NewWindow(c.window, streamBytes), heard: time.Now(),
		wake: make(chan struct{}, 1), draining: c.s.draining,
	}
	c.mu.Lock()
	// A repetition that came before the stream began is who reads it.
	s.correlation = c.correlations[len(c.correlations)-1]
	c.stream = s
	s.gone = c.left // before there was a stream to cut
	c.mu.Unlock()
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		s.pump(c.s.life)
	}()
	end := endOK
	var last *message
	for p, err := range c.s.in.Stream(ctx, op, bc, req) {
		m, failed := c.answer(id, bc, p, err)
		bc.Reply = nil // beside the first alone
		if failed {
			end, last = endError, m
			break
		}
		if s.push(ctx, m) != nil {
			break // nobody reads, and the agent's context has ended
		}
	}
	if last == nil {
		last = &message{}
		if ctx.Err() != nil {
			end, last = endError, c.failure(id, inflight.Cause(ctx))
		}
	}
	last.add(propEnd, end)
	s.finish(last)
	<-pumped
	c.note(nil)
}

// unnumbered answers with a stream to a requester who knows EMQ's profile
// alone. The broker's acknowledgements are all that holds the agent back.
func (c *call) unnumbered(ctx context.Context, op *binding.Op, bc *binding.Call, id []byte, req binding.Payload, d *dialect) {
	for p, err := range c.s.in.Stream(ctx, op, bc, req) {
		m, failed := c.answer(id, bc, d.answer(p), err)
		bc.Reply = nil
		m.add(propResponder, c.s.addr.Agent)
		c.mu.Lock()
		m.correlation = c.correlations[len(c.correlations)-1]
		c.mu.Unlock()
		if err := c.s.send(ctx, m); err != nil || failed {
			break
		}
	}
	c.note(nil)
}
