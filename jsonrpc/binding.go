package jsonrpc

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

// Dial connects to an interface of a card. It fails when its address accepts
// no connections.
func (b Binding) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	o := b.Options
	o.Tenant = iface.GetTenant()
	c, client, err := dial(iface.GetUrl(), &o)
	if err != nil {
		return nil, err
	}
	if err := c.http.Reach(ctx); err != nil {
		_ = client.Close()
		return nil, binding.DialError(ctx, "jsonrpc: dial", err)
	}
	return client, nil
}

// Serve serves an agent at an http or https URL.
func (b Binding) Serve(ctx context.Context, iface *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	o := b.Options.resolve()
	in := binding.NewInbound(agent, &o.Options, binding.CarriesJSON)
	return httpwire.Serve(ctx, httpwire.Wire{
		Package: "jsonrpc", Protocol: Protocol, Scheme: "http", HTTP2: true,
		Handler: &handler{in: in, o: o}, Calls: in,
	}, iface, o.Options)
}
