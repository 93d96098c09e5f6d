package ws

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// Binding is the uniform door. The zero value is ready.
type Binding struct{ Options Options }

var _ binding.Binding = Binding{}

// Protocol is [Protocol].
func (Binding) Protocol() string { return Protocol }

// Dial connects to an interface of a card.
func (b Binding) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	o := b.Options
	o.Tenant = iface.GetTenant()
	return Dial(ctx, iface.GetUrl(), &o)
}

// Serve serves an agent at a ws or wss URL.
func (b Binding) Serve(ctx context.Context, iface *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	h := NewHandler(agent, &b.Options)
	return httpwire.Serve(ctx, httpwire.Wire{
		Package: "ws", Protocol: Protocol, Aliases: []string{ProposalProtocol}, Scheme: "ws",
		Handler: h, Calls: calls{h},
	}, iface, h.o.Options)
}

// calls are a handler's; its Close waits.
type calls struct{ *Handler }

func (calls) Wait() {}
