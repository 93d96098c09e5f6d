package grpcbind

import (
	"context"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/connectivity"

	"github.com/a2awire/a2awire/binding"
)

// Binding is the uniform door. The zero value is ready.
type Binding struct{ Options Options }

var _ binding.Binding = Binding{}

// Protocol is [Protocol].
func (Binding) Protocol() string { return Protocol }

// Dial connects to an interface of a card. It returns when the connection is
// up, or fails when it cannot be made, the context ends, or ten seconds have
// passed.
func (b Binding) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	o := b.Options
	o.Tenant = iface.GetTenant()
	c, client, err := dial(iface.GetUrl(), &o)
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx); err != nil {
		_ = client.Close()
		return nil, binding.DialError(ctx, "grpcbind: dial", err)
	}
	return client, nil
}

// ready waits for the connection.
func (c *conn) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, fmt.Errorf("no connection within %v", connectTimeout))
	defer cancel()
	c.cc.Connect()
	for {
		state := c.cc.GetState()
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure:
			return c.why(ctx)
		case connectivity.Idle:
			c.cc.Connect() // it was up, and is gone again
		}
		if !c.cc.WaitForStateChange(ctx, state) {
			return context.Cause(ctx)
		}
	}
}

// why is what a connection failed with. Only a call tells it; this one fails
// before it is sent, or is taken back.
func (c *conn) why(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.cc.NewStream(ctx, &streamDesc, methods[binding.OpSubscribeToTask])
	if err != nil {
		return err
	}
	cancel()
	drop(stream, binding.OpSubscribeToTask)
	return nil // it is up by now
}
