//go:build interop

package golang_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// talk is a conversation of the SDK's client.
type talk struct {
	ctx    context.Context
	client *a2aclient.Client
	wire   a2aclient.Transport // below the client, which asks no agent for what its card rules out
	card   *a2a.AgentCard
}

// client holds a conversation: URL, transport, mode.
func client(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: client URL TRANSPORT MODE")
	}
	card, err := agentcard.DefaultResolver.Resolve(ctx, args[0])
	if err != nil {
		return err
	}
	k := &talk{ctx: ctx, card: card}
	protocol, make := transport(args[1])
	k.client, err = a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), a2aclient.WithTransport(protocol,
		a2aclient.TransportFactoryFn(func(_ context.Context, _ *a2a.AgentCard, iface *a2a.AgentInterface) (a2aclient.Transport, error) {
			var err error
			k.wire, err = make(iface.URL)
			return k.wire, err
		})))
	if err != nil {
		return err
	}
	if args[2] == "full" {
		k.full()
	} else {
		k.strict()
	}
	return k.client.Destroy()
}

// patience is how long one call may take.
const patience = 15 * time.Second

func transport(name string) (a2a.TransportProtocol, func(string) (a2aclient.Transport, error)) {
	web := &http.Client{Timeout: patience}
	switch name {
	case "jsonrpc":
		return a2a.TransportProtocolJSONRPC, func(at string) (a2aclient.Transport, error) {
			return a2aclient.NewJSONRPCTransport(at, web), nil
		}
	case "rest":
		return a2a.TransportProtocolHTTPJSON, func(at string) (a2aclient.Transport, error) {
			u, err := url.Parse(at)
			return a2aclient.NewRESTTransport(u, web), err
		}
	default:
		return a2a.TransportProtocolGRPC, func(at string) (a2aclient.Transport, error) {
			conn, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
			return a2agrpc.NewGRPCTransport(conn), err
		}
	}
}
