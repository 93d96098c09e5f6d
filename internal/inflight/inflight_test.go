package inflight_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/inflight"
)

var errWhy = errors.New("closing")

func TestCallsEndWithTheirGroup(t *testing.T) {
	var g inflight.Group
	c, err := g.Begin(t.Context())
	require.NoError(t, err)
	assert.True(t, g.Stop(errWhy))
	assert.False(t, g.Stop(errWhy), "only once")
	require.NoError(t, c.Err(), "stopping ends no call")
	_, err = g.Begin(t.Context())
	require.ErrorIs(t, err, errWhy)
	g.Cancel(errWhy)
	assert.Equal(t, errWhy, c.Cause())
	g.End(c)
	require.NoError(t, g.Wait(t.Context()))
}

func TestCallsEndAlone(t *testing.T) {
	var g inflight.Group
	c, err := g.Begin(t.Context())
	require.NoError(t, err)
	g.End(c)
	require.Error(t, c.Err(), "a call's context ends with it")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.Begin(gone)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g inflight.Group
		c, err := g.Begin(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, g.Wait(ctx), context.DeadlineExceeded)
		began := time.Now()
		assert.False(t, g.WaitGrace())
		assert.Equal(t, inflight.Grace, time.Since(began))
		done := make(chan bool, 2)
		go func() { done <- g.WaitGrace() }()
		go func() { done <- g.Wait(t.Context()) == nil }()
		synctest.Wait()
		g.End(c)
		assert.True(t, <-done)
		assert.True(t, <-done)
	})
}

type key struct{}

// A call is a context like any other.
func TestCallIsAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, end := range map[string]func(g *inflight.Group, c *inflight.Call, cancel context.CancelCauseFunc){
			"by its caller": func(_ *inflight.Group, _ *inflight.Call, cancel context.CancelCauseFunc) { cancel(errWhy) },
			"by its group":  func(g *inflight.Group, _ *inflight.Call, _ context.CancelCauseFunc) { g.Cancel(errWhy) },
		} {
			var g inflight.Group
			parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "v"))
			c, err := g.Begin(parent)
			require.NoError(t, err)
			assert.Equal(t, "v", c.Value(key{}))
			require.NoError(t, c.Err())
			require.NoError(t, c.Cause())
			child, drop := context.WithTimeout(c, time.Hour)
			grandchild, dropToo := context.WithCancel(child)
			ran := make(chan struct{})
			stopped := c.AfterFunc(func() { t.Error("stopped, and ran") })
			assert.True(t, stopped())
			assert.False(t, stopped())
			c.AfterFunc(func() { close(ran) })
			select {
			case <-c.Done():
				t.Error("done too soon")
			default:
			}
			end(&g, c, cancel)
			<-c.Done()
			<-ran
			<-grandchild.Done()
			require.ErrorIs(t, c.Err(), context.Canceled, name)
			require.ErrorIs(t, grandchild.Err(), context.Canceled, name)
			assert.Equal(t, errWhy, c.Cause(), name)
			again := make(chan struct{})
			assert.False(t, c.AfterFunc(func() { close(again) })())
			<-again
			g.End(c)
			assert.Equal(t, errWhy, c.Cause(), "what ended it first counts")
			dropToo()
			drop()
			cancel(nil)
		}
	})
}

// Err tells of a caller's end at once, whoever asked before.
func TestCallerThatEndsUnwatched(t *testing.T) {
	var g inflight.Group
	parent, cancel := context.WithCancel(t.Context())
	c, err := g.Begin(parent)
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, c.Err(), context.Canceled)
	<-c.Done()
	g.End(c)
	late, cancelLate := context.WithTimeout(t.Context(), 0)
	defer cancelLate()
	<-late.Done()
	_, err = g.Begin(late)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Calls leave their group in any order.
func TestListOfCalls(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		var g inflight.Group
		var cs [3]*inflight.Call
		for i := range cs {
			c, err := g.Begin(t.Context())
			require.NoError(t, err)
			cs[i] = c
		}
		for n, i := range order {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Error(t, g.Wait(ctx), "%v: %d left", order, 3-n)
			g.End(cs[i])
		}
		require.NoError(t, g.Wait(t.Context()))
	}
}

// A context that ends by itself has its own cause, whatever call it is of.
func TestCauseOfAContext(t *testing.T) {
	var g inflight.Group
	c, err := g.Begin(t.Context())
	require.NoError(t, err)
	defer g.End(c)
	made, cancel := context.WithCancelCause(c)
	cancel(errWhy)
	assert.Equal(t, errWhy, inflight.Cause(made))
	assert.Equal(t, errWhy, inflight.Cause(context.WithValue(made, key{}, "v")))
	require.NoError(t, inflight.Cause(c))
	assert.NoError(t, inflight.Cause(t.Context()), "of no call at all")
}

// A call within a call ends with the outer one's cause.
func TestCauseOfTheOuterCall(t *testing.T) {
	var outer, inner inflight.Group
	o, err := outer.Begin(t.Context())
	require.NoError(t, err)
	c, err := inner.Begin(o)
	require.NoError(t, err)
	made, cancel := context.WithTimeout(c, time.Hour)
	defer cancel()
	require.NoError(t, inflight.Cause(made))
	o.Cancel(errWhy)
	<-made.Done()
	require.ErrorIs(t, c.Err(), context.Canceled)
	assert.Equal(t, errWhy, c.Cause())
	assert.Equal(t, errWhy, inflight.Cause(made), "of what is made of it, too")
	late, cancel := context.WithTimeout(o, 0)
	defer cancel()
	assert.Equal(t, errWhy, inflight.Cause(late))
	inner.End(c)
	outer.End(o)
}
