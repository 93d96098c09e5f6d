package mqtt

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.golang/packets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/mux"
)

// fakeWire is a connection between a sender and a receiver.
type fakeWire struct {
	mu      sync.Mutex
	to      *receiver
	sent    int
	lose    func(n int, m *message) bool
	down    chan struct{} // the connection is down until it is closed
	refuses byte
}

func (w *fakeWire) publish(_ context.Context, m *message) (ack, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down != nil {
		select {
		case <-w.down:
		default:
			return nil, errDown
		}
	}
	w.sent++
	a := make(ack, 1)
	a <- packets.ControlPacket{Content: &packets.Puback{ReasonCode: w.refuses}}
	if w.lose == nil || !w.lose(w.sent, m) {
		w.to.deliver(m)
	}
	return a, nil
}

func (w *fakeWire) restored(ctx context.Context) error {
	select {
	case <-w.down:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *fakeWire) packets() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

type pair struct {
	w       *fakeWire
	s       *sender
	r       *receiver
	gone    error
	drained chan struct{}
	pumped  chan struct{}
}

func newPair(window int) *pair {
	p := &pair{r: newReceiver(window, false), drained: make(chan struct{}), pumped: make(chan struct{})}
	p.w = &fakeWire{to: p.r}
	p.s = &sender{wire: p.w, correlation: "c", left: func(err error) { p.gone = err }, window: mux.NewWindow(window, streamBytes),
		heard: time.Now(), wake: make(chan struct{}, 1), draining: p.drained}
	return p
}

func (p *pair) pump(ctx context.Context) {
	defer close(p.pumped)
	p.s.pump(ctx)
}

func (p *pair) produce(ctx context.Context, n int) {
	for i := range n {
		if p.s.push(ctx, &message{payload: []byte(strconv.Itoa(i))}) != nil {
			return
		}
	}
	end := &message{}
	end.add(propEnd, endOK)
	p.s.finish(end)
}

// read takes items as a caller does, until n or the end.
func (p *pair) read(ctx context.Context, t *testing.T, n int) (count int, err error) {
	meter := mux.Meter{Items: p.r.window, Bytes: streamBytes}
	for ; count < n; count++ {
		m, _, ok, err := p.r.q.Take(ctx)
		if !ok {
			return count, err
		}
		assert.Equal(t, strconv.Itoa(count), string(m.payload))
		taken := p.r.took()
		if meter.Took(weight(len(m.payload))) > 0 {
			p.s.credit(taken)
		}
	}
	return count, nil
}

// watch is the watching side of a caller, with its control packets delivered
// at once.
func (p *pair) watch(ctx context.Context, t *testing.T) {
	var g gap
	for ctx.Err() == nil {
		s := p.r.look()
		if p.r.due() {
			p.s.credit(s.taken)
		}
		ask, wait := g.look(s, time.Now())
		if ask {
			p.s.resend(s.next)
		}
		if wait == 0 {
			wait = time.Hour
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.r.poke:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// Whatever a connection loses or brings twice, what arrives is whole and in order.
func TestStreamOverALossyWire(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	ends := 0
	for name, lose := range map[string]func(n int, m *message) bool{
		"nothing lost":  nil,
		"three in ten":  func(int, *message) bool { return chance.IntN(10) < 3 },
		"the first ten": func(n int, _ *message) bool { return n <= 10 },
		"the end, twice": func(_ int, m *message) bool {
			if m.get(propEnd) != "" {
				ends++
			}
			return m.get(propEnd) != "" && ends < 3
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				p := newPair(8)
				p.w.lose = lose
				go p.pump(ctx)
				go p.produce(ctx, 300)
				go p.watch(ctx, t)
				soon, stop := context.WithTimeout(ctx, time.Hour)
				defer stop()
				n, err := p.read(soon, t, 1000)
				require.NoError(t, err)
				assert.Equal(t, 300, n)
				p.s.credit(p.r.look().next)
				<-p.pumped
				require.NoError(t, p.gone)
				cancel()
			})
		})
	}
}

// A reader that does not read holds one window, whose sender still says that it lives.
func TestStalledStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPair(8)
		go p.pump(ctx)
		go p.produce(ctx, 100)
		go p.watch(ctx, t)
		time.Sleep(time.Minute - time.Second)
		assert.Equal(t, 8+5, p.w.packets(), "a window, and a heartbeat each ten seconds")
		n, err := p.read(ctx, t, 1000)
		require.NoError(t, err)
		assert.Equal(t, 100, n)
		cancel()
		<-p.pumped
	})
}

// A requester of whom nothing is heard loses its stream, not before 45 seconds.
func TestDeafRequester(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(8)
		go p.produce(t.Context(), 1)
		start := time.Now()
		p.pump(t.Context())
		require.ErrorIs(t, p.gone, errDeaf)
		assert.Equal(t, 50*time.Second, time.Since(start), "with the first heartbeat after that")
	})
}

// A stream waits for its connection, and then sends what is not acknowledged.
func TestStreamOverALostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPair(8)
		go p.watch(ctx, t)
		p.w.down = make(chan struct{})
		go p.pump(ctx)
		go p.produce(ctx, 50)
		time.Sleep(deafTime - time.Second)
		assert.Zero(t, p.w.packets())
		close(p.w.down)
		n, err := p.read(ctx, t, 1000)
		require.NoError(t, err)
		assert.Equal(t, 50, n)
		cancel()
		<-p.pumped

		p = newPair(8)
		p.w.down = make(chan struct{})
		go p.produce(t.Context(), 8)
		p.pump(t.Context())
		require.ErrorIs(t, p.gone, context.Canceled, "the wait ends")
	})
}

