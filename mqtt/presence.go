package mqtt

import (
	"context"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// presence is what a client knows of its agent from the retained card.
type presence struct {
	mu       sync.Mutex
	ctx      context.Context // of calls to the agent as it is now
	lose     context.CancelCauseFunc
	instance string
	away     *time.Timer // runs while the agent may yet come back
	seen     bool        // it was online, or what the broker had has come
	card     bool        // the broker has a card, on this connection
	limit    int         // of a packet that the agent takes, 0 for none
	emq      bool        // it knows EMQ's profile alone
}

// returnTime is how long an agent that lost its connection may take to come
// back before its calls fail.
const returnTime = 5 * time.Second

// Why an agent cannot be reached.
var (
	errOffline   = binding.Errorf(binding.Unavailable, "mqtt: the agent is offline")
	errGone      = binding.Errorf(binding.Unavailable, "mqtt: the agent has left the broker")
	errRestarted = binding.Errorf(binding.Unavailable, "mqtt: the agent has been restarted meanwhile")
)

func newPresence() *presence {
	p := new(presence)
	p.ctx, p.lose = context.WithCancelCause(context.Background())
	return p
}

// reachable is a context that ends when the agent is known to be gone; the
// error says that it is already. A client that knows nothing takes it for there.
func (p *presence) reachable() (context.Context, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := context.Cause(p.ctx); err != nil {
		return nil, err
	}
	return p.ctx, nil
}

// profile reports whether the agent knows EMQ's profile alone.
func (p *presence) profile() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.emq
}

// renew forgets that there is a card, before the broker says again what it has.
func (p *presence) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.card = false
}

// known reports whether there is a card.
func (p *presence) known() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.card
}

// receive takes a card.
func (p *presence) receive(m *message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
	first := !p.seen
	p.seen, p.card = true, len(m.payload) > 0
	if !p.card {
		p.lose(errGone)
		return
	}
	if card, err := readCard(m.payload); err == nil {
		p.limit = peerLimit(card)
		p.emq = !lists(card, Protocol) && lists(card, ProfileProtocol)
	}
	if m.get(propStatus) == statusOffline {
		if m.get(propStatusSource) == sourceAgent || first && m.retain {
			p.lose(errOffline)
			return
		}
		var away *time.Timer
		away = time.AfterFunc(returnTime, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.away == away { // else it has come back just now
				p.lose(errOffline)
			}
		})
		p.away = away
		return
	}
	instance := m.get(propInstance)
	if p.instance != "" && instance != p.instance {
		p.lose(errRestarted)
	}
	p.instance = instance
	if p.ctx.Err() != nil {
		p.ctx, p.lose = context.WithCancelCause(context.Background())
	}
}

// stop ends the wait for an agent that is away. The lock is held.
func (p *presence) stop() {
	if p.away != nil {
		p.away.Stop()
		p.away = nil
	}
}

// close ends everything.
func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
	p.lose(errClientClosed)
}

// fits refuses a packet that is larger than the agent's card says it takes: its
// broker would drop it, and acknowledge it all the same.
func (p *presence) fits(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && n > p.limit {
		return tooLarge(n, p.limit)
	}
	return nil
}

// peerLimit is the largest packet that an agent takes, 0 where its card does not say.
func peerLimit(card *pb.AgentCard) int {
	for _, x := range card.GetCapabilities().GetExtensions() {
		if x.GetUri() == Protocol {
			return int(x.GetParams().GetFields()["maxPacketBytes"].GetNumberValue())
		}
	}
	return 0
}
