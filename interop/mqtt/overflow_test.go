//go:build interop

package mqtt_test

import (
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// A client whose line stalls, at a broker that keeps little for it: items of
// the stream are dropped, with PUBACK 0. The stream has no hole: what was
// dropped is sent again, or the stream ends with an error that it can be
// resumed from.
func TestOverflowAtTheBroker(t *testing.T) {
	for name, client := range map[string]func(binding.Client) binding.Client{
		"plain":   func(c binding.Client) binding.Client { return c },
		"resumed": func(c binding.Client) binding.Client { return binding.Resume(c, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the stream is silent for ten seconds
			b := leg.StartMosquitto(t, "max_inflight_messages 10", "max_queued_messages 5")
			path := freshPath()
			w := newWorker("w", 1)
			serve(t, b.URL()+"/"+path, w, nil)
			p := before(t, b, func(packet) verdict { return pass })
			c := client(dial(t, p.url()+"/"+path, nil))
			defer c.Close()
			const chunks = 60 // all of them in the window
			ended := make(chan stream, 1)
			ctx := within(t, 2*patience)
			go func() { ended <- read(ctx, c, message("chunks 60")) }()
			<-w.begun
			p.stall()
			close(w.goOn)
			require.Eventually(t, func() bool { return strings.Contains(b.Log.String(), dropping) }, patience, tick, "nothing overflows")
			p.flow()
			got := <-ended
			if got.err == nil {
				assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, got.state)
				assert.True(t, got.chunks == chunks || got.resumed, "a hole: %+v", got)
				return
			}
			require.ErrorIs(t, got.err, binding.ErrUnavailable)
			assert.Equal(t, "plain", name, "a stream that resumes is not to fail: %v", got.err)
		})
	}
}

// dropping is what mosquitto says when a queue is full.
const dropping = "Outgoing messages are being dropped for client"

// An item that is lost as often as it is sent: the stream ends with an error,
// before the hole, and can be resumed from.
func TestItemIsLostForGood(t *testing.T) {
	b := leg.StartMosquitto(t)
	path := freshPath()
	serve(t, b.URL()+"/"+path, newWorker("w", 0), nil)
	const chunks, lost = 40, 20
	for name, client := range map[string]func(binding.Client) binding.Client{
		"plain":   func(c binding.Client) binding.Client { return c },
		"resumed": func(c binding.Client) binding.Client { return binding.Resume(c, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			stream, eaten := "", 0 // the correlation of the first stream
			p := before(t, b, func(p packet) verdict {
				pub := p.published()
				if pub == nil || !p.fromBroker || user(pub, "a2a-stream-seq") != "20" {
					return pass
				}
				mu.Lock()
				defer mu.Unlock()
				if stream == "" {
					stream = string(pub.Properties.CorrelationData)
				}
				if string(pub.Properties.CorrelationData) != stream {
					return pass
				}
				eaten++
				return eat
			})
			c := client(dial(t, p.url()+"/"+path, nil))
			defer c.Close()
			got := read(within(t, patience), c, message("chunks 40"))
			if name == "plain" {
				require.ErrorIs(t, got.err, binding.ErrUnavailable)
				assert.Equal(t, lost-1, got.chunks, "all before the hole, the task being the first item")
			} else {
				require.NoError(t, got.err)
				assert.True(t, got.resumed)
				assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, got.state)
			}
			mu.Lock()
			defer mu.Unlock()
			assert.Greater(t, eaten, 1, "it was asked for again")
			assert.Less(t, got.chunks, chunks)
		})
	}
}
