package mqtt_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/mqtt"
)

// A request expires with its caller's deadline, so that no broker keeps it for
// an agent that comes back later.
func TestRequestExpiresWithItsCaller(t *testing.T) {
	url := broker(t).URL()
	away := bare(t, url) // in the place of a session that the broker keeps
	away.subscribe(t, "$a2a/v1/request/acme/edge/away")
	client, err := mqtt.Dial(t.Context(), url+"/acme/edge/away", nil)
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := client.SendMessage(ctx, nil, message("m"))
		done <- err
	}()
	p := away.next(within(t), t)
	require.NotNil(t, p.Properties.MessageExpiry)
	assert.LessOrEqual(t, *p.Properties.MessageExpiry, uint32(25))
	assert.NotZero(t, *p.Properties.MessageExpiry)
	left, err := strconv.Atoi(p.Properties.User.Get("a2a-timeout-ms"))
	require.NoError(t, err)
	assert.LessOrEqual(t, left, 25_000)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}
