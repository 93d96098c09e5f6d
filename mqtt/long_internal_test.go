package mqtt

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A stream has no age at which it ends: one that stands still for ten minutes
// and whose reader lives goes on.
func TestStreamThatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPair(8)
		go p.pump(ctx)
		go p.produce(ctx, 100)
		go p.watch(ctx, t)
		time.Sleep(10*time.Minute - time.Second)
		assert.Equal(t, 8+59, p.w.packets(), "a window, and a heartbeat each ten seconds")
		n, err := p.read(ctx, t, 1000)
		require.NoError(t, err)
		assert.Equal(t, 100, n)
		cancel()
		<-p.pumped
	})
}
