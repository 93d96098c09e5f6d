package embedded_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/mqtt/embedded"
)

func start(t *testing.T, o *embedded.Options) *embedded.Broker {
	t.Helper()
	b, err := embedded.Start(o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

func dial(t *testing.T, b *embedded.Broker) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.URL(), "mqtt://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// client connects; what arrives goes into the channel.
func client(t *testing.T, b *embedded.Broker, id string) (*paho.Client, *paho.Connack, <-chan *paho.Publish, error) {
	t.Helper()
	got := make(chan *paho.Publish, 1000)
	c := paho.NewClient(paho.ClientConfig{ClientID: id, Conn: dial(t, b), OnPublishReceived: []func(paho.PublishReceived) (bool, error){
		func(p paho.PublishReceived) (bool, error) { got <- p.Packet; return true, nil },
	}})
	ack, err := c.Connect(t.Context(), &paho.Connect{ClientID: id, KeepAlive: 30, CleanStart: true})
	if err == nil {
		t.Cleanup(func() { _ = c.Disconnect(&paho.Disconnect{}) })
	}
	return c, ack, got, err
}

func TestTellsItsLimits(t *testing.T) {
	b := start(t, &embedded.Options{MaxPacketBytes: 5000})
	_, ack, _, err := client(t, b, "a")
	require.NoError(t, err)
	assert.Equal(t, uint32(5000), *ack.Properties.MaximumPacketSize)
}

func TestBoundsItsClients(t *testing.T) {
	b := start(t, &embedded.Options{MaxClients: 1})
	_, _, _, err := client(t, b, "a")
	require.NoError(t, err)
	_, ack, _, err := client(t, b, "b")
	require.Error(t, err)
	assert.Equal(t, byte(0x89), ack.ReasonCode, "server busy")
}

// An acknowledgement that echoes a request's properties would echo its token.
func TestEchoesNoProperties(t *testing.T) {
	b := start(t, nil)
	c, _, _, err := client(t, b, "a")
	require.NoError(t, err)
	resp, err := c.Publish(t.Context(), &paho.Publish{Topic: "t", QoS: 1, Properties: &paho.PublishProperties{
		User: paho.UserProperties{{Key: "a2a-authorization", Value: "Bearer token"}},
	}})
	require.NoError(t, err)
	assert.Empty(t, resp.Properties.User)
}

// A burst that a receiver has not acknowledged must not stall, nor lose a part:
// here it never does.
func TestCarriesABurst(t *testing.T) {
	const burst = 9000 // more than the broker below allows by itself
	b := start(t, nil)
	got := make(chan *paho.Publish, burst)
	in := paho.NewClient(paho.ClientConfig{ClientID: "in", Conn: dial(t, b), EnableManualAcknowledgment: true, OnPublishReceived: []func(paho.PublishReceived) (bool, error){
		func(p paho.PublishReceived) (bool, error) { got <- p.Packet; return true, nil },
	}})
	_, err := in.Connect(t.Context(), &paho.Connect{ClientID: "in", KeepAlive: 30, CleanStart: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Disconnect(&paho.Disconnect{}) })
	_, err = in.Subscribe(t.Context(), &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: "$a2a/v1/x", QoS: 1}}})
	require.NoError(t, err)
	out, _, _, err := client(t, b, "out")
	require.NoError(t, err)
	const publishers = 50
	var all sync.WaitGroup
	for range publishers {
		all.Go(func() {
			for range burst / publishers {
				_, err := out.Publish(t.Context(), &paho.Publish{Topic: "$a2a/v1/x", QoS: 1, Payload: []byte("x")})
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for i := range burst {
		select {
		case <-got:
		case <-ctx.Done():
			t.Fatalf("only %d arrived", i)
		}
	}
}

// Connections that say nothing are bounded, and gone when the broker is.
func TestSilentConnections(t *testing.T) {
	b := start(t, &embedded.Options{MaxClients: 2})
	conns := make([]net.Conn, 5)
	for i := range conns {
		conns[i] = dial(t, b)
	}
	one := make([]byte, 1)
	_, err := conns[4].Read(one)
	require.Error(t, err, "there is room for four")
	require.NoError(t, b.Close())
	for _, c := range conns {
		_, err := c.Read(one)
		require.Error(t, err)
	}
	require.NoError(t, b.Close(), "twice")
	_, err = embedded.Start(&embedded.Options{Address: "256.0.0.1:0"})
	require.ErrorContains(t, err, "embedded: ")
}
