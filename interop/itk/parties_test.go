//go:build interop

package itk_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/interop/leg"
)

// party is one of the agents: where its card is.
type party struct {
	name string
	card string
}

// patience is how long all journeys together may take.
const patience = 4 * time.Minute

func handler(v *traveller) a2asrv.RequestHandler {
	return a2asrv.NewHandler(v, a2asrv.WithLogger(slog.New(slog.DiscardHandler)),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)))
}

func cardOf(interfaces ...*a2a.AgentInterface) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "traveller", Description: "It runs errands.", Version: "1.0.0",
		Capabilities:        a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		SupportedInterfaces: interfaces,
		DefaultInputModes:   []string{"application/json"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "errand", Name: "errand", Description: "It runs errands.", Tags: []string{"test"}}},
	}
}

// ours is an agent on our bindings that calls with our clients.
func ours(t *testing.T) party {
	agent := a2asdk.FromHandler(handler(newTraveller(callOurs)))
	var card atomic.Pointer[pb.AgentCard]
	card.Store(a2asdk.FromCard(cardOf()))
	var interfaces []*pb.AgentInterface
	for _, e := range entries() {
		s, err := e.Make(binding.Options{Card: card.Load}).Serve(t.Context(), &pb.AgentInterface{Url: address(e)}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		interfaces = append(interfaces, s.Interface())
	}
	shown := a2asdk.FromCard(cardOf())
	shown.SupportedInterfaces = interfaces
	card.Store(shown)
	return party{"ours", show(t, card.Load)}
}

// entries are our bindings that the others have too.
func entries() []catalogue.Entry {
	return slices.DeleteFunc(catalogue.Entries(), func(e catalogue.Entry) bool { return protocols[e.Name] == "" })
}

// address is where to serve. Others want that of gRPC without a scheme.
func address(e catalogue.Entry) string {
	return strings.TrimPrefix(e.Scheme+"://127.0.0.1:0", "grpc://")
}

// show serves a card, and is the URL above it.
func show(t *testing.T, card func() *pb.AgentCard) string {
	mux := http.NewServeMux()
	mux.Handle(agentcard.Path, agentcard.Handler(card, 0))
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return web.URL
}

// gosdk is an agent on the Go SDK's own transports.
func gosdk(t *testing.T) party {
	h := handler(newTraveller(callGo))
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	rpc := leg.Listen(t)
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(h))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(h)))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(cardOf(
		a2a.NewAgentInterface(web.URL+"/rpc", a2a.TransportProtocolJSONRPC),
		a2a.NewAgentInterface(web.URL+"/rest", a2a.TransportProtocolHTTPJSON),
		a2a.NewAgentInterface(rpc.Addr().String(), a2a.TransportProtocolGRPC),
	)))
	g := grpc.NewServer()
	pb.RegisterA2AServiceServer(g, a2agrpc.NewHandler(h))
	go func() { _ = g.Serve(rpc) }()
	t.Cleanup(g.Stop)
	return party{"go", web.URL}
}

// bridged is a party behind our bridge.
func bridged(t *testing.T, p party) party {
	cards := agentcard.NewFetcher(nil)
	defer cards.Close()
	card, err := cards.Fetch(t.Context(), p.card)
	require.NoError(t, err)
	c, err := catalogue.Registry(binding.Options{}).Dial(t.Context(), card)
	require.NoError(t, err)
	b := bridge.New(c, card, nil)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	for _, e := range entries() {
		_, err := b.Listen(t.Context(), e.Make(binding.Options{Card: b.Card}), &pb.AgentInterface{Url: address(e)}, "")
		require.NoError(t, err)
	}
	return party{p.name, show(t, b.Card)}
}

// script is an agent of another language: a program that prints where its card is.
func script(t *testing.T, name, program string, args ...string) party {
	p := party{name: name}
	leg.Start(t, patience, program, args...).Next(t, &p.card)
	return p
}

// hooks takes what agents tell a webhook.
type hooks struct {
	url  string
	take chan delivery
}

type delivery struct {
	token string
	body  []byte
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{take: make(chan delivery, 64)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.take <- delivery{r.Header.Get("Authorization"), body}
	}))
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}
