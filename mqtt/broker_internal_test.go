package mqtt

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// pipeBroker is a broker on a pipe, so that a test has its own time. It
// acknowledges everything, delivers nothing, and refuses what it is told to.
type pipeBroker struct {
	work sync.WaitGroup

	mu         sync.Mutex
	conn       net.Conn
	refuses    int // subscriptions to come
	subscribed []string
	published  int
	late       time.Duration // before it acknowledges a publish
	order      []string      // of a publish that is acknowledged late, and of the end
}

func (b *pipeBroker) dial(context.Context, *url.URL, *tls.Config) (net.Conn, error) {
	client, server := net.Pipe()
	b.mu.Lock()
	b.conn = server
	b.mu.Unlock()
	b.work.Go(func() {
		defer server.Close()
		for {
			p, err := packets.ReadPacket(server)
			if err != nil {
				return
			}
			if answer := b.answer(p); answer != nil {
				if _, err := answer.WriteTo(server); err != nil {
					return
				}
			}
		}
	})
	return newNetConn(client), nil
}

func (b *pipeBroker) answer(p *packets.ControlPacket) packets.Packet {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch c := p.Content.(type) {
	case *packets.Connect:
		return &packets.Connack{Properties: new(packets.Properties)}
	case *packets.Subscribe:
		ack := &packets.Suback{PacketID: c.PacketID, Properties: new(packets.Properties), Reasons: []byte{packets.SubackGrantedQoS1}}
		if b.refuses > 0 {
			b.refuses--
			ack.Reasons[0] = packets.SubackUnspecifiederror
		} else {
			b.subscribed = append(b.subscribed, c.Subscriptions[0].Topic)
		}
		return ack
	case *packets.Unsubscribe:
		return &packets.Unsuback{PacketID: c.PacketID, Properties: new(packets.Properties), Reasons: []byte{0}}
	case *packets.Publish:
		b.published++
		ack := &packets.Puback{PacketID: c.PacketID, Properties: new(packets.Properties)}
		if b.late == 0 {
			return ack
		}
		b.work.Go(func() {
			time.Sleep(b.late)
			b.noted("puback")
			_, _ = ack.WriteTo(b.conn)
		})
	case *packets.Disconnect:
		b.order = append(b.order, "disconnect")
	case *packets.Pingreq:
		return new(packets.Pingresp)
	}
	return nil
}

func (b *pipeBroker) noted(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.order = append(b.order, what)
}

// lose cuts the connection, and refuses some of the subscriptions on the next.
func (b *pipeBroker) lose(refuse int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuses, b.subscribed = refuse, nil
	_ = b.conn.Close()
}

func (b *pipeBroker) packets() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.published
}

func (b *pipeBroker) topics() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.subscribed
}

// connect is a connection to a broker of its own.
func (b *pipeBroker) connect(t *testing.T) *Connection {
	t.Helper()
	o := &ConnectOptions{dial: b.dial}
	c, err := connect(t.Context(), &url.URL{Scheme: "mqtt", Host: "broker"}, o.resolve())
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, c.Close())
		b.work.Wait()
	})
	return c
}

// What a broker refuses to subscribe again is asked for until it does.
func TestSubscribesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.connect(t)
		for _, topic := range []string{"kept", "left"} {
			require.NoError(t, c.subscribe(t.Context(), &route{options: paho.SubscribeOptions{Topic: topic, QoS: 1}, topic: topic}))
		}
		b.lose(4)
		time.Sleep(shortLived)
		assert.Empty(t, b.topics())
		l, err := c.await(t.Context())
		require.NoError(t, err, "what is subscribed to can be used")
		c.unsubscribe(c.routes["left"][0])
		time.Sleep(4 * publishEvery)
		assert.Equal(t, []string{"kept"}, b.topics())
		assert.Same(t, l, c.now(), "on one connection")
	})
}

