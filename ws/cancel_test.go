package ws_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// Calls that are canceled, that run out of time, and streams that are left end
// at the agent, and touch nothing else on their connection.
func TestNeighboursOfCallsThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		h, m := inMemory(t, endings(ended), nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial})
		for _, err := range c.SendStreamingMessage(t.Context(), nil, message("x")) {
			require.NoError(t, err)
			for range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				_, err := c.GetTask(ctx, nil, get("wait"))
				codes(t, binding.DeadlineExceeded, err)
				assert.Equal(t, "call", <-ended)
				cancel()

				ctx, cancel = context.WithCancel(t.Context())
				time.AfterFunc(time.Millisecond, cancel)
				_, err = c.GetTask(ctx, nil, get("wait"))
				codes(t, binding.Canceled, err)
				assert.Equal(t, "call", <-ended)

				ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
				var last error
				for _, last = range c.SendStreamingMessage(ctx, nil, message("x")) {
				}
				codes(t, binding.DeadlineExceeded, last)
				assert.Equal(t, "stream", <-ended)
				cancel()

				for _, err := range c.SendStreamingMessage(t.Context(), nil, message("x")) {
					require.NoError(t, err)
					break
				}
				assert.Equal(t, "stream", <-ended)

				got, err := c.GetTask(t.Context(), nil, get("t-1"))
				require.NoError(t, err)
				assert.Equal(t, "t-1", got.GetId())
			}
			break
		}
		assert.Equal(t, "stream", <-ended)
		assert.Equal(t, 1, h.Connections())
	})
}

// A call that cannot be sent yet ends with its context too.
func TestCallThatIsNotSentYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
		accepted := make(chan struct{})
		_, real := inMemory(t, &agent{}, nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: func(ctx context.Context, network, address string) (net.Conn, error) {
			select {
			case <-accepted: // the second connection is never made
				return m.dial(ctx, network, address)
			default:
				close(accepted)
				return real.dial(ctx, network, address)
			}
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.GetTask(ctx, &binding.Call{Credential: "Bearer other"}, get("t-1"))
		codes(t, binding.DeadlineExceeded, err)
		assert.Equal(t, time.Second, time.Since(began))
		_, err = c.GetTask(t.Context(), nil, get("t-1"))
		require.NoError(t, err)
		close(m.done)
	})
}
