package ws_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/ws"
)

// A caller that takes its time holds its stream back, and keeps it, also where
// the socket is all there is to hold the server back.
func TestSlowCallerKeepsItsStream(t *testing.T) {
	for name, proposal := range map[string]bool{"flow": false, "proposal": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, m := inMemory(t, &agent{}, nil)
				c := dial(t, memoryURL, &ws.Options{NetDial: m.dial, Proposal: proposal, Window: 2})
				n := 0
				for _, err := range c.SendStreamingMessage(t.Context(), nil, message("stream 20")) {
					require.NoError(t, err)
					n++
					pass(time.Minute)
				}
				assert.Equal(t, 22, n)
			})
		})
	}
}
