package mqtt

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/a2awire/a2awire/binding"
)

// unconnected is a server whose connection is down, and who has no card there.
func unconnected(t *testing.T) *Server {
	conn := &Connection{ledger: newLedger(), change: make(chan struct{}), routes: map[string][]*route{}}
	conn.life, conn.kill = context.WithCancelCause(t.Context())
	o := new(Options).resolve()
	s := &Server{
		conn: conn, addr: Address{"acme", "edge", "a"}, o: o, topics: o.topics(), log: newJournal(), aliases: newAliases(),
		in: binding.NewInbound(binding.Unimplemented{}, &o.Options, binding.CarriesJSON), calls: map[callKey]*call{},
	}
	s.life = t.Context()
	return s
}

// A requester that leaves before its stream has begun is not waited for.
func TestLeftBeforeTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := &call{s: unconnected(t), cancel: cancel, request: new(message), window: 8, correlations: []string{"1"}}
		c.abandon()
		start := time.Now()
		c.streamed(ctx, binding.OpSubscribeToTask, new(binding.Call), []byte("1"), binding.Payload{})
		assert.Zero(t, time.Since(start))
	})
}

// A notification ends in the journal, too: what is in flight there stays.
func TestNotificationIsDone(t *testing.T) {
	c := &call{s: unconnected(t), key: keyOf("topic", "1"), request: packet("1", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}`)}
	c.s.log.begin(c.key, c)
	c.run(t.Context())
	inFlight, _, seen := c.s.log.begin(c.key, nil)
	assert.True(t, seen)
	assert.Nil(t, inFlight)
}
