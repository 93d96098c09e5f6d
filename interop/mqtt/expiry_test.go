//go:build interop

package mqtt_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// An agent of another make keeps a session at the broker while it is away. What
// was asked meanwhile waits there, and is not executed when its caller has gone.
func TestCallerLeavesBeforeTheAgentReturns(t *testing.T) {
	b := leg.StartMosquitto(t)
	path := freshPath()
	topic := "$a2a/v1/request/" + path
	away, _ := session(t, b, path, true)
	_, err := away.Subscribe(t.Context(), &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: topic, QoS: 1}}})
	require.NoError(t, err)
	require.NoError(t, away.Disconnect(&paho.Disconnect{}))

	client := dial(t, b.URL()+"/"+path, nil)
	gone := message("the caller has gone")
	_, err = client.SendMessage(within(t, time.Second), nil, gone)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	waits := message("the caller waits")
	ctx, cancel := context.WithCancel(within(t, patience))
	ended := make(chan error)
	go func() {
		_, err := client.SendMessage(ctx, nil, waits)
		ended <- err
	}()
	<-time.After(2 * time.Second) // brokers count whole seconds

	_, got := session(t, b, path, false)
	for {
		select {
		case p := <-got:
			if p.Properties.ResponseTopic == "" {
				continue // a control packet, which executes nothing
			}
			assert.Contains(t, string(p.Payload), waits.GetMessage().GetMessageId(), "what comes first is what still has a caller")
		case <-ctx.Done():
			t.Fatal("the broker has kept nothing")
		}
		break
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// session is a client that knows nothing of the binding, with a session that
// outlives its connection.
func session(t testing.TB, b *leg.Mosquitto, id string, clean bool) (*paho.Client, <-chan *paho.Publish) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.Addr)
	require.NoError(t, err)
	got := make(chan *paho.Publish, 100)
	c := paho.NewClient(paho.ClientConfig{ClientID: id, Conn: conn, OnPublishReceived: []func(paho.PublishReceived) (bool, error){
		func(p paho.PublishReceived) (bool, error) { got <- p.Packet; return true, nil },
	}})
	expiry := uint32(3600)
	_, err = c.Connect(t.Context(), &paho.Connect{ClientID: id, KeepAlive: 30, CleanStart: clean,
		Properties: &paho.ConnectProperties{SessionExpiryInterval: &expiry, RequestProblemInfo: true}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Disconnect(&paho.Disconnect{}) })
	return c, got
}
