//go:build interop

package js_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/refagent"
	"github.com/a2awire/a2awire/rest"
)

// wire is one of the bindings that the SDK has too.
type wire struct {
	name string
	url  string // to serve at
	make func(binding.Options) binding.Binding
}

var wires = []wire{
	{"jsonrpc", "http://127.0.0.1:0/a2a", func(o binding.Options) binding.Binding {
		return jsonrpc.Binding{Options: jsonrpc.Options{Options: o}}
	}},
	{"rest", "http://127.0.0.1:0/a2a", func(o binding.Options) binding.Binding {
		return rest.Binding{Options: rest.Options{Options: o}}
	}},
	// The SDK gives the address to grpc-js, which wants it without a scheme.
	{"grpc", "127.0.0.1:0", func(o binding.Options) binding.Binding {
		return grpcbind.Binding{Options: grpcbind.Options{Options: o}}
	}},
}

// protocol is the wire's protocolBinding.
func (w wire) protocol() string { return w.make(binding.Options{}).Protocol() }

// registry is a registry of all wires.
func registry() *binding.Registry {
	r := new(binding.Registry)
	for _, w := range wires {
		r.Register(w.make(binding.Options{}))
	}
	return r
}

// modes are the two agents, and what their conversations are called.
var modes = []struct {
	name             string
	their, ours, via conversations
	agent            refagent.Options
}{
	{"full", theirFull, ourFull, viaFull, refagent.Options{Extensions: []string{leg.ExtensionGeo, extensionCite}}},
	{"strict", theirStrict, ourStrict, viaStrict, refagent.Options{
		NoStreaming: true, NoPush: true, NoExtendedCard: true, RequiredExtension: extensionRequired,
	}},
}

// serveReference serves a reference agent on some wires, and is its card.
func serveReference(t *testing.T, o refagent.Options, on ...wire) *pb.AgentCard {
	t.Helper()
	agent := refagent.New(&o)
	var card atomic.Pointer[pb.AgentCard]
	card.Store(agent.Card())
	var interfaces []*pb.AgentInterface
	for _, w := range on {
		s, err := w.make(binding.Options{Card: card.Load}).Serve(t.Context(), &pb.AgentInterface{Url: w.url}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		interfaces = append(interfaces, s.Interface())
		card.Store(agent.Card(interfaces...))
	}
	t.Cleanup(func() { assert.NoError(t, agent.Close()) })
	return card.Load()
}

// bridged serves the agent of a card on one more wire, and is the card of the bridge.
func bridged(t *testing.T, upstream *pb.AgentCard, front wire) *pb.AgentCard {
	t.Helper()
	client, err := registry().Dial(t.Context(), upstream)
	require.NoError(t, err)
	b := bridge.New(client, upstream, nil)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	_, err = b.Listen(t.Context(), front.make(binding.Options{Card: b.Card}), &pb.AgentInterface{Url: front.url}, "")
	require.NoError(t, err)
	require.Len(t, b.Card().GetSupportedInterfaces(), 1, "the bridge shows where it is, and nothing else")
	require.Equal(t, front.protocol(), b.Card().GetSupportedInterfaces()[0].GetProtocolBinding())
	return b.Card()
}

// show serves a card at its well-known path, and is the URL above it.
func show(t *testing.T, card *pb.AgentCard) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(agentcard.Path, agentcard.Handler(binding.StaticCard(card), 0))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// hooks takes the place of the network for an agent's webhooks.
type hooks chan *http.Request

func newHooks() hooks { return make(hooks, 64) }

// client is what the agent calls its webhooks with.
func (h hooks) client() *http.Client { return &http.Client{Transport: h} }

// RoundTrip takes a delivery, or drops it when nobody waits for so many.
func (h hooks) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	taken := r.Clone(context.WithoutCancel(r.Context()))
	taken.Body = io.NopCloser(bytes.NewReader(body))
	select {
	case h <- taken:
	default:
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// delivered waits for a delivery with a token.
func (h hooks) delivered(t *testing.T, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		select {
		case r := <-h:
			if r.Header.Get("X-A2A-Notification-Token") == token {
				assert.Equal(t, webhook, r.URL.String())
				return
			}
		case <-ctx.Done():
			require.Fail(t, "no webhook was called with the token", token)
		}
	}
}
