package mqtt

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"
	"sync"

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

// maxFound is how many agents may wait for who reads a discovery.
const maxFound = 1 << 14

// Discover is a stream of the agents that a filter takes: first those that the
// broker knows, then each one that comes, changes, goes offline or goes for
// good. Of one agent, only the newest is told to who reads slowly, and what comes
// again without a change is not told. It ends with the context, or with the
// connection for good; while the connection is down it waits. What is not a card
// is logged and passed over.
func Discover(ctx context.Context, conn *Connection, f Filter) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		topic, err := f.topic()
		if err != nil {
			yield(Found{}, err)
			return
		}
		news := &news{conn: conn, prefix: strings.Count(topic, "/") - 2, ready: make(chan struct{}, 1), waiting: map[Address]Found{}, known: map[Address]uint64{}, seed: maphash.MakeSeed()}
		r := &route{options: paho.SubscribeOptions{Topic: topic, QoS: 1, RetainAsPublished: true}, topic: topic, handler: news.receive}
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
	seed    maphash.Seed
	full    bool
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
	last, known := n.known[a]
	_, waits := n.waiting[a]
	switch {
	case found.Gone && !known:
		return // nobody has heard of it
	case known && last == sum:
		return // a broker may deliver twice, and an agent publish again
	case !waits && len(n.order) >= maxFound:
		n.full = true
	case !waits:
		n.order = append(n.order, a)
		fallthrough
	default:
		n.waiting[a] = found
		n.known[a] = sum
		if found.Gone {
			delete(n.known, a)
		}
	}
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
		if n.full {
			n.mu.Unlock()
			return Found{}, binding.Errorf(binding.ResourceExhausted, "mqtt: discover: more than %d agents wait to be read", maxFound)
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
		select {
		case <-n.ready:
		case <-n.conn.Done():
			return Found{}, n.conn.Err()
		case <-ctx.Done():
			return Found{}, binding.Flatten(ctx.Err())
		}
	}
}
