package ws_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/ws"
)

// A thousand connections that only open, half of them with a handshake, harm
// nobody else, and are gone when their time is up.
func TestConnectionsThatOnlyOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, &agent{}, nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial})
		for range 500 {
			raw, err := m.dial(t.Context(), "", "")
			require.NoError(t, err)
			defer func() { require.NoError(t, raw.Close()) }()
			m.connect(t, nil, "a2a.v1.flow")
		}
		synctest.Wait()
		assert.Equal(t, 501, h.Connections())
		for range 10 {
			began := time.Now()
			_, err := c.GetTask(t.Context(), nil, get("t-1"))
			require.NoError(t, err)
			n, err := collect(t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, 2, n)
			assert.Zero(t, time.Since(began))
			pass(5 * time.Second)
		}
		assert.Equal(t, 1, h.Connections())
	})
}
