package mqtt

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/binding"
)

// Dial connects to the agent, or pool, at an mqtt or mqtts URL: see the
// package's comment. It has one connection and one subscription for replies,
// however many calls there are. The context bounds the dialling alone. Whether
// somebody serves the address shows with the first call.
func Dial(ctx context.Context, url string, o *Options) (binding.Client, error) {
	_, client, err := dial(ctx, url, o)
	return client, err
}

func dial(ctx context.Context, url string, o *Options) (*conn, binding.Client, error) {
	opts := o.resolve()
	broker, path, err := parseBroker(url)
	if err != nil {
		return nil, nil, err
	}
	to, err := parseTarget(path)
	if err != nil {
		return nil, nil, err
	}
	if opts.ClientID == "" {
		opts.ClientID = "c-" + randomID()
	}
	if !validID(opts.ClientID) {
		return nil, nil, binding.Errorf(binding.InvalidParams, "mqtt: dial: %q is not of letters, digits, '_', '.' and '-'", opts.ClientID)
	}
	me := Address{to.Org, to.Unit, opts.ClientID}
	link, err := connect(ctx, broker, opts.connect(me.String(), nil))
	if err != nil {
		return nil, nil, err
	}
	c := &conn{link: link, o: opts, topics: opts.topics(), to: to, me: me, peer: newPresence(), open: map[string]*exchange{}}
	if to.pool != "" {
		c.pool = newMembers()
	}
	if err := c.listen(ctx); err != nil {
		_ = c.Close()
		return nil, nil, binding.DialError(ctx, "mqtt: dial", err)
	}
	return c, binding.Remote(binding.Outbound(c, &opts.Options, binding.CarriesJSON)), nil
}

// conn is the client side.
type conn struct {
	link   *Connection
	o      Options
	topics topics
	to     target
	me     Address
	replyT string
	ids    atomic.Int64
	peer   *presence // of the agent
	pool   *members  // of the pool, nil without one

	mu     sync.Mutex
	open   map[string]*exchange // by correlation
	closed bool
}

// listen subscribes to what comes back.
func (c *conn) listen(ctx context.Context) error {
	const noRetained = 2
	c.replyT = c.topics.reply(c.me, randomID()[:8])
	all := []*route{{options: paho.SubscribeOptions{Topic: c.replyT, RetainHandling: noRetained}, topic: c.replyT, handler: c.receive}}
	watched, handler, renew := c.to.Address, c.peer.receive, c.peer.renew
	if c.pool != nil {
		watched.Agent, handler, renew = "+", c.pool.receive, nil
	}
	d := c.topics.discovery(watched)
	all = append(all, &route{options: paho.SubscribeOptions{Topic: d}, topic: d, handler: handler, renew: renew})
	for _, r := range all {
		r.options.QoS = 1
		if err := c.link.subscribe(ctx, r); err != nil {
			return err
		}
	}
	return c.hear(ctx)
}

// hear sends a packet to itself. What the broker has retained comes before it.
func (c *conn) hear(ctx context.Context) error {
	x := c.request("", nil, nil, false)
	m := &message{topic: c.replyT, correlation: randomID(), payload: []byte("{}"), expiry: expiry(connectTimeout)}
	x.correlations = []string{m.correlation}
	c.mu.Lock()
	c.open[m.correlation] = x
	c.mu.Unlock()
	x.over()
	defer x.leave()
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, errDeafReply)
	defer cancel()
	a, err := c.link.publish(ctx, m)
	if err == nil {
		err = a.wait(ctx)
	}
	if err == nil {
		_, err = x.take(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return binding.Errorf(binding.Unavailable, "mqtt: dial: %w", err)
	}
	return nil
}

// errDeafReply is a broker that delivers nothing to the topic of replies.
var errDeafReply = errors.New("the broker does not deliver replies")

// immediately reports whether the caller wants no more than the first of an answer.
func immediately(p binding.Payload) bool {
	m, err := p.Message()
	r, ok := m.(*pb.SendMessageRequest)
	return err == nil && ok && r.GetConfiguration().GetReturnImmediately()
}

// receive takes a reply. It is called by the goroutine that reads the connection.
func (c *conn) receive(m *message) {
	c.mu.Lock()
	x := c.open[m.correlation]
	c.mu.Unlock()
	if x != nil {
		x.r.deliver(m)
	}
}

// errClientClosed is why calls end when their client is closed.
var errClientClosed = binding.Errorf(binding.Unavailable, "mqtt: the client is closed")

// Close tells the agent that nobody waits any more, and closes the connection.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	all := make([]*exchange, 0, len(c.open))
	for _, x := range c.open {
		all = append(all, x)
	}
	c.mu.Unlock()
	for _, x := range all {
		x.r.fail(errClientClosed)
		x.leave()
	}
	c.peer.close()
	if c.pool != nil {
		c.pool.close()
	}
	return c.link.Close()
}

func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	x, err := c.ask(op, call, p)
	if err != nil {
		return binding.Payload{}, err
	}
	defer x.leave()
	if err := x.begin(ctx); err != nil {
		return binding.Payload{}, err
	}
	if x.profile {
		return c.invokeProfile(ctx, op, x, immediately(p))
	}
	m, err := x.take(ctx)
	if err != nil {
		return binding.Payload{}, err
	}
	x.over()
	call.Reply = replyParams(m)
	resp, err := readAnswer(m, op, x.id)
	x.saw(resp, err)
	return resp, err
}

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		x, err := c.ask(op, call, p)
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		defer x.leave()
		if err := x.begin(ctx); err != nil {
			yield(binding.Payload{}, err)
			return
		}
		defer x.watched(ctx)()
		if x.profile {
			c.streamProfile(ctx, op, x, yield)
			return
		}
		for first := true; ; first = false {
			m, err := x.take(ctx)
			if errors.Is(err, errEnded) {
				x.over()
				return
			}
			if err != nil {
				yield(binding.Payload{}, err)
				return
			}
			if first {
				call.Reply = replyParams(m)
			}
			ev, err := readAnswer(m, op, x.id)
			x.saw(ev, err)
			last := err != nil || x.last(m, ev)
			if _, numbered := m.number(propSeq); last && (!numbered || m.get(propEnd) != "") {
				x.over() // else the agent does not know that its item cannot be read
			}
			if !yield(ev, err) || last {
				return
			}
			x.taken(weight(len(m.payload)))
		}
	}
}
