package mux

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Many items pass without the queue growing with their number.
func TestQueueIsCompact(t *testing.T) {
	q := NewQueue[int](200, 1<<20)
	next := 0
	for i := range 10_000 {
		require.True(t, q.Put(i, 1))
		if i%2 == 1 || i > 150 {
			v, _, _, _ := q.Take(t.Context())
			require.Equal(t, next, v)
			next++
		}
	}
	assert.Less(t, cap(q.held), 1000)
}
