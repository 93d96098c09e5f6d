package mqtt

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
)

// exchange is a request and what comes back: one caller's.
type exchange struct {
	c         *conn
	r         *receiver
	id        string // of JSON-RPC
	requestID string
	body      []byte
	call      *binding.Call
	streaming bool
	profile   bool // the agent knows EMQ's profile alone
	meter     mux.Meter
	member    string // of a pool: the one whose the task is, "" for any

	mu           sync.Mutex
	correlations []string // one for each attempt
	done         bool     // nothing more is to come

	left sync.Once // by the caller
}

// errEnded is the clean end of what comes back.
var errEnded = errors.New("the stream has ended")

// ask begins an exchange, which leave ends.
func (c *conn) ask(op *binding.Op, call *binding.Call, p binding.Payload) (*exchange, error) {
	profile := c.peer.profile()
	if profile {
		var err error
		if p, err = profileRequest(p); err != nil {
			return nil, err
		}
	}
	params, err := p.JSON()
	if err != nil {
		return nil, err
	}
	x := c.request(op.Name, params, call, op.Streaming)
	x.profile = profile
	if c.pool != nil {
		x.member = c.pool.at(p)
	}
	return x, nil
}

func (c *conn) request(method string, params []byte, call *binding.Call, streaming bool) *exchange {
	id := strconv.FormatInt(c.ids.Add(1), 10)
	body := rpc.AppendCall(make([]byte, 0, len(params)+len(method)+64), id, method, params)
	return &exchange{
		c: c, r: newReceiver(c.o.StreamWindow, !streaming), id: id, requestID: randomID(), body: append(body, '}'), call: call,
		streaming: streaming, meter: mux.Meter{Items: c.o.StreamWindow, Bytes: streamBytes},
	}
}

// at is who answers: the agent, or the member of a pool that is known to. ok is
// false while any member may.
func (x *exchange) at() (a Address, ok bool) {
	a = x.c.to.Address
	if x.c.pool == nil {
		return a, true
	}
	if a.Agent = x.r.from(); a.Agent == "" {
		a.Agent = x.member
	}
	return a, validID(a.Agent)
}

// topic is where the request goes.
func (x *exchange) topic() string {
	if a, ok := x.at(); ok {
		return x.c.topics.request(a)
	}
	return x.c.topics.of(x.c.to)
}

// agent is what is known of who answers.
func (x *exchange) agent() *presence {
	if x.c.pool != nil {
		if a, ok := x.at(); ok {
			if p := x.c.pool.of(a.Agent); p != nil {
				return p
			}
		}
	}
	return x.c.peer
}

// saw notes where a task is.
func (x *exchange) saw(p binding.Payload, err error) {
	if err == nil && x.c.pool != nil {
		x.c.pool.saw(p, x.r.from())
	}
}

// attempt is the request, under a correlation of its own.
func (x *exchange) attempt(ctx context.Context) *message {
	m := &message{topic: x.topic(), response: x.c.replyT, correlation: randomID(), content: contentA2A, payload: x.body}
	for k, v := range x.call.Outgoing() {
		if !own[k] {
			m.add(k, v)
		}
	}
	m.add(propRequestID, x.requestID)
	if n := x.c.link.o.MaxPacketBytes; n != defaultPacketBytes {
		m.addNumber(propMaxReply, uint64(n))
	}
	if x.streaming {
		m.addNumber(propWindow, uint64(x.c.o.StreamWindow))
	}
	if x.call.Credential != "" {
		m.add(propAuthorization, x.call.Credential.Reveal())
	}
	m.addDeadline(ctx, unboundedTime)
	return m
}

// expect takes what comes back under a correlation.
func (x *exchange) expect(correlation string) error {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	if x.c.closed {
		return errClientClosed
	}
	x.c.open[correlation] = x
	x.mu.Lock()
	x.correlations = append(x.correlations, correlation)
	x.mu.Unlock()
	return nil
}

// forget is of an attempt that was never sent: nothing comes back, and the
// agent need not be told that nobody waits.
func (x *exchange) forget(correlation string) {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	delete(x.c.open, correlation)
	x.mu.Lock()
	x.correlations = slices.DeleteFunc(slices.Clone(x.correlations), func(c string) bool { return c == correlation })
	x.mu.Unlock()
}

// begin sends the request, until something comes back. Each attempt has the
// same a2a-request-id: the agent executes one.
func (x *exchange) begin(ctx context.Context) error {
	sent, losses := 0, 0
	for lost := false; ; lost = true {
		l, err := x.up(ctx)
		if err != nil {
			return err
		}
		agent, err := x.agent().reachable()
		if err != nil {
			return err
		}
		m := x.attempt(ctx)
		if err := x.agent().fits(m.size()); err != nil {
			return err
		}
		if err := x.expect(m.correlation); err != nil {
			return err
		}
		a, err := x.c.link.publish(ctx, m)
		if err != nil && ctx.Err() == nil { // else it may have been sent
			x.forget(m.correlation)
		}
		if errors.Is(err, errLost) {
			continue
		}
		if err != nil {
			return err
		}
		sent++
		err = x.wait(ctx, l, agent, a, sent < maxAttempts)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errNobody) && (lost || l.again && time.Since(l.since) < connectTimeout):
			// Whoever was lost with the broker may come back a little later.
			if err := pause(ctx, gapTime); err != nil {
				return err
			}
			if sent > int(connectTimeout/gapTime) {
				return binding.Flatten(errDown)
			}
		case errors.Is(err, errLost):
			if losses++; losses >= maxLosses {
				return binding.Flatten(err)
			}
		case errors.Is(err, errAgain):
		default:
			return err
		}
	}
}

