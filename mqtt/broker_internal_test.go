package mqtt

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
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
	down       bool
	refuses    int // subscriptions to come
	subscribed []string
	published  int
	cuts       bool          // the connection of who publishes
	late       time.Duration // before it acknowledges a publish
	order      []string      // of a publish that is acknowledged late, and of the end
}

func (b *pipeBroker) dial(context.Context, *url.URL, *tls.Config) (net.Conn, error) {
	client, server := net.Pipe()
	b.mu.Lock()
	down := b.down
	if !down {
		b.conn = server
	}
	b.mu.Unlock()
	if down {
		return nil, errors.New("down")
	}
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
		if b.cuts {
			_ = b.conn.Close()
			return nil
		}
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

// cut has who publishes lose the connection.
func (b *pipeBroker) cut(all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cuts = all
}

// refuse has no connection made.
func (b *pipeBroker) refuse(all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = all
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

// What costs the connection each time is given up: it may be the packet itself.
func TestPacketThatCostsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.client(t)
		b.cut(true)
		_, err := c.Invoke(t.Context(), binding.OpGetTask, new(binding.Call), binding.OpGetTask.RequestJSON([]byte(`{"id":"t"}`)))
		require.ErrorIs(t, err, binding.ErrUnavailable)
		assert.Equal(t, maxLosses, b.packets())

		b.cut(false)
		time.Sleep(shortLived) // and the agent is told that the caller has left
		b.cut(true)
		s := &Server{conn: c.link}
		n := b.packets()
		require.ErrorIs(t, s.send(t.Context(), &message{topic: "t"}), errLost)
		assert.Equal(t, n+maxLosses, b.packets())
	})
}

// A call without a deadline to an address that nobody serves ends, at a broker
// that does not say that nobody is there. An agent takes its time.
func TestCallOfNobody(t *testing.T) {
	for _, published := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var b pipeBroker
			c := b.client(t)
			if published {
				c.peer.receive(statusOf(statusOnline, sourceAgent, "1"))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			start := time.Now()
			_, err := c.Invoke(ctx, binding.OpGetTask, new(binding.Call), binding.OpGetTask.RequestJSON([]byte(`{"id":"t"}`)))
			if published {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				c.peer.renew()
				assert.False(t, c.peer.known())
				return
			}
			require.ErrorIs(t, err, errNobodyThere)
			assert.Equal(t, maxAttempts*replyTime, time.Since(start))
		})
	}
}

// Who leaves while the connection is down has the agent told once it is up, if
// that is not too late.
func TestLeavesWhileTheConnectionIsDown(t *testing.T) {
	for down, want := range map[time.Duration]int{time.Second: 2, 2 * deafTime: 1} {
		synctest.Test(t, func(t *testing.T) {
			var b pipeBroker
			c := b.client(t)
			ctx, cancel := context.WithCancel(t.Context())
			x := c.request("GetTask", []byte(`{"id":"t"}`), new(binding.Call), false)
			ended := make(chan error)
			go func() { ended <- x.begin(ctx) }()
			synctest.Wait()
			require.Equal(t, 1, b.packets())
			b.refuse(true)
			b.lose(0)
			synctest.Wait()
			cancel()
			require.Error(t, <-ended)
			x.leave()
			time.Sleep(down)
			b.refuse(false)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			assert.NotNil(t, c.link.now())
			assert.Equal(t, want, b.packets())
			assert.Empty(t, c.link.owed)
		})
	}
}

// A discovery tells who has gone while its connection was down.
func TestDiscoverAfterALostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.connect(t)
		heard := func(agent string) {
			p := &paho.Publish{Topic: "$a2a/v1/discovery/a/b/" + agent, Payload: []byte(`{"name":"x"}`)}
			_, _ = c.dispatch(paho.PublishReceived{Packet: p})
		}
		told := make(chan string, 10)
		news := func() (all []string) {
			synctest.Wait()
			for len(told) > 0 {
				all = append(all, <-told)
			}
			return all
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for f, err := range Discover(ctx, c, Filter{}) {
				if err == nil {
					told <- fmt.Sprint(f.Address.Agent, " ", f.Gone)
				}
			}
		}()
		synctest.Wait()
		heard("stays")
		heard("goes")
		assert.Equal(t, []string{"stays false", "goes false"}, news())
		b.lose(0)
		time.Sleep(time.Second)
		heard("stays")
		time.Sleep(quietTime / 2)
		heard("comes")
		time.Sleep(quietTime - time.Second)
		assert.Equal(t, []string{"comes false"}, news(), "the broker may have more to say")
		time.Sleep(2 * time.Second)
		assert.Equal(t, []string{"goes true"}, news())
		heard("goes")
		assert.Equal(t, []string{"goes false"}, news(), "it has come back")
		cancel()
		<-done
	})
}

// What is owed goes out at once where the connection is there again already, and
// is bounded where it is not.
func TestOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b pipeBroker
		c := b.connect(t)
		c.owe(t.Context(), &message{topic: "t"})
		synctest.Wait()
		assert.Equal(t, 1, b.packets())
		b.refuse(true)
		b.lose(0)
		synctest.Wait()
		for range maxOwed + 1 {
			c.owe(t.Context(), &message{topic: "t"})
		}
		assert.Len(t, c.owed, maxOwed)
	})
}

// A discovery follows so many agents and no more, and says so.
func TestDiscoveryIsBounded(t *testing.T) {
	n := &news{waiting: map[Address]Found{}, known: map[Address]uint64{}}
	for i := range maxKnown + 1 {
		n.tell(Found{Address: Address{"a", "b", strconv.Itoa(i)}}, 1)
		n.order, n.waiting = nil, map[Address]Found{} // they were read
	}
	assert.Len(t, n.known, maxKnown)
	_, err := n.next(t.Context())
	require.ErrorIs(t, err, binding.ErrResourceExhausted)
}
