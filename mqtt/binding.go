package mqtt

import (
	"context"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// Binding is the uniform door. The zero value is ready. It is registered under
// [ProfileProtocol] too.
type Binding struct{ Options Options }

var _ binding.Binding = Binding{}

// Protocol is [Protocol].
func (Binding) Protocol() string { return Protocol }

// probeTime bounds the wait for a sign of life when an interface is dialed.
const probeTime = 10 * time.Second

// Dial connects to an interface of a card. It fails when the broker cannot be
// reached, when the agent is known to be offline, and when nothing comes back
// from its address within ten seconds.
func (b Binding) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	o := b.Options
	o.Tenant = iface.GetTenant()
	c, client, err := dial(ctx, iface.GetUrl(), &o)
	if err != nil {
		return nil, err
	}
	if err := c.probe(ctx); err != nil {
		_ = client.Close()
		return nil, binding.DialError(ctx, "mqtt: dial", err)
	}
	return client, nil
}

// errNoAnswer is an address that nothing comes back from.
var errNoAnswer = binding.Errorf(binding.Unavailable, "mqtt: dial: nothing came back from the address in %v", probeTime)

// probe asks for a method that does not exist: whoever is there says so.
func (c *conn) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTime, errNoAnswer)
	defer cancel()
	x := c.request("Ping", []byte("{}"), new(binding.Call), false)
	defer x.leave()
	if err := x.begin(ctx); err != nil {
		return err
	}
	x.over()
	return nil
}

// Serve serves an agent at an mqtt or mqtts URL, over a connection of its own.
// Where the URL has no path, the address is a random one, and its card is taken
// away with the server.
func (b Binding) Serve(ctx context.Context, iface *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	o := b.Options.resolve()
	broker, path, err := parseBroker(iface.GetUrl())
	if err != nil {
		return nil, err
	}
	a := Address{Org: "a2awire", Unit: "local", Agent: "agent-" + randomID()}
	if path != "" {
		if a, err = ParseAddress(path); err != nil {
			return nil, err
		}
	}
	w, err := NewWill(broker.String(), a, &o)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, broker, o.connect(a.String(), w))
	if err != nil {
		return nil, err
	}
	s, err := serve(ctx, conn, a, agent, &o, true)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	s.iface.Tenant = iface.GetTenant()
	s.status.remove = path == ""
	return s, nil
}
