//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every load works, and leaves nothing behind. What it costs is not tested.
func TestLoads(t *testing.T) {
	for _, l := range loads() {
		t.Run(l.group+"/"+l.name, func(t *testing.T) {
			op, stop, err := l.start()
			require.NoError(t, err)
			defer stop()
			assert.NoError(t, op(t.Context()))
		})
	}
}

func TestConnections(t *testing.T) {
	require.NoError(t, idle(20))
	require.NoError(t, stalledOnSocket(1))
	require.NoError(t, stalledOnBroker(1))
	require.NoError(t, flight(100))
}

// A group that is listed in two places would have two floors.
func TestGroupsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range groups(loads()) {
		assert.False(t, seen[g[0].group], g[0].group)
		seen[g[0].group] = true
		assert.Greater(t, len(g), 1, "%s has a floor alone", g[0].group)
	}
}
