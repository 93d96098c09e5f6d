//go:build interop

package mqtt_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eclipse/paho.golang/packets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// The broker has the request, and the client does not learn it: it sends the
// request again, and the agent has two. It executes one.
func TestLostAcknowledgementOfARequest(t *testing.T) {
	b := leg.StartMosquitto(t)
	path := freshPath()
	w := newWorker("w", 10)
	serve(t, b.URL()+"/"+path, w, nil)

	var requests atomic.Int64
	var eaten atomic.Bool
	var id atomic.Uint32
	p := before(t, b, func(p packet) verdict {
		switch pub := p.published(); {
		case pub != nil && pub.Topic == "$a2a/v1/request/"+path && len(pub.Payload) > 0:
			requests.Add(1)
			id.Store(uint32(pub.PacketID))
		case p.Type == packets.PUBACK && p.fromBroker && uint32(p.PacketID()) == id.Load() && eaten.CompareAndSwap(false, true):
			return eatAndCut
		}
		return pass
	})
	client := dial(t, p.url()+"/"+path, nil)
	m := message("once")
	done := make(chan error)
	ctx := within(t, patience)
	go func() {
		_, err := client.SendMessage(ctx, nil, m)
		done <- err
	}()
	<-w.begun
	require.Eventually(t, func() bool { return requests.Load() == 2 }, patience, tick, "the request is not sent again")
	// What is asked later arrives later: the repetition is with the agent.
	_, err := client.GetTask(ctx, nil, getTask("t"))
	require.NoError(t, err)
	close(w.goOn)
	require.NoError(t, <-done)
	assert.Equal(t, map[string]int{m.GetMessage().GetMessageId(): 1}, w.counts())
}

// The same on the agent's side, in the midst of a stream: its items come twice,
// and are seen once.
func TestLostAcknowledgementOfAnItem(t *testing.T) {
	b := leg.StartMosquitto(t)
	path := freshPath()
	var items, eaten atomic.Int64
	var id atomic.Uint32
	p := before(t, b, func(p packet) verdict {
		switch pub := p.published(); {
		case pub != nil && !p.fromBroker && strings.HasPrefix(pub.Topic, "$a2a/v1/reply/"):
			if items.Add(1) == 20 {
				id.Store(uint32(pub.PacketID))
			}
		case p.Type == packets.PUBACK && p.fromBroker && id.Load() > 0 && uint32(p.PacketID()) == id.Load() && eaten.CompareAndSwap(0, 1):
			return eatAndCut
		}
		return pass
	})
	w := newWorker("w", 0)
	serve(t, p.url()+"/"+path, w, nil)
	client := dial(t, b.URL()+"/"+path, nil)
	const chunks = 300
	m := message("chunks 300")
	got := read(within(t, patience), client, m)
	require.NoError(t, got.err)
	assert.Equal(t, chunks, got.chunks)
	assert.Positive(t, eaten.Load(), "nothing was lost")
	assert.Greater(t, items.Load(), int64(chunks+2), "nothing was sent twice")
	assert.Equal(t, map[string]int{m.GetMessage().GetMessageId(): 1}, w.counts())
}
