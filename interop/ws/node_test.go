//go:build interop

package ws_test

import (
	"testing"
	"time"

	"github.com/a2awire/a2awire/interop/leg"
)

// patience is how long one process of Node or Chromium may run.
const patience = 50 * time.Second

// converse runs client.mjs, and is what its steps came to.
func converse(t *testing.T, args ...string) []outcome {
	t.Helper()
	return leg.Run[outcome](t, patience, "node", append([]string{"client.mjs"}, args...)...)
}

// verdict is what server.mjs says when it ends.
type verdict struct {
	Violations []string
	Canceled   int
}

// proposalServer starts server.mjs: its URL, and what ends it and is its verdict.
func proposalServer(t *testing.T) (url string, end func() verdict) {
	t.Helper()
	server := leg.Start(t, patience, "node", "server.mjs")
	var at struct{ URL string }
	server.Next(t, &at)
	return at.URL, func() (v verdict) {
		server.CloseInput()
		server.Next(t, &v)
		server.End(t)
		return v
	}
}