// up is the link, once there is one.
func (x *exchange) up(ctx context.Context) (*link, error) {
	if l := x.c.link.now(); l != nil {
		return l, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, idleTime, errDown)
	defer cancel()
	return x.c.link.await(ctx)
}

// errNobodyThere is an address that nobody serves, at a broker that does not say so.
var errNobodyThere = binding.Errorf(binding.Unavailable, "mqtt: nothing came back from the address, and no card is published at it")

// published reports whether there is a card of who is asked.
func (x *exchange) published() bool {
	if x.c.pool != nil {
		return x.c.pool.any()
	}
	return x.c.peer.known()
}

// errAgain is an attempt that is to be repeated.
var errAgain = errors.New("again")

// wait waits for something to come back for one attempt.
func (x *exchange) wait(ctx context.Context, l *link, agent context.Context, a ack, again bool) error {
	t := time.NewTimer(replyTime)
	defer t.Stop()
	late := t.C
	var done, taken <-chan struct{} = x.r.arrived, nil
	if !x.streaming {
		done, taken = x.r.answered, x.r.arrived
	}
	for {
		select {
		case <-done:
			return nil
		case <-taken:
			// A member of the pool has taken the request, and is to be watched.
			taken, late = nil, nil
			var err error
			if agent, err = x.agent().reachable(); err != nil {
				return err
			}
		case p := <-a:
			if err := ackError(p); err != nil {
				return err
			}
			a = nil
		case <-l.ctx.Done():
			if err := x.c.link.Err(); err != nil {
				return err
			}
			return errDown
		case <-agent.Done():
			return context.Cause(agent)
		case <-late:
			if again {
				return errAgain
			}
			if !x.published() {
				return errNobodyThere
			}
			late = nil // it is there, and takes its time
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take is the next reply, errEnded at a clean end.
func (x *exchange) take(ctx context.Context) (*message, error) {
	m, _, ok, err := x.r.q.Take(ctx)
	if !ok && err == nil {
		err = errEnded
	}
	return m, err
}

// taken lets the agent go on when the caller has taken half a window.
func (x *exchange) taken(size int) {
	n := x.r.took()
	if x.meter.Took(size) > 0 && x.r.look().numbered {
		x.credit(n)
	}
}

// over says that nothing more is to come.
func (x *exchange) over() {
	x.mu.Lock()
	was := x.done
	x.done = true
	x.mu.Unlock()
	if s := x.r.look(); !was && s.numbered && s.ended {
		x.credit(s.next) // so that the agent need not keep the end
	}
}

// last reports whether a reply of an agent that marks no end is the last one
// (EMQ 0.1).
func (x *exchange) last(m *message, p binding.Payload) bool {
	if _, numbered := m.number(propSeq); numbered {
		return false
	}
	msg, err := p.Message()
	ev, ok := msg.(*pb.StreamResponse)
	if err != nil || !ok {
		return true
	}
	switch e := ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return resting(e.Task.GetStatus().GetState())
	case *pb.StreamResponse_StatusUpdate:
		return resting(e.StatusUpdate.GetStatus().GetState())
	case *pb.StreamResponse_ArtifactUpdate:
		return false
	}
	return true
}

// resting reports whether a task waits for nobody but its caller.
func resting(s pb.TaskState) bool {
	return s != pb.TaskState_TASK_STATE_SUBMITTED && s != pb.TaskState_TASK_STATE_WORKING && s != pb.TaskState_TASK_STATE_UNSPECIFIED
}

// leave ends the exchange. The agent is told if it may still be at work. When it
// returns that is done, whoever did it: a client that closes finds every exchange
// of which it is not, and leaves it, too.
func (x *exchange) leave() { x.left.Do(x.tell) }

func (x *exchange) tell() {
	x.mu.Lock()
	all, tell := x.correlations, !x.done
	x.mu.Unlock()
	if tell {
		for _, correlation := range all {
			x.control(correlation, controlCancel, "", 0)
		}
	}
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	for _, correlation := range all {
		delete(x.c.open, correlation)
	}
}

func (x *exchange) credit(n uint64) { x.control(x.current(), controlCredit, propAck, n) }
func (x *exchange) resend(n uint64) { x.control(x.current(), controlResend, propSeq, n) }

// current is the correlation that the agent answers under.
func (x *exchange) current() string {
	if correlation := x.r.current(); correlation != "" {
		return correlation
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.correlations[len(x.correlations)-1]
}

// control sends a control packet to whom the replies come from. One that is
// lost is made up for by the next.
func (x *exchange) control(correlation, kind, key string, n uint64) {
	if x.c.peer.profile() {
		return // it knows none
	}
	to, ok := x.at()
	if !ok {
		return
	}
	m := &message{topic: x.c.topics.request(to), correlation: correlation, expiry: expiry(deafTime)}
	m.add(propControl, kind)
	m.add(propRequester, x.c.me.Agent)
	if key != "" {
		m.addNumber(key, n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), inflight.Grace)
	defer cancel()
	if _, err := x.c.link.publish(ctx, m); errors.Is(err, errLost) && kind == controlCancel {
		x.c.link.owe(ctx, m) // no other makes up for it
	}
}
