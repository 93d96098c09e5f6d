//go:build interop

package mqtt_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// What somebody on the way would drop, and mosquitto drops without a word, is
// an error before it is sent.
func TestTooLarge(t *testing.T) {
	const brokerLimit = 400_000
	b := leg.StartMosquitto(t, fmt.Sprintf("max_packet_size %d", brokerLimit))
	var largest atomic.Int64
	p := before(t, b, func(p packet) verdict {
		if !p.fromBroker {
			largest.Store(max(largest.Load(), int64(p.size)))
		}
		return pass
	})
	small := &mqtt.Options{Options: binding.Options{MaxMessageBytes: 4096}} // connections for packets of 132 KiB and some
	const packetLimit = 140_000
	for name, c := range map[string]struct {
		agent, client *mqtt.Options
		text          string
		limit         int64 // that nothing sent is over
		executed      int
		remote        bool
	}{
		"request, for the broker": {nil, nil, strings.Repeat("x", brokerLimit), brokerLimit, 0, false},
		"reply, for the broker":   {nil, nil, fmt.Sprintf("bytes %d", brokerLimit), brokerLimit, 1, true},
		"request, for the agent":  {small, nil, strings.Repeat("x", packetLimit), packetLimit, 0, false},
		"reply, for the client":   {nil, small, fmt.Sprintf("bytes %d", packetLimit), packetLimit, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			largest.Store(0)
			path := freshPath()
			w := newWorker("w", 0)
			serve(t, p.url()+"/"+path, w, c.agent)
			client := dial(t, p.url()+"/"+path, c.client)
			began := time.Now()
			_, err := client.SendMessage(within(t, 10*time.Second), nil, message(c.text))
			require.ErrorIs(t, err, binding.ErrResourceExhausted)
			var e *binding.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.remote, e.Remote)
			assert.Less(t, time.Since(began), 2*time.Second)
			assert.LessOrEqual(t, largest.Load(), c.limit, "it was sent")
			assert.Len(t, w.counts(), c.executed)
			_, err = client.SendMessage(within(t, patience), nil, message("small"))
			require.NoError(t, err, "later calls are not harmed")
			assert.Equal(t, 1, b.Connects(path), "nor is a connection")
		})
	}
}
