package mux_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/internal/mux"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sender takes items of one size from a window until its context ends.
func sender(ctx context.Context, w *mux.Window, size int) (sent *int, gone chan struct{}) {
	sent, gone = new(int), make(chan struct{})
	go func() {
		defer close(gone)
		for w.Take(ctx, size) == nil {
			*sent++
		}
	}()
	return sent, gone
}

func TestWindow(t *testing.T) {
	for name, c := range map[string]struct {
		items, bytes, size int
		first, afterTwo    int
	}{
		"by items":       {items: 4, bytes: 1000, size: 10, first: 4, afterTwo: 6},
		"by bytes":       {items: 100, bytes: 30, size: 10, first: 3, afterTwo: 5},
		"larger than it": {items: 100, bytes: 5, size: 10, first: 1, afterTwo: 2},
		"up to half":     {items: 100, bytes: 100, size: 70, first: 1, afterTwo: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				w := mux.NewWindow(c.items, c.bytes)
				sent, gone := sender(ctx, w, c.size)
				synctest.Wait()
				assert.Equal(t, c.first, *sent)
				w.Grant(2)
				synctest.Wait()
				assert.Equal(t, c.afterTwo, *sent)
				cancel()
				<-gone
			})
		})
	}
}

// Whatever a peer grants, the sum stays a number.
func TestGrantIsBounded(t *testing.T) {
	w := mux.NewWindow(1, 1<<30)
	for range 3 {
		w.Grant(1 << 62)
	}
	for range mux.MaxGrant {
		require.NoError(t, w.Take(t.Context(), 1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, w.Take(ctx, 1))
}

// Sender and receiver together never stand still, and never pass the window.
func TestMeterFeedsWindow(t *testing.T) {
	for _, sizes := range [][]int{{1}, {9}, {40}, {1000}, {1, 1000}, {40, 61}, {1, 99, 1, 100}, {49, 101, 3}} {
		const items, bytes = 8, 100
		w := mux.NewWindow(items, bytes)
		m := mux.Meter{Items: items, Bytes: bytes}
		q := mux.NewQueue[int](items, bytes)
		go func() {
			defer q.End(nil)
			for i := range 1000 {
				size := sizes[i%len(sizes)]
				if w.Take(t.Context(), size) != nil {
					return
				}
				assert.True(t, q.Put(i, size), "more ahead than the window")
			}
		}()
		n := 0
		for {
			_, size, ok, err := q.Take(t.Context())
			require.NoError(t, err)
			if !ok {
				break
			}
			n++
			if g := m.Took(size); g > 0 {
				w.Grant(g)
			}
		}
		assert.Equal(t, 1000, n, "%v", sizes)
	}
}

var errWhy = errors.New("why")

func TestQueue(t *testing.T) {
	q := mux.NewQueue[int](3, 100)
	assert.True(t, q.Put(1, 500), "a single item may be larger")
	assert.False(t, q.Put(2, 1))
	v, size, ok, err := q.Take(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{1, 500, true}, []any{v, size, ok})
	for i := range 3 {
		assert.True(t, q.Put(i, 1))
	}
	assert.False(t, q.Put(3, 1), "three items are held")
	q.End(errWhy)
	q.End(nil)
	assert.True(t, q.Put(9, 1), "late ones are dropped")
	for i := range 3 {
		v, _, ok, err := q.Take(t.Context())
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, i, v)
	}
	for range 2 {
		_, _, ok, err = q.Take(t.Context())
		assert.False(t, ok)
		assert.Equal(t, errWhy, err)
	}
	full := mux.NewQueue[int](1, 1)
	require.True(t, full.Put(1, 1))
	full.EndWith(2, 1)
	full.EndWith(3, 1)
	for i := range 2 {
		v, _, ok, err := full.Take(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []any{i + 1, true}, []any{v, ok}, "the last comes whatever the bound")
	}
	_, _, ok, err = full.Take(t.Context())
	assert.False(t, ok)
	require.NoError(t, err)
	clean := mux.NewQueue[int](1, 1)
	clean.End(nil)
	_, _, ok, err = clean.Take(t.Context())
	assert.False(t, ok)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, ok, err = mux.NewQueue[int](1, 1).Take(ctx)
	assert.False(t, ok)
	require.ErrorIs(t, err, context.Canceled)
}

// A queue that waits for room passes everything on, in order.
func TestPutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mux.NewQueue[int](2, 10)
		never := make(chan struct{})
		go func() {
			for i := range 500 {
				assert.True(t, q.PutWait(never, i, 6))
			}
			q.End(nil)
		}()
		for i := 0; ; i++ {
			v, _, ok, err := q.Take(t.Context())
			require.NoError(t, err)
			if !ok {
				assert.Equal(t, 500, i)
				break
			}
			assert.Equal(t, i, v)
		}
		q = mux.NewQueue[int](1, 10)
		require.True(t, q.Put(1, 1))
		done, result := make(chan struct{}), make(chan bool)
		go func() { result <- q.PutWait(done, 2, 1) }()
		synctest.Wait()
		close(done)
		assert.False(t, <-result)
	})
}
