package mqtt_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/require"
)

// bareClient is a client of the broker that knows nothing of this package.
type bareClient struct {
	client *paho.Client
	conn   net.Conn
	id     string
	got    chan *paho.Publish
}

func bare(t testing.TB, url string) *bareClient {
	return bareWith(t, url, "bare/"+freshPath(), "", nil)
}

// bareWith is bare with a client identifier and a will.
func bareWith(t testing.TB, url, id, will string, payload []byte) *bareClient {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "mqtt://"))
	require.NoError(t, err)
	b := &bareClient{conn: conn, id: id, got: make(chan *paho.Publish, 10_000)}
	b.client = paho.NewClient(paho.ClientConfig{ClientID: id, Conn: conn, OnPublishReceived: []func(paho.PublishReceived) (bool, error){
		func(p paho.PublishReceived) (bool, error) { b.got <- p.Packet; return true, nil },
	}})
	connect := &paho.Connect{ClientID: id, KeepAlive: 30, CleanStart: true, Properties: &paho.ConnectProperties{RequestProblemInfo: true}}
	if will != "" {
		connect.WillMessage = &paho.WillMessage{Topic: will, Payload: payload, QoS: 1, Retain: true}
		connect.WillProperties = &paho.WillProperties{User: paho.UserProperties{{Key: "a2a-status", Value: "offline"}, {Key: "a2a-status-source", Value: "lwt"}}}
	}
	_, err = b.client.Connect(t.Context(), connect)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.client.Disconnect(&paho.Disconnect{}) })
	return b
}

// cut loses the connection.
func (b *bareClient) cut() { _ = b.conn.Close() }

// How a subscription takes what is retained.
const (
	retained   = 0
	noRetained = 2
)

// subscribe takes what is published from now on. What is retained is not asked
// for: a broker may look for it when it has acknowledged already, and so deliver
// twice what is published then.
func (b *bareClient) subscribe(t testing.TB, topic string) {
	t.Helper()
	b.subscribeWith(t, paho.SubscribeOptions{Topic: topic, QoS: 1, RetainHandling: noRetained})
}

// watch is subscribe beginning with what is retained.
func (b *bareClient) watch(t testing.TB, topic string) {
	t.Helper()
	b.subscribeWith(t, paho.SubscribeOptions{Topic: topic, QoS: 1, RetainHandling: retained})
}

func (b *bareClient) subscribeWith(t testing.TB, o paho.SubscribeOptions) {
	t.Helper()
	_, err := b.client.Subscribe(t.Context(), &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{o}})
	require.NoError(t, err)
}

func (b *bareClient) publish(t testing.TB, topic string, payload []byte, retain bool) {
	t.Helper()
	b.send(t, &paho.Publish{Topic: topic, Payload: payload, Retain: retain})
}

func (b *bareClient) send(t testing.TB, p *paho.Publish) {
	t.Helper()
	p.QoS = 1
	if p.Properties == nil {
		p.Properties = new(paho.PublishProperties)
	}
	_, err := b.client.Publish(t.Context(), p)
	require.NoError(t, err)
}

// next is what arrives next.
func (b *bareClient) next(ctx context.Context, t testing.TB) *paho.Publish {
	t.Helper()
	select {
	case p := <-b.got:
		return p
	case <-ctx.Done():
		t.Fatal("nothing arrived")
		return nil
	}
}
