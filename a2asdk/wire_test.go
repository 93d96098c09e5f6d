package a2asdk_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// onEveryWire runs a test with an agent served on each binding of the catalogue.
func onEveryWire(t *testing.T, agent func(t *testing.T) binding.Agent, test func(t *testing.T, iface *pb.AgentInterface, agent binding.Agent)) {
	for _, e := range catalogue.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			url, stop, err := e.Loopback()
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, stop()) })
			a := agent(t)
			s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: url}, a)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
			test(t, s.Interface(), a)
		})
	}
}

// clientOf is the SDK's client, made from a card, over this library's bindings.
func clientOf(t *testing.T, card *pb.AgentCard, opts ...a2aclient.FactoryOption) *a2aclient.Client {
	opts = append(a2asdk.WithBindings(catalogue.Registry(binding.Options{})), opts...)
	c, err := a2aclient.NewFromCard(t.Context(), a2asdk.ToCard(card), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Destroy()) })
	return c
}

func say(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// streamed reads a stream of the SDK's client to its end.
func streamed(ctx context.Context, c *a2aclient.Client, req *a2a.SendMessageRequest) (evs []a2a.Event, err error) {
	for ev, err := range c.SendStreamingMessage(ctx, req) {
		if err != nil {
			return evs, err
		}
		evs = append(evs, ev)
	}
	return evs, nil
}
