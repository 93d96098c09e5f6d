//go:build interop

package sdk

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/refagent"
)

// mode is one of the two agents that there are on either side, and what the
// conversations with it are called.
type mode struct {
	name             string
	their, ours, via Conversations
	agent            refagent.Options
	hold             func(*talk) // our conversation
}

var modes = []mode{
	{"full", TheirFull, OurFull, ViaFull, refagent.Options{Extensions: []string{leg.ExtensionGeo, ExtensionCite}}, fullTalk},
	{"strict", TheirStrict, OurStrict, ViaStrict, refagent.Options{
		NoStreaming: true, NoPush: true, NoExtendedCard: true, RequiredExtension: ExtensionRequired,
	}, strictTalk},
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
	for _, i := range b.Card().GetSupportedInterfaces() {
		require.NotContains(t, upstream.GetSupportedInterfaces(), i, "the bridge shows where it is, and nothing else")
	}
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
