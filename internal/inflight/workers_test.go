package inflight_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/a2awire/a2awire/internal/inflight"
)

// count is how many goroutines there are, when all that can run has run.
func count() int {
	synctest.Wait()
	return runtime.NumGoroutine()
}

func TestWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inflight.NewWorkers()
		before := count()
		var held sync.WaitGroup
		release := make(chan struct{})
		for range 3 {
			held.Add(1)
			w.Go(func() { defer held.Done(); <-release })
		}
		assert.Equal(t, before+3, count(), "all run at the same time")
		close(release)
		held.Wait()
		assert.Equal(t, before+3, count(), "those who are done wait")
		ran := make(chan struct{}, 1)
		for range 100 {
			w.Go(func() { ran <- struct{}{} })
			<-ran
			assert.Equal(t, before+3, count(), "those who wait are used again")
		}
		time.Sleep(2 * time.Second)
		assert.Equal(t, before, count(), "nobody waits for long")

		w.Go(func() {})
		assert.Equal(t, before+1, count())
		w.Close()
		assert.Equal(t, before, count(), "the end is at once")
		w.Go(func() { ran <- struct{}{} })
		<-ran
		assert.Equal(t, before, count(), "and for good")
	})
}

func BenchmarkWorkers(b *testing.B) {
	done := make(chan struct{})
	f := func() { grow(64); done <- struct{}{} }
	w := inflight.NewWorkers()
	defer w.Close()
	for name, start := range map[string]func(func()){"new": func(f func()) { go f() }, "used again": w.Go} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				start(f)
				<-done
			}
		})
	}
}

// grow needs a stack of about so many hundred bytes.
func grow(n int) byte {
	var room [128]byte
	if n > 0 {
		room[n] = grow(n - 1)
	}
	return room[n/2]
}
