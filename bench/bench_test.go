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
	require.NoError(t, stalled())
}

func TestGroupsBeginWithTheirFloor(t *testing.T) {
	gs := groups([]load{{group: "a", name: "1"}, {group: "a", name: "2"}, {group: "b", name: "3"}})
	require.Len(t, gs, 2)
	assert.Len(t, gs[0], 2)
}
