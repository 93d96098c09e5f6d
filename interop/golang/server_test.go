//go:build interop

package golang_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"google.golang.org/grpc"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/interop/sdk"
)

// capabilities are those of the two agents.
var capabilities = map[string]a2a.AgentCapabilities{
	"full": {
		Streaming: true, PushNotifications: true, ExtendedAgentCard: true,
		Extensions: []a2a.AgentExtension{{URI: leg.ExtensionGeo}, {URI: sdk.ExtensionCite}},
	},
	"strict": {Extensions: []a2a.AgentExtension{{URI: sdk.ExtensionRequired, Required: true}}},
}

// server is the two agents on the SDK's server.
func server(ctx context.Context, _ []string) error {
	urls := map[string]string{}
	for name := range capabilities {
		url, err := serve(ctx, name)
		if err != nil {
			return err
		}
		urls[name] = url
	}
	if err := json.NewEncoder(os.Stdout).Encode(urls); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func serve(ctx context.Context, name string) (string, error) {
	listen := func() (net.Listener, error) { return new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0") }
	web, err := listen()
	rpc, errRPC := listen()
	if err = errors.Join(err, errRPC); err != nil {
		return "", err
	}
	url := "http://" + web.Addr().String()
	can := capabilities[name]
	skill := func(id string) a2a.AgentSkill {
		return a2a.AgentSkill{ID: id, Name: id, Description: id, Tags: []string{"test"}}
	}
	card := &a2a.AgentCard{
		Name: name, Description: "An agent on the official Go SDK.", Version: "1.0.0", Capabilities: can,
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(url+"/jsonrpc", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(url+"/rest", a2a.TransportProtocolHTTPJSON),
			a2a.NewAgentInterface(rpc.Addr().String(), a2a.TransportProtocolGRPC),
		},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a.AgentSkill{skill("echo")},
	}
	options := []a2asrv.RequestHandlerOption{a2asrv.WithLogger(slog.New(slog.DiscardHandler)), a2asrv.WithCapabilityChecks(&can), a2asrv.WithCallInterceptors(known{})}
	if can.PushNotifications {
		options = append(options, a2asrv.WithPushNotifications(push.NewInMemoryStore(), silent{}))
	}
	if can.ExtendedAgentCard {
		extended := *card
		extended.Skills = append(extended.Skills[:1:1], skill("more"))
		options = append(options, a2asrv.WithExtendedAgentCard(&extended))
	}
	handler := a2asrv.NewHandler(newExecutor(), options...)

	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/jsonrpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	mux.Handle("/rest/acme/", http.StripPrefix("/rest", a2asrv.NewTenantRESTHandler("/{*}", handler)))
	g := grpc.NewServer()
	pb.RegisterA2AServiceServer(g, a2agrpc.NewHandler(handler))
	go func() { _ = http.Serve(web, mux) }()
	go func() { _ = g.Serve(rpc) }()
	return url, nil
}

// known has all callers be one that is known: the SDK lists nobody's tasks.
type known struct {
	a2asrv.PassthroughCallInterceptor
}

func (known) Before(ctx context.Context, call *a2asrv.CallContext, _ *a2asrv.Request) (context.Context, any, error) {
	call.User = a2asrv.NewAuthenticatedUser("somebody", nil)
	return ctx, nil, nil
}

// silent calls no webhook: those of the tests are nowhere.
type silent struct{}

func (silent) SendPush(context.Context, *a2a.PushConfig, a2a.Event) error { return nil }
