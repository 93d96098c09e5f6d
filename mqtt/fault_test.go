package mqtt_test

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// patient is an agent that goes on when it is told to.
type patient struct {
	binding.Unimplemented
	n      atomic.Int64
	begun  chan struct{}
	goOn   chan struct{}
	events int
}

func newPatient(events int) *patient {
	return &patient{begun: make(chan struct{}, 10), goOn: make(chan struct{}), events: events}
}

func (p *patient) wait(ctx context.Context) error {
	p.n.Add(1)
	p.begun <- struct{}{}
	select {
	case <-p.goOn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *patient) GetTask(ctx context.Context, _ *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
	return task(), p.wait(ctx)
}

func (p *patient) SubscribeToTask(ctx context.Context, _ *binding.Call, _ *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if !yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil) {
			return
		}
		if err := p.wait(ctx); err != nil {
			yield(nil, err)
			return
		}
		for range p.events {
			if !yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task()}}, nil) {
				return
			}
		}
	}
}

// restart ends a broker, and starts another at its address.
func restart(t testing.TB, b *embedded.Broker) {
	t.Helper()
	require.NoError(t, b.Close())
	next, err := embedded.Start(&embedded.Options{Address: strings.TrimPrefix(b.URL(), "mqtt://")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, next.Close()) })
}

// A call in flight outlives its broker, and is executed once.
func TestBrokerRestartsInACall(t *testing.T) {
	b := broker(t)
	agent := newPatient(0)
	s := serve(t, b.URL(), agent, nil)
	client, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer client.Close()
	done := make(chan error)
	ctx := within(t)
	go func() {
		_, err := client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1"})
		done <- err
	}()
	<-agent.begun
	restart(t, b)
	close(agent.goOn)
	require.NoError(t, <-done)
	assert.Equal(t, int64(1), agent.n.Load())
	_, err = client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1"})
	require.NoError(t, err, "and later ones")
	assert.Equal(t, int64(2), agent.n.Load(), "one each, whatever was sent again")
}

// A stream outlives its broker too, without a hole.
func TestBrokerRestartsInAStream(t *testing.T) {
	b := broker(t)
	agent := newPatient(500)
	s := serve(t, b.URL(), agent, nil)
	client, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer client.Close()
	n := 0
	for _, err := range client.SubscribeToTask(within(t), nil, &pb.SubscribeToTaskRequest{Id: "t-1"}) {
		require.NoError(t, err)
		if n++; n == 1 {
			<-agent.begun
			restart(t, b)
			close(agent.goOn)
		}
	}
	assert.Equal(t, 501, n)
	assert.Equal(t, int64(1), agent.n.Load())
}

// An agent that stops fails its calls, and those to come at once.
func TestAgentStops(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(0)
	s, err := mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/stops"}, agent)
	require.NoError(t, err)
	client, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer client.Close()
	done := make(chan error)
	go func() {
		_, err := client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
		done <- err
	}()
	<-agent.begun
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-done, binding.ErrUnavailable)
	_, err = client.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t-1"})
	require.ErrorIs(t, err, binding.ErrUnavailable)
	_, err = mqtt.Binding{}.Dial(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/stops"})
	require.ErrorContains(t, err, "mqtt: the agent is offline")

	// It comes back, and is another instance of itself.
	agent = newPatient(0)
	close(agent.goOn)
	s, err = mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/stops"}, agent)
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	require.Eventually(t, func() bool {
		_, err := client.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t-1"})
		return err == nil
	}, connectSoon, tick)
}

// Two connections with one identifier: one is told, and neither fights.
func TestTakenIdentifier(t *testing.T) {
	url := broker(t).URL()
	first := connection(t, url, &mqtt.ConnectOptions{ClientID: "acme/edge/a"})
	connection(t, url, &mqtt.ConnectOptions{ClientID: "acme/edge/a"})
	select {
	case <-first.Done():
	case <-within(t).Done():
		t.Fatal("the first connection goes on")
	}
	require.ErrorContains(t, first.Err(), "another connection has taken this client identifier")
	_, err := mqtt.Serve(t.Context(), first, mqtt.Address{Org: "a", Unit: "b", Agent: "c"}, scripted{}, nil)
	require.ErrorIs(t, err, binding.ErrUnavailable)
}

// A will that comes late does not stand.
func TestCardIsRestored(t *testing.T) {
	url := broker(t).URL()
	s := serve(t, url, scripted{}, nil)
	b := bare(t, url)
	topic := "$a2a/v1/discovery/" + path(s)
	b.watch(t, topic)
	assert.Equal(t, "online", b.next(within(t), t).Properties.User.Get("a2a-status"))
	b.send(t, &paho.Publish{Topic: topic, Retain: true, Payload: []byte("{}"), Properties: &paho.PublishProperties{
		User: paho.UserProperties{{Key: "a2a-status", Value: "offline"}, {Key: "a2a-status-source", Value: "lwt"}}}})
	// Of two publishers a broker may deliver in either order, and a card is not
	// published too often: what counts is what the broker keeps in the end.
	late := bare(t, url)
	late.watch(t, topic)
	for late.next(within(t), t).Properties.User.Get("a2a-status") != "online" {
	}
}

// What a broker would drop is an error, and is not sent.
func TestBrokerWithASmallLimit(t *testing.T) {
	b, err := embedded.Start(&embedded.Options{MaxPacketBytes: 20_000})
	require.NoError(t, err)
	defer func() { assert.NoError(t, b.Close()) }()
	s := serve(t, b.URL(), scripted{}, nil)
	client, err := mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer client.Close()
	large := message(strings.Repeat("m", 20_000))
	_, err = client.SendMessage(within(t), nil, large)
	require.ErrorIs(t, err, binding.ErrResourceExhausted)
	var e *binding.Error
	require.ErrorAs(t, err, &e)
	assert.False(t, e.Remote)
	large = message(strings.Repeat("m", 19_400)) // the request passes, its echo does not
	_, err = client.SendMessage(within(t), nil, large)
	require.ErrorIs(t, err, binding.ErrResourceExhausted)
	require.ErrorAs(t, err, &e)
	assert.True(t, e.Remote)
	_, err = client.SendMessage(within(t), nil, message("small"))
	require.NoError(t, err)
}

func TestConnectFails(t *testing.T) {
	b := broker(t)
	require.NoError(t, b.Close())
	_, err := mqtt.Connect(t.Context(), b.URL(), nil)
	require.ErrorIs(t, err, binding.ErrUnavailable)
	require.ErrorContains(t, err, "mqtt: connect: ")
	_, err = mqtt.Binding{}.Dial(t.Context(), &pb.AgentInterface{Url: b.URL() + "/a/b/c"})
	require.ErrorIs(t, err, binding.ErrUnavailable)
	_, err = mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: b.URL()}, scripted{})
	require.ErrorIs(t, err, binding.ErrUnavailable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = mqtt.Connect(ctx, broker(t).URL(), nil)
	require.Error(t, err)
}
