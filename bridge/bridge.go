package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
)

// Bridge serves one upstream agent on any number of listeners. Make it with
// New; its methods may be called at the same time.
type Bridge struct {
	o        Options
	relay    binding.Client
	upstream atomic.Pointer[pb.AgentCard]
	card     atomic.Pointer[pb.AgentCard]

	mu      sync.Mutex
	servers []binding.Server
	fronts  atomic.Pointer[[]*pb.AgentInterface]
}

// New is a bridge to a dialed agent, whose card it may know. Closing the
// bridge closes the client. Options' Card and Front are the bridge's own.
func New(upstream binding.Client, card *pb.AgentCard, o *Options) *Bridge {
	b := new(Bridge)
	if o != nil {
		b.o = *o
	}
	b.upstream.Store(card)
	b.fronts.Store(new([]*pb.AgentInterface))
	b.o.Card, b.o.Front = b.upstream.Load, func() []*pb.AgentInterface { return *b.fronts.Load() }
	b.relay = Relay(upstream, &b.o)
	b.refresh()
	return b
}

// Card is the card that the bridge's servers show: the upstream's, with the
// bridge's own interfaces. It is nil while the upstream's is not known. Give it
// to the bindings as Options.Card.
func (b *Bridge) Card() *pb.AgentCard { return b.card.Load() }

// Interfaces are what the bridge listens on, as its card shows them.
func (b *Bridge) Interfaces() []*pb.AgentInterface { return slices.Clone(*b.fronts.Load()) }

// SetCard takes note of a new card of the upstream.
func (b *Bridge) SetCard(card *pb.AgentCard) {
	b.upstream.Store(card)
	b.refresh()
}

func (b *Bridge) refresh() {
	card := b.upstream.Load()
	if card == nil {
		return
	}
	b.card.Store(agentcard.Rewrite(card, agentcard.Front{
		Interfaces: *b.fronts.Load(), KeepSecurity: b.o.ForwardCredentials,
	}))
}

// Agent is the relay, for those who serve it by a binding's native door.
func (b *Bridge) Agent() binding.Agent { return b.relay }

// Listen serves the agent with a binding at an interface's URL, and puts what
// was bound into the card. public, when not empty, is the URL that callers use
// in its place, for a bridge behind something else.
func (b *Bridge) Listen(ctx context.Context, with binding.Binding, iface *pb.AgentInterface, public string) (binding.Server, error) {
	s, err := with.Serve(ctx, iface, b.relay)
	if err != nil {
		return nil, fmt.Errorf("bridge: listen: %w", err)
	}
	shown := binding.Interfaces(s)
	for _, i := range shown {
		if public != "" {
			i.Url = public
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = append(b.servers, s)
	fronts := append(append([]*pb.AgentInterface(nil), *b.fronts.Load()...), shown...)
	b.fronts.Store(&fronts)
	b.refresh()
	return s, nil
}

// Shutdown stops all listeners, each until its calls have ended or the context
// has, and closes the upstream's client.
func (b *Bridge) Shutdown(ctx context.Context) error {
	b.mu.Lock()
	servers := b.servers
	b.servers = nil
	b.mu.Unlock()
	errs := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { errs[i] = s.Shutdown(ctx) })
	}
	wg.Wait()
	return errors.Join(append(errs, b.relay.Close())...)
}

// Close is Shutdown without waiting for calls.
func (b *Bridge) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