// A close leaves the broker time to acknowledge what was published, not for ever.
func TestCloseAwaitsAcknowledgements(t *testing.T) {
	for late, want := range map[time.Duration][]string{
		flushTime / 2: {"puback", "disconnect"},
		2 * flushTime: {"disconnect", "puback"},
	} {
		t.Run(late.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := pipeBroker{late: late}
				c := b.connect(t)
				_, err := c.publish(t.Context(), &message{topic: "t"})
				require.NoError(t, err)
				start := time.Now()
				require.NoError(t, c.Close())
				assert.Equal(t, min(late, flushTime), time.Since(start))
				b.work.Wait()
				assert.Equal(t, want, b.order)
			})
		})
	}
}

// Who waits for a connection is not given one that a publish has found dead.
func TestPublishDropsADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.connect(t)
		l := c.now()
		require.NotNil(t, l)
		_ = c.ledger.ConnectionLost(nil) // what the library does first
		_, err := c.publish(t.Context(), &message{topic: "t"})
		require.ErrorIs(t, err, errLost)
		assert.Nil(t, c.now())
		require.Error(t, l.ctx.Err())
		b.lose(0)
		next, err := c.await(t.Context())
		require.NoError(t, err)
		assert.NotSame(t, l, next)
	})
}

// client is a client of a connection of its own, which hears nothing.
func (b *pipeBroker) client(t *testing.T) *conn {
	t.Helper()
	o := new(Options).resolve()
	return &conn{link: b.connect(t), o: o, topics: o.topics(), to: target{Address: Address{"a", "b", "c"}}, me: Address{"a", "b", "me"},
		replyT: "replies", peer: newPresence(), open: map[string]*exchange{}}
}

// Nobody there: the error says what was waited for.
func TestProbeOfNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.client(t)
		start := time.Now()
		require.ErrorContains(t, c.probe(t.Context()), "nothing came back from the address")
		assert.Equal(t, probeTime, time.Since(start))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(binding.Errorf(binding.Unavailable, "why")) })
		require.ErrorContains(t, c.probe(ctx), "why")
	})
}

// What was never sent is waited for by nobody, and not called off.
func TestRequestsThatAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.client(t)
		c.peer.limit = 10
		_, err := c.Invoke(t.Context(), binding.OpGetTask, new(binding.Call), binding.OpGetTask.RequestJSON([]byte(`{"id":"t"}`)))
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		assert.Zero(t, b.packets())
		assert.Empty(t, c.open)

		c.peer.limit = 0
		x := c.request("GetTask", []byte(`{"id":"t"}`), new(binding.Call), false)
		ctx, cancel := context.WithCancel(t.Context())
		_ = c.link.ledger.ConnectionLost(nil)
		ended := make(chan error)
		go func() { ended <- x.begin(ctx) }()
		synctest.Wait()
		assert.Empty(t, c.open)
		b.lose(0)
		time.Sleep(time.Second) // and it has connected again
		synctest.Wait()
		assert.Len(t, x.correlations, 1)
		assert.Len(t, c.open, 1)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		x.leave()
		synctest.Wait()
		assert.Equal(t, 2, b.packets(), "the request, and that nobody waits")
	})
}

// An agent leaves to a later instance that is there, or that it fights with, not
// to one that has gone.
func TestLaterInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		instance := func() (*pipeBroker, *status) {
			b := new(pipeBroker)
			c := b.connect(t)
			return b, &status{s: &Server{conn: c}, instance: "1", began: c.now(), stale: make(chan struct{}, 1)}
		}
		b, st := instance()
		st.receive(statusOf(statusOffline, sourceWill, "2"))
		require.NoError(t, st.s.conn.Err(), "it died before this one started")
		assert.Len(t, st.stale, 1, "its card is to be replaced")
		b.lose(0)
		time.Sleep(time.Second)
		st.receive(statusOf(statusOffline, sourceAgent, "2"))
		require.NoError(t, st.s.conn.Err(), "it has stopped")
		st.receive(statusOf(statusOffline, sourceWill, "2"))
		require.ErrorContains(t, st.s.conn.Err(), "has taken this client identifier", "each has taken it from the other")

		_, st = instance()
		st.receive(statusOf(statusOnline, sourceAgent, "2"))
		require.ErrorContains(t, st.s.conn.Err(), "has taken this client identifier")
	})
}
