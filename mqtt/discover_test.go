package mqtt_test

import (
	"context"
	"iter"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

func card(name string) *pb.AgentCard {
	return &pb.AgentCard{
		Name: name, Description: "An agent", Version: "1", Capabilities: &pb.AgentCapabilities{Streaming: proto.Bool(true)},
		SupportedInterfaces: []*pb.AgentInterface{{Url: "https://a.example", ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}},
		DefaultInputModes:   []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []*pb.AgentSkill{{Id: "s", Name: "s", Description: "A skill", Tags: []string{"t"}}},
	}
}

// connection is a connection that lives as long as the test.
func connection(t testing.TB, url string, o *mqtt.ConnectOptions) *mqtt.Connection {
	t.Helper()
	c, err := mqtt.Connect(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// within bounds what a test waits for.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A discovery tells what there is, what comes, changes, goes offline and leaves.
func TestDiscover(t *testing.T) {
	url := broker(t).URL()
	serve := func(agent string, c *pb.AgentCard) (*mqtt.Server, *mqtt.Connection) {
		a := mqtt.Address{Org: "acme", Unit: "edge", Agent: agent}
		o := &mqtt.Options{Options: binding.Options{Card: binding.StaticCard(c)}}
		w, err := mqtt.NewWill(url, a, o)
		require.NoError(t, err)
		conn := connection(t, url, &mqtt.ConnectOptions{ClientID: a.String(), Will: w})
		s, err := mqtt.Serve(t.Context(), conn, a, scripted{}, o)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		return s, conn
	}
	serve("first", card("First"))
	raw := bare(t, url)
	raw.publish(t, "$a2a/v1/discovery/acme/edge/garbage", []byte("{"), true)
	raw.publish(t, "$a2a/v1/discovery/acme/other/elsewhere", []byte("{}"), true)

	next, stop := iter.Pull2(mqtt.Discover(within(t), connection(t, url, nil), mqtt.Filter{Org: "acme", Unit: "edge"}))
	defer stop()
	expect := func(agent string, online bool, source string) mqtt.Found {
		t.Helper()
		f, err, ok := next()
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, []any{agent, online, source}, []any{f.Address.Agent, f.Online, f.Source})
		return f
	}
	f := expect("first", true, "agent")
	assert.Equal(t, "First", f.Card.GetName())
	var protocols []string
	for _, i := range f.Card.GetSupportedInterfaces() {
		protocols = append(protocols, i.GetProtocolBinding())
	}
	assert.Equal(t, []string{"JSONRPC", mqtt.Protocol, mqtt.ProfileProtocol}, protocols)
	assert.Equal(t, url+"/acme/edge/first", f.Card.GetSupportedInterfaces()[1].GetUrl())
	params := f.Card.GetCapabilities().GetExtensions()[0].GetParams().AsMap()
	assert.Equal(t, map[string]any{"root": "$a2a/v1", "org": "acme", "unit": "edge", "agent": "first", "streamWindow": 1024.0, "maxPacketBytes": 9568256.0}, params)

	second, _ := serve("second", card("Second"))
	expect("second", true, "agent")
	require.NoError(t, second.Close())
	expect("second", false, "agent")

	// What comes again without a change is no news.
	raw.publish(t, "$a2a/v1/discovery/acme/edge/first-again", f.JSON, true)
	expect("first-again", true, "")
	raw.publish(t, "$a2a/v1/discovery/acme/edge/first-again", f.JSON, true)
	raw.publish(t, "$a2a/v1/discovery/acme/edge/after", f.JSON, true)
	expect("after", true, "")

	// One that loses its connection is offline by its will.
	raw2 := bareWith(t, url, "acme/edge/third", "$a2a/v1/discovery/acme/edge/third", f.JSON)
	raw2.publish(t, "$a2a/v1/discovery/acme/edge/third", f.JSON, true)
	expect("third", true, "")
	raw2.cut()
	expect("third", false, "lwt")

	raw.publish(t, "$a2a/v1/discovery/acme/edge/third", nil, true)
	f, err, _ := next()
	require.NoError(t, err)
	assert.True(t, f.Gone)
	assert.Equal(t, "third", f.Address.Agent)
}

func TestDiscoverEnds(t *testing.T) {
	url := broker(t).URL()
	conn := connection(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range mqtt.Discover(ctx, conn, mqtt.Filter{}) {
		require.ErrorIs(t, err, context.Canceled)
	}
	for _, err := range mqtt.Discover(t.Context(), conn, mqtt.Filter{Org: "a/b"}) {
		require.ErrorIs(t, err, binding.ErrInvalidParams)
	}
	other, err := mqtt.Connect(t.Context(), url, nil)
	require.NoError(t, err)
	next, stop := iter.Pull2(mqtt.Discover(t.Context(), other, mqtt.Filter{}))
	defer stop()
	done := make(chan error)
	go func() {
		_, err, _ := next()
		done <- err
	}()
	require.NoError(t, other.Close())
	require.ErrorIs(t, <-done, binding.ErrUnavailable)
}
