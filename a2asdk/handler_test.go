package a2asdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
)

// The reference agent behind the SDK's own servers, called by its own clients.
func TestHandlerBehindTheSDK(t *testing.T) {
	for protocol, serve := range map[a2a.TransportProtocol]func(a2asrv.RequestHandler) http.Handler{
		a2a.TransportProtocolJSONRPC:  func(h a2asrv.RequestHandler) http.Handler { return a2asrv.NewJSONRPCHandler(h) },
		a2a.TransportProtocolHTTPJSON: func(h a2asrv.RequestHandler) http.Handler { return a2asrv.NewRESTHandler(h) },
	} {
		t.Run(string(protocol), func(t *testing.T) {
			server := httptest.NewServer(serve(a2asdk.ToHandler(newReference(t), nil)))
			t.Cleanup(server.Close)
			t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
			c, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{a2a.NewAgentInterface(server.URL, protocol)},
				a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(server.Client()), a2aclient.WithRESTTransport(server.Client()))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, c.Destroy()) })

			ctx := a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{"x-custom": {"one"}})
			result, err := c.SendMessage(ctx, say("mirror"))
			require.NoError(t, err)
			seen := result.(*a2a.Task).Artifacts[0].Parts[0].Data().(map[string]any)
			params := seen["serviceParameters"].(map[string]any)
			assert.Equal(t, "one", params["x-custom"])
			assert.NotContains(t, params, "content-type", "a header of the transport is no service parameter")

			evs, err := streamed(t.Context(), c, say("stream 2"))
			require.NoError(t, err)
			assert.Len(t, evs, 5)
			_, err = c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "nope"})
			require.ErrorIs(t, err, a2a.ErrTaskNotFound)
			_, err = c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser)})
			require.ErrorIs(t, err, a2a.ErrInvalidParams, "the data model is held to")
		})
	}
}

// What a handler makes of the service parameters that the SDK's servers have.
func TestHandlerParameters(t *testing.T) {
	h := a2asdk.ToHandler(newReference(t), nil)
	for _, c := range []struct {
		name   string
		params map[string][]string
		want   error
	}{
		{"none", nil, nil},
		{"1.0", map[string][]string{"A2A-Version": {"1.0"}}, nil},
		{"translated by the SDK", map[string][]string{"a2a-version": {"0.3.0"}}, nil},
		{"of the future", map[string][]string{"a2a-version": {"99.0"}}, a2a.ErrVersionNotSupported},
		{"gRPC's own", map[string][]string{":authority": {"x"}, "grpc-accept-encoding": {"gzip"}, "user-agent": {"ü"}}, nil},
		{"unprintable", map[string][]string{"x-custom": {"ü"}}, a2a.ErrInvalidParams},
		{"two equal versions", map[string][]string{"a2a-version": {"1.0", "1.0"}}, nil},
		{"two versions", map[string][]string{"a2a-version": {"1.0", "99.0"}}, a2a.ErrVersionNotSupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, _ := a2asrv.NewCallContext(t.Context(), a2asrv.NewServiceParams(c.params))
			_, err := h.ListTasks(ctx, &a2a.ListTasksRequest{})
			require.ErrorIs(t, err, c.want)
		})
	}
	_, err := h.ListTasks(t.Context(), nil)
	require.NoError(t, err, "without a CallContext, and without a request")
}

// Options count: the card's capabilities, and the version of who names none.
func TestHandlerOptions(t *testing.T) {
	agent := newReference(t)
	card := &pb.AgentCard{Capabilities: &pb.AgentCapabilities{}}
	h := a2asdk.ToHandler(agent, &binding.Options{Card: binding.StaticCard(card)})
	for ev, err := range h.SendStreamingMessage(t.Context(), say("hello")) {
		assert.Nil(t, ev)
		require.ErrorIs(t, err, a2a.ErrUnsupportedOperation)
	}
	_, err := a2asdk.ToHandler(agent, &binding.Options{DefaultVersion: "0.2"}).ListTasks(t.Context(), &a2a.ListTasksRequest{})
	require.ErrorIs(t, err, a2a.ErrVersionNotSupported)
}

// Activated extensions are the SDK's, and Peer and SetReply are of
// FromHandler's calls alone.
func TestBesideACall(t *testing.T) {
	h := a2asdk.ToHandler(newReference(t), nil)
	ctx, cc := a2asrv.NewCallContext(t.Context(), a2asrv.NewServiceParams(map[string][]string{"a2a-extensions": {extension}}))
	_, err := h.SendMessage(ctx, say("hello"))
	require.NoError(t, err)
	assert.Equal(t, []string{extension}, cc.Extensions().ActivatedURIs())
	assert.Empty(t, a2asdk.Peer(ctx))
	a2asdk.SetReply(ctx, "x-key", "value")

	_, reply := a2asdk.WithReply(ctx)
	assert.Empty(t, reply.Param("a2a-extensions"))
	assert.Empty(t, reply.Params())
}

// paged is an agent of three push notification configurations, two to a page.
type paged struct {
	binding.Unimplemented
	asked []string
	stuck bool
}

func (p *paged) ListTaskPushNotificationConfigs(_ context.Context, _ *binding.Call, req *pb.ListTaskPushNotificationConfigsRequest) (*pb.ListTaskPushNotificationConfigsResponse, error) {
	p.asked = append(p.asked, req.GetPageToken())
	config := func(id string) *pb.TaskPushNotificationConfig {
		return &pb.TaskPushNotificationConfig{Id: id, TaskId: req.GetTaskId(), Url: "https://hook.example"}
	}
	if req.GetPageToken() == "" || p.stuck {
		return &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config("1"), config("2")}, NextPageToken: "next"}, nil
	}
	return &pb.ListTaskPushNotificationConfigsResponse{Configs: []*pb.TaskPushNotificationConfig{config("3")}}, nil
}

// The transport's list is of all pages, since it has no place for a token; of
// one where a size was asked for.
func TestTransportListsAllPages(t *testing.T) {
	agent := new(paged)
	transport := a2asdk.ToTransport(dialed(t, agent, agent))
	configs, err := transport.ListTaskPushConfigs(t.Context(), nil, &a2a.ListTaskPushConfigRequest{TaskID: "t"})
	require.NoError(t, err)
	assert.Len(t, configs, 3)
	assert.Equal(t, []string{"", "next"}, agent.asked)
	configs, err = transport.ListTaskPushConfigs(t.Context(), nil, &a2a.ListTaskPushConfigRequest{TaskID: "t", PageSize: 2})
	require.NoError(t, err)
	assert.Len(t, configs, 2)

	agent.stuck = true
	_, err = transport.ListTaskPushConfigs(t.Context(), nil, &a2a.ListTaskPushConfigRequest{TaskID: "t"})
	require.ErrorIs(t, err, a2a.ErrInvalidAgentResponse)
}
