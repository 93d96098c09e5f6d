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
	ctx, c, err := g.Begin(t.Context())
	require.NoError(t, err)
	assert.True(t, g.Stop(errWhy))
	assert.False(t, g.Stop(errWhy), "only once")
	require.NoError(t, ctx.Err(), "stopping ends no call")
	_, _, err = g.Begin(t.Context())
	require.ErrorIs(t, err, errWhy)
	g.Cancel(errWhy)
	assert.Equal(t, errWhy, context.Cause(ctx))
	g.End(c)
	require.NoError(t, g.Wait(t.Context()))
}

func TestCallsEndAlone(t *testing.T) {
	var g inflight.Group
	ctx, c, err := g.Begin(t.Context())
	require.NoError(t, err)
	g.End(c)
	require.Error(t, ctx.Err(), "a call's context ends with it")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = g.Begin(gone)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g inflight.Group
		_, c, err := g.Begin(t.Context())
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
