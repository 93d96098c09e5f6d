//go:build interop

package js_test

import (
	"testing"
	"time"

	"github.com/a2awire/a2awire/interop/leg"
)

// patience is how long one conversation may take.
const patience = 60 * time.Second

// converse holds a conversation of the SDK's client with the agent whose card
// is below a URL.
func converse(t *testing.T, url, transport, mode string) []outcome {
	t.Helper()
	return leg.Run[outcome](t, patience, "node", "client.mjs", url, transport, mode)
}

// sdkServer starts the agents on the SDK's server, and is where their cards
// are by mode. They end with the test.
func sdkServer(t *testing.T) map[string]string {
	t.Helper()
	cards := map[string]string{}
	leg.Start(t, 2*patience, "node", "server.mjs").Next(t, &cards)
	return cards
}
