package mqtt_test

import (
	"context"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

const sendStream = `{"jsonrpc":"2.0","id":7,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`

// A requester that keeps to no window gets a stream as EMQ's profile has it.
func TestStreamWithoutAWindow(t *testing.T) {
	url := broker(t).URL()
	r := newRequester(t, url, serve(t, url, scripted{}, nil))
	r.ask(t, "1", sendStream)
	for _, want := range []string{`"result":{"task":`, `"result":{"statusUpdate":`} {
		p := r.answers(t, "1", want)
		for _, u := range p.Properties.User {
			assert.Contains(t, []string{"a2a-version", "a2a-responder-agent-id"}, u.Key)
		}
	}
	r.ask(t, "2", getTask)
	r.answers(t, "2", `"result"`) // and nothing before it
}

// Shutdown waits for what is in flight, and Close does not.
func TestShutdown(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(3)
	s, err := mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url, Tenant: "acme"}, agent)
	require.NoError(t, err)
	assert.Equal(t, []any{mqtt.Protocol, "1.0", "acme"}, []any{s.Interface().GetProtocolBinding(), s.Interface().GetProtocolVersion(), s.Interface().GetTenant()})
	client, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer client.Close()
	n := 0
	down := make(chan error, 1)
	for _, err := range client.SubscribeToTask(within(t), nil, &pb.SubscribeToTaskRequest{Id: "t-1"}) {
		require.NoError(t, err)
		if n++; n == 1 {
			<-agent.begun
			go func() { down <- s.Shutdown(within(t)) }()
			close(agent.goOn)
		}
	}
	assert.Equal(t, 4, n)
	require.NoError(t, <-down)
	require.NoError(t, s.Close(), "twice")
	_, err = client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
	require.ErrorIs(t, err, binding.ErrUnavailable)

	agent = newPatient(0)
	s, err = mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url}, agent)
	require.NoError(t, err)
	client, err = mqtt.Binding{}.Dial(t.Context(), s.Interface())
	require.NoError(t, err)
	defer client.Close()
	done := make(chan error, 1)
	go func() {
		_, err := client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
		done <- err
	}()
	<-agent.begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	require.ErrorIs(t, <-done, binding.ErrUnavailable)
}

// Nobody there is an error, in the time that the caller has.
func TestNobodyThere(t *testing.T) {
	url := broker(t).URL()
	spy := bare(t, url)
	spy.subscribe(t, "$a2a/v1/request/acme/edge/nobody")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := mqtt.Binding{}.Dial(ctx, &pb.AgentInterface{Url: url + "/acme/edge/nobody"})
		done <- err
	}()
	assert.Contains(t, string(spy.next(within(t), t).Payload), `"method":"Ping"`)
	cancel()
	require.ErrorIs(t, <-done, binding.ErrCanceled)
}

// What cannot be right is refused before anything is sent.
func TestBadAddresses(t *testing.T) {
	url := broker(t).URL()
	for _, bad := range []string{url, url + "/a/b", url + "/a/b/+", "http://x/a/b/c", "mqtt://u:p@x/a/b/c"} {
		_, err := mqtt.Dial(t.Context(), bad, nil)
		require.ErrorIs(t, err, binding.ErrInvalidParams, bad)
	}
	_, err := mqtt.Dial(t.Context(), url+"/a/b/c", &mqtt.Options{ClientID: "a/b"})
	require.ErrorIs(t, err, binding.ErrInvalidParams)
	_, err = mqtt.Binding{Options: mqtt.Options{Pool: "#"}}.Serve(t.Context(), &pb.AgentInterface{Url: url}, scripted{})
	require.ErrorIs(t, err, binding.ErrInvalidParams)
	_, err = mqtt.Connect(t.Context(), url+"/a/b/c", nil)
	require.ErrorIs(t, err, binding.ErrInvalidParams)
	conn := connection(t, url, nil)
	_, err = mqtt.Serve(t.Context(), conn, mqtt.Address{Org: "a", Unit: "b"}, scripted{}, nil)
	require.ErrorIs(t, err, binding.ErrInvalidParams)
	a := mqtt.Address{Org: "a", Unit: "b", Agent: "c"}
	s, err := mqtt.Serve(t.Context(), conn, a, scripted{}, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	_, err = mqtt.Serve(t.Context(), conn, a, scripted{}, nil)
	require.ErrorContains(t, err, "is served on this connection already")
}

// An agent whose item cannot be read is told that nobody reads on.
func TestUnreadableItem(t *testing.T) {
	url := broker(t).URL()
	agent := bare(t, url)
	agent.subscribe(t, "$a2a/v1/request/acme/edge/babbles")
	client, err := mqtt.Dial(t.Context(), url+"/acme/edge/babbles", nil)
	require.NoError(t, err)
	defer client.Close()
	ended := make(chan error)
	ctx := within(t)
	go func() {
		var last error
		for _, err := range client.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: "t-1"}) {
			last = err
		}
		ended <- last
	}()
	asked := agent.next(ctx, t)
	agent.send(t, &paho.Publish{Topic: asked.Properties.ResponseTopic, Payload: []byte("babble"), Properties: &paho.PublishProperties{
		CorrelationData: asked.Properties.CorrelationData, User: paho.UserProperties{{Key: "a2a-stream-seq", Value: "0"}}}})
	require.ErrorIs(t, <-ended, binding.ErrInvalidAgentResponse)
	assert.Equal(t, "cancel-stream", agent.next(within(t), t).Properties.User.Get("a2a-control"))
}
