package mqtt

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/binding"
)

// Filter chooses agents by their addresses. The zero value is all agents below
// [DefaultRoot].
type Filter struct {
	// Root is where the topics begin. Empty is DefaultRoot.
	Root string
	// Org, Unit and Agent are the parts of an address. Empty is any.
	Org, Unit, Agent string
}

// topic is the filter as a topic filter.
func (f Filter) topic() (string, error) {
	parts := []string{f.Org, f.Unit, f.Agent}
	for i, p := range parts {
		if p == "" {
			parts[i] = "+"
		} else if !validID(p) {
			return "", binding.Errorf(binding.InvalidParams, "mqtt: discover: %q is not of letters, digits, '_', '.' and '-'", p)
		}
	}
	if f.Root == "" {
		f.Root = DefaultRoot
	}
	return f.Root + "/discovery/" + strings.Join(parts, "/"), nil
}

// Found is an agent as its broker knows it now. What a broker keeps is a hint,
// not a sign of life: an agent that is online may be gone, or the other way round.
type Found struct {
	// Address is where its requests go.
	Address Address
	// Card is its Agent Card, and JSON the same as it was published, which
	// signatures are of. Both are nil when it has left for good.
	Card *pb.AgentCard
	JSON []byte
	// Online is a2a-status: an agent that does not tell it is taken for online.
	Online bool
	// Source is who says so (a2a-status-source): agent, lwt or broker.
	Source string
	// Gone means that the agent has taken its card away.
	Gone bool
}

// The bounds of a discovery: how many agents may wait for who reads it, and how
// many are followed.
const (
	maxFound = 1 << 14
	maxKnown = 1 << 17
)

// Discover is a stream of the agents that a filter takes: first those that the
// broker knows, then each one that comes, changes, goes offline or goes for
// good. Of one agent, only the newest is told to who reads slowly, and what comes
// again without a change is not told. It ends with the context, or with the
// connection for good; while the connection is down it waits, and once it is up
// again tells who has gone meanwhile. What is not a card
// is logged and passed over.
func Discover(ctx context.Context, conn *Connection, f Filter) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		topic, err := f.topic()
		if err != nil {
			yield(Found{}, err)
			return
		}
		news := &news{conn: conn, prefix: strings.Count(topic, "/") - 2, ready: make(chan struct{}, 1), waiting: map[Address]Found{}, known: map[Address]uint64{}, seed: maphash.MakeSeed()}
		r := &route{options: paho.SubscribeOptions{Topic: topic, QoS: 1, RetainAsPublished: true}, topic: topic, handler: news.receive, renew: news.renew}
		if err := conn.subscribe(ctx, r); err != nil {
			yield(Found{}, binding.Flatten(err))
			return
		}
		defer conn.unsubscribe(r)
		for {
			found, err := news.next(ctx)
			if !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// news is what a discovery has not told yet.
type news struct {
	conn   *Connection
	prefix int // segments of a topic before the address
	ready  chan struct{}

	mu      sync.Mutex
	waiting map[Address]Found
	order   []Address          // of waiting, the oldest first
	known   map[Address]uint64 // what was heard last of those that are there, as a hash
	missing map[Address]bool   // those of known that the broker has not told again since it was connected to again
	heard   time.Time          // when it last told something, or was asked to
	seed    maphash.Seed
	full    bool
}

// quietTime is how long a broker is silent after what it has retained, and agents
// take to come back where it has retained nothing: who was known, and is not told
// again, has gone while the connection was down.
const quietTime = 10 * time.Second

// renew is called before the broker is asked again for what it has retained.
func (n *news) renew() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.missing, n.heard = map[Address]bool{}, time.Now()
	for a := range n.known {
		n.missing[a] = true
	}
	n.signal()
}

// lapse tells that those who are missing have gone, and is how long to wait for
// that, 0 when nobody is missing. The lock is held.
func (n *news) lapse() time.Duration {
	if len(n.missing) == 0 {
		return 0
	}
	if n.conn.now() == nil {
		return quietTime
	}
	if wait := quietTime - time.Since(n.heard); wait > 0 {
		return wait
	}
	for a := range n.missing {
		n.tell(Found{Address: a, Gone: true}, 0)
	}
	n.missing = nil
	return 0
}

// receive takes what is published about an agent. It is called by the
// goroutine that reads the connection.
func (n *news) receive(m *message) {
	parts := strings.Split(m.topic, "/")
	a, err := ParseAddress(strings.Join(parts[min(n.prefix, len(parts)):], "/"))
	if err != nil {
		return
	}
	found := Found{Address: a, Gone: len(m.payload) == 0}
	if !found.Gone {
		if found.Card, err = readCard(m.payload); err != nil {
			n.conn.o.Logger.Warn("what is published is not an agent card", "agent", a.String(), "error", err)
			return
		}
		found.JSON, found.Source = m.payload, m.get(propStatusSource)
		found.Online = m.get(propStatus) != statusOffline
	}
	sum := n.sum(m)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = time.Now()
	delete(n.missing, a)
	last, known := n.known[a]
	switch {
	case found.Gone && !known:
		return // nobody has heard of it
	case known && last == sum:
		return // a broker may deliver twice, and an agent publish again
	}
	n.tell(found, sum)
	n.signal()
}

// tell has something waiting for the reader. The lock is held.
func (n *news) tell(found Found, sum uint64) {
	a := found.Address
	_, waits := n.waiting[a]
	_, known := n.known[a]
	if !waits && len(n.order) >= maxFound || !known && len(n.known) >= maxKnown {
		n.full = true
		return
	}
	if !waits {
		n.order = append(n.order, a)
	}
	n.waiting[a] = found
	n.known[a] = sum
	if found.Gone {
		delete(n.known, a)
	}
}

// signal wakes the reader.
func (n *news) signal() {
	select {
	case n.ready <- struct{}{}:
	default:
	}
}

// sum is a hash of what counts in a card's packet.
func (n *news) sum(m *message) uint64 {
	var h maphash.Hash
	h.SetSeed(n.seed)
	for _, s := range []string{m.get(propStatus), m.get(propStatusSource), m.get(propInstance)} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	_, _ = h.Write(m.payload)
	return h.Sum64()
}

// next waits for news.
func (n *news) next(ctx context.Context) (Found, error) {
	for {
		n.mu.Lock()
		lapse := n.lapse()
		if n.full {
			n.mu.Unlock()
			return Found{}, binding.Errorf(binding.ResourceExhausted, "mqtt: discover: more than %d agents wait to be read, or there are more than %d", maxFound, maxKnown)
		}
		if len(n.order) > 0 {
			a := n.order[0]
			n.order = n.order[1:]
			found := n.waiting[a]
			delete(n.waiting, a)
			n.mu.Unlock()
			return found, nil
		}
		n.mu.Unlock()
		if err := n.wait(ctx, lapse); err != nil {
			return Found{}, err
		}
	}
}

// wait waits until there may be news, a time at most where that is not 0.
func (n *news) wait(ctx context.Context, most time.Duration) error {
	var late <-chan time.Time
	if most > 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-n.ready:
	case <-late:
	case <-n.conn.Done():
		return n.conn.Err()
	case <-ctx.Done():
		return binding.Flatten(ctx.Err())
	}
	return nil
}
