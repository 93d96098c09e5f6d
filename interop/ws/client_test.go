//go:build interop

package ws_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/refagent"
	"github.com/a2awire/a2awire/ws"
)

// dialects are the subprotocols, and the steps that a conversation in each has.
var dialects = []struct {
	name string
	in   scripts
}{
	{"a2a.v1.flow", withFlow},
	{"a2a.v1", withoutFlow},
}

// Their client with our agent.
func TestForeignClient(t *testing.T) {
	theirClient(t, func(t *testing.T) *ws.Handler { return ws.NewHandler(reference(t), nil) })
}

// Their client with our agent on gRPC, behind a bridge.
func TestForeignClientThroughBridge(t *testing.T) {
	theirClient(t, func(t *testing.T) *ws.Handler {
		agent := reference(t)
		server, err := grpcbind.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: "127.0.0.1:0"}, agent)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, server.Close()) })
		card := agent.Card(server.Interface())
		upstream, err := grpcbind.Binding{}.Dial(t.Context(), server.Interface())
		require.NoError(t, err)
		relay := bridge.Relay(upstream, &bridge.Options{Card: binding.StaticCard(card)})
		t.Cleanup(func() { assert.NoError(t, relay.Close()) })
		return ws.NewHandler(relay, nil)
	})
}

// theirClient holds the conversation of client.mjs in each dialect.
func theirClient(t *testing.T, serve func(*testing.T) *ws.Handler) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			url := mount(t, serve(t))
			judge(t, d.in, converse(t, "talk", url, d.name))
		})
	}
}

// Their client, refused and cut off in every way there is.
func TestForeignClientEndings(t *testing.T) {
	t.Parallel() // it waits for what takes its time
	agent := reference(t)
	stopping := ws.NewHandler(agent, nil)
	stop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if assert.NoError(t, stopping.Shutdown(r.Context())) {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(stop.Close)
	small := &ws.Options{Options: binding.Options{MaxMessageBytes: 10_000}, MaxConnections: 2}
	servers, err := json.Marshal(map[string]string{
		"plain":     mount(t, ws.NewHandler(agent, nil)),
		"small":     mount(t, ws.NewHandler(agent, small)),
		"guarded":   mount(t, ws.NewHandler(agent, &ws.Options{Authenticate: authenticate})),
		"impatient": mount(t, ws.NewHandler(agent, &ws.Options{Ping: time.Second, Pong: time.Second, Idle: 2 * time.Second})),
		"stopping":  mount(t, stopping),
		"stop":      stop.URL,
	})
	require.NoError(t, err)
	judge(t, atTheEnd, converse(t, "endings", string(servers)))
}

// authenticate knows one principal by a credential that ends at once and one
// that lasts, and another principal.
func authenticate(_ context.Context, r *http.Request) (*ws.Identity, error) {
	switch r.Header.Get("Authorization") {
	case "Bearer short":
		return &ws.Identity{Name: "one", Expires: time.Now().Add(2 * time.Second)}, nil
	case "Bearer long":
		return &ws.Identity{Name: "one", Expires: time.Now().Add(time.Hour)}, nil
	case "Bearer another":
		return &ws.Identity{Name: "another"}, nil
	}
	return nil, binding.ErrUnauthenticated.WithInfo("wwwAuthenticate", challenge)
}

// reference is the reference agent.
func reference(t *testing.T) *refagent.Agent {
	agent := refagent.New(&refagent.Options{Extensions: []string{leg.ExtensionGeo}, WebhookClient: &http.Client{Transport: nobody{}}})
	agent.Card(&pb.AgentInterface{Url: "wss://agent.example/a2a", ProtocolBinding: ws.Protocol}) // so that there is an extended card
	t.Cleanup(func() { assert.NoError(t, agent.Close()) })
	return agent
}

// nobody takes the place of the network for an agent's webhooks.
type nobody struct{}

func (nobody) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// mount serves a handler until the test ends, and is its ws URL.
func mount(t *testing.T, h *ws.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	t.Cleanup(func() { assert.NoError(t, h.Close()) })
	return "ws" + strings.TrimPrefix(s.URL, "http")
}
