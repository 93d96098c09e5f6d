package refagent

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The index against a sorted slice.
func TestIndex_IsASortedSet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var x index
	var model []key
	order := func(a, b key) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	}
	for i := range 3000 {
		if len(model) > 0 && rnd.IntN(3) == 0 {
			at := rnd.IntN(len(model))
			x.remove(model[at])
			model = slices.Delete(model, at, at+1)
		} else {
			k := key{at: rnd.Int64N(40), seq: uint64(i + 1)}
			x.insert(&node{key: k})
			at, _ := slices.BinarySearchFunc(model, k, order)
			model = slices.Insert(model, at, k)
		}
		require.Equal(t, len(model), x.len())
		probe := key{at: rnd.Int64N(42) - 1, seq: uint64(rnd.IntN(i + 2))}
		at, exact := slices.BinarySearchFunc(model, probe, order)
		require.Equal(t, at, x.rank(probe))
		if exact {
			at++
		}
		want := model[at:min(at+5, len(model))]
		var got []key
		x.walk(probe, func(n *node) bool {
			if len(got) == 5 {
				return false
			}
			got = append(got, n.key)
			return true
		})
		require.Equal(t, append([]key{}, want...), append([]key{}, got...))
	}
}

// Depth is what insert, remove and a page's seek cost.
func TestIndex_StaysShallow(t *testing.T) {
	const n = 100_000
	var x index
	for i := range n {
		x.insert(&node{key: key{at: int64(i), seq: uint64(i + 1)}})
	}
	var depth func(*node) int
	depth = func(e *node) int {
		if e == nil {
			return 0
		}
		return 1 + max(depth(e.left), depth(e.right))
	}
	assert.Less(t, depth(x.root), 4*bits.Len(n), "in the order of time, as tasks come")
}