// Nobody subscribed: nobody reads.
func TestRefusedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(8)
		p.w.refuses = packets.PubackNoMatchingSubscribers
		go p.produce(t.Context(), 8)
		p.pump(t.Context())
		require.ErrorIs(t, p.gone, errNobody)
	})
}

// Who closes waits for what is sent, not for who reads it.
func TestDrainedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(8)
		go p.pump(t.Context())
		p.produce(t.Context(), 5)
		synctest.Wait()
		close(p.drained)
		<-p.pumped
		assert.Equal(t, 6, p.w.packets())
		require.NoError(t, p.gone)
	})
}

// A repetition before the first credit gets the stream from its beginning.
func TestAttachedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPair(8)
		p.w.lose = func(n int, m *message) bool { return m.correlation == "c" }
		go p.pump(ctx)
		go p.produce(ctx, 4)
		synctest.Wait()
		require.True(t, p.s.attach("d"))
		n, err := p.read(ctx, t, 1000)
		require.NoError(t, err)
		assert.Equal(t, 4, n)
		assert.Equal(t, "d", p.r.current())
		p.s.credit(2)
		assert.False(t, p.s.attach("e"), "the beginning is gone")
		cancel()
		<-p.pumped
	})
}

func packet(correlation, payload string, user ...string) *message {
	m := &message{correlation: correlation, payload: []byte(payload)}
	for i := 0; i < len(user); i += 2 {
		m.add(user[i], user[i+1])
	}
	return m
}

// What a receiver makes of packets that it should not get.
func TestReceiver(t *testing.T) {
	seq := func(n int) *message { return packet("c", strconv.Itoa(n), propSeq, strconv.Itoa(n)) }
	taken := func(r *receiver) (all string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for {
			m, _, ok, _ := r.q.Take(ctx)
			if !ok {
				return all
			}
			all += string(m.payload) + " "
		}
	}
	for _, c := range []struct {
		name string
		in   []*message
		want string
		gap  bool
	}{
		{"in order", []*message{seq(0), seq(1)}, "0 1 ", false},
		{"out of order", []*message{seq(2), seq(1), seq(0)}, "0 1 2 ", false},
		{"twice", []*message{seq(0), seq(0), seq(1), seq(0)}, "0 1 ", false},
		{"a hole", []*message{seq(0), seq(2)}, "0 ", true},
		{"beyond the window", []*message{seq(0), seq(10)}, "0 ", false},
		{"a heartbeat that knows more", []*message{seq(0), packet("c", "", propHeartbeat, "3")}, "0 ", true},
		{"a heartbeat that lies", []*message{seq(0), packet("c", "", propHeartbeat, "99999999999999999999")}, "0 ", false},
		{"without numbers", []*message{packet("c", "a"), packet("c", ""), packet("c", "b")}, "a b ", false},
		{"a stray one", []*message{seq(0), packet("c", "x"), seq(1)}, "0 1 ", false},
		{"after the end", []*message{seq(0), packet("c", "", propSeq, "1", propEnd, "ok"), seq(2)}, "0 ", false},
		{"another member", []*message{packet("c", "a", propResponder, "m"), packet("c", "b", propResponder, "n")}, "a ", false},
		{"a number that is none", []*message{packet("c", "a", propSeq, "-1")}, "a ", false},
	} {
		r := newReceiver(4, false)
		for _, m := range c.in {
			r.deliver(m)
		}
		assert.Equal(t, c.want, taken(r), c.name)
		assert.Equal(t, c.gap, r.look().gap, c.name)
	}
	r := newReceiver(4, false)
	for range unnumberedRoom + 1 {
		r.deliver(packet("c", "x"))
	}
	_ = taken(r)
	_, _, ok, err := r.q.Take(t.Context())
	assert.False(t, ok)
	require.ErrorContains(t, err, "ahead of its window")
}

// The end of a stream that says why comes beside a full window.
func TestReceiverHasRoomForTheEnd(t *testing.T) {
	const window = 2 * unnumberedRoom
	r := newReceiver(window, false)
	for n := range window {
		r.deliver(packet("c", "{}", propSeq, strconv.Itoa(n)))
	}
	r.deliver(packet("c", "{}", propSeq, strconv.Itoa(window), propEnd, endError))
	for range window + 1 {
		_, _, ok, err := r.q.Take(t.Context())
		require.NoError(t, err)
		require.True(t, ok)
	}
	_, _, ok, err := r.q.Take(t.Context())
	require.NoError(t, err)
	assert.False(t, ok)
}

func TestGap(t *testing.T) {
	var g gap
	now := time.Now()
	missing := state{gap: true, next: 3}
	look := func(after time.Duration, s state) bool {
		now = now.Add(after)
		ask, _ := g.look(s, now)
		return ask
	}
	assert.False(t, look(0, missing))
	assert.False(t, look(gapTime-1, missing))
	assert.True(t, look(1, missing))
	assert.True(t, look(gapTime, missing))
	assert.Equal(t, 2, g.tries)
	assert.False(t, look(0, state{gap: true, next: 4}), "another one is missing")
	assert.False(t, look(gapTime, state{}), "nothing is")
	assert.Zero(t, g.tries)
}
