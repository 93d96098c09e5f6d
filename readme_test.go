package a2awire_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/equivalence"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/rest"
	"github.com/a2awire/a2awire/ws"
)

// The README's snippets, to the letter. TestREADME compares.

// snippet: agent
func serve(ctx context.Context, agent binding.Agent, card *pb.AgentCard) (servers []binding.Server, err error) {
	o := binding.Options{Card: binding.StaticCard(card)}
	for url, b := range map[string]binding.Binding{
		"http://127.0.0.1:8080": jsonrpc.Binding{Options: jsonrpc.Options{Options: o}},
		"http://127.0.0.1:8081": rest.Binding{Options: rest.Options{Options: o}},
		"grpc://127.0.0.1:8082": grpcbind.Binding{Options: grpcbind.Options{Options: o}},
	} {
		s, err := b.Serve(ctx, &pb.AgentInterface{Url: url}, agent)
		if err != nil {
			return servers, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// end

// snippet: native
func mount(mux *http.ServeMux, server *grpc.Server, agent binding.Agent, card *pb.AgentCard) {
	mux.Handle("/rpc", jsonrpc.Handler(agent, nil))
	mux.Handle("/v1/", http.StripPrefix("/v1", rest.Handler(agent, nil)))
	mux.Handle("/ws", ws.NewHandler(agent, nil)) // has Shutdown and Close: a server does not end what it upgraded
	mux.Handle(agentcard.Path, agentcard.Handler(binding.StaticCard(card), 0))
	grpcbind.Register(server, agent, nil) // of grpc.NewServer(grpcbind.ServerOptions(nil)...)
}

// end

// snippet: client
func ask(ctx context.Context, url, text string) (*pb.SendMessageResponse, error) {
	cards := agentcard.NewFetcher(nil)
	defer cards.Close()
	card, err := cards.Fetch(ctx, url)
	if err != nil {
		return nil, err
	}
	bindings := binding.NewRegistry(jsonrpc.Binding{}, rest.Binding{}, grpcbind.Binding{}, ws.Binding{})
	client, err := bindings.Dial(ctx, card)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.SendMessage(ctx, nil, &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: rand.Text(), Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}},
	}})
}

// end

// snippet: sdk
func serveSDK(ctx context.Context, executor a2asrv.AgentExecutor, card *a2a.AgentCard) (binding.Server, error) {
	agent := a2asdk.FromHandler(a2asrv.NewHandler(executor)) // your a2a-go agent, as it is
	o := binding.Options{Card: binding.StaticCard(a2asdk.FromCard(card))}
	wire := mqtt.Binding{Options: mqtt.Options{Options: o}}
	return wire.Serve(ctx, &pb.AgentInterface{Url: "mqtt://broker.example/acme/edge/press-7"}, agent)
}

func dialSDK(ctx context.Context, card *a2a.AgentCard) (*a2aclient.Client, error) {
	return a2aclient.NewFromCard(ctx, card, a2asdk.WithBindings(binding.NewRegistry(mqtt.Binding{}, ws.Binding{}))...)
}

// end

// snippet: bridge
func relay(ctx context.Context, upstream *pb.AgentCard) (*bridge.Bridge, error) {
	client, err := binding.NewRegistry(grpcbind.Binding{}).Dial(ctx, upstream)
	if err != nil {
		return nil, err
	}
	b := bridge.New(client, upstream, nil)
	front := jsonrpc.Binding{Options: jsonrpc.Options{Options: binding.Options{Card: b.Card}}}
	if _, err := b.Listen(ctx, front, &pb.AgentInterface{Url: "http://127.0.0.1:8080"}, ""); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// end

// snippet: equivalence
func TestEquivalenceMine(t *testing.T) {
	equivalence.Run(t, func(t testing.TB, agent binding.Agent) binding.Agent {
		o := jsonrpc.Options{Options: *equivalence.OptionsFor(agent)} // yours in place of jsonrpc
		mine := jsonrpc.Binding{Options: o}
		server, err := mine.Serve(t.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0"}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { _ = server.Close() })
		client, err := mine.Dial(t.Context(), server.Interface())
		require.NoError(t, err)
		t.Cleanup(func() { _ = client.Close() })
		return client
	})
}

// end

var _ = []any{serve, serveSDK, dialSDK, mount, ask, relay}

var (
	inREADME = regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```")
	inSource = regexp.MustCompile(`(?s)// snippet: (\w+)\n(.*?)\n// end\n`)
	goBlock  = regexp.MustCompile("(?m)^```go$")
)

// Every Go snippet of the README is a function above, which compiles.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	compiled := map[string]string{}
	for _, m := range inSource.FindAllStringSubmatch(string(source), -1) {
		compiled[m[1]] = m[2]
	}
	snippets := inREADME.FindAllStringSubmatch(string(readme), -1)
	assert.Len(t, snippets, len(goBlock.FindAllString(string(readme), -1)), "a snippet of the README has no name")
	assert.Len(t, compiled, len(snippets))
	assert.Contains(t, string(readme), fmt.Sprintf("%d scenarios", len(equivalence.Scenarios())))
	for _, m := range snippets {
		assert.Equal(t, strings.TrimSpace(compiled[m[1]]), strings.TrimSpace(m[2]), "the snippet %q of the README is not what compiles", m[1])
	}
}
