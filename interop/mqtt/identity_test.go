//go:build interop

package mqtt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// Two instances with one identifier: the first is told, and does not go on
// fighting for it; the second serves. mosquitto 2.0 ends the connection that is
// taken over without a DISCONNECT, so the reason does not tell.
func TestTwoInstancesWithOneIdentifier(t *testing.T) {
	b := leg.StartMosquitto(t)
	path := freshPath()
	a, err := mqtt.ParseAddress(path)
	require.NoError(t, err)
	will, err := mqtt.NewWill(b.URL(), a, nil)
	require.NoError(t, err)
	conn, err := mqtt.Connect(t.Context(), b.URL(), &mqtt.ConnectOptions{ClientID: path, Will: will})
	require.NoError(t, err)
	defer conn.Close()
	first := newWorker("first", 0)
	s, err := mqtt.Serve(t.Context(), conn, a, first, nil)
	require.NoError(t, err)

	second := newWorker("second", 0)
	serve(t, b.URL()+"/"+path, second, nil)
	ctx := within(t, patience)
	select {
	case <-conn.Done():
	case <-ctx.Done():
		t.Fatal("the first connection goes on")
	}
	require.ErrorContains(t, conn.Err(), "another connection has taken this client identifier; every instance needs one of its own")
	_, err = mqtt.Serve(ctx, conn, mqtt.Address{Org: a.Org, Unit: a.Unit, Agent: "other"}, first, nil)
	require.ErrorContains(t, err, "another connection has taken this client identifier")

	// Neither the will of the first nor one of their fight stands.
	next, stop := watch(ctx, t, b, b.URL()+"/"+path)
	defer stop()
	for online := false; !online; {
		f, err, _ := next()
		require.NoError(t, err)
		online = f.Online
	}
	client := dial(t, b.URL()+"/"+path, nil)
	const calls = 50
	for id, err := range sendAll(ctx, client, calls, 4, nil) {
		require.NoError(t, err, id)
	}
	took := b.Connects(path)
	assert.LessOrEqual(t, took, 10, "they have fought for it")
	require.NoError(t, s.Close(), "the end of the first is not that of the second")
	for id, err := range sendAll(ctx, client, calls, 4, nil) {
		require.NoError(t, err, id)
	}
	assert.Len(t, second.counts(), 2*calls)
	assert.Empty(t, first.counts())
	assert.Equal(t, took, b.Connects(path), "they still fight for it")
}
