package mqtt

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func statusOf(status, source, instance string) *message {
	return packet("", "{}", propStatus, status, propStatusSource, source, propInstance, instance)
}

// What a client makes of its agent's card.
func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPresence()
		defer p.close()
		calls, err := p.reachable()
		require.NoError(t, err, "nothing is known")
		p.receive(statusOf(statusOnline, sourceAgent, "1"))
		require.NoError(t, calls.Err())

		// A will is not the end, if the agent comes back.
		p.receive(statusOf(statusOffline, sourceWill, ""))
		time.Sleep(returnTime - 1)
		require.NoError(t, calls.Err())
		p.receive(statusOf(statusOnline, sourceAgent, "1"))
		time.Sleep(time.Hour)
		require.NoError(t, calls.Err())

		// It is, if not.
		p.receive(statusOf(statusOffline, sourceWill, ""))
		time.Sleep(returnTime)
		synctest.Wait()
		require.Error(t, calls.Err())
		_, err = p.reachable()
		require.ErrorIs(t, err, errOffline)

		// Another instance does not know the calls of the one before.
		p.receive(statusOf(statusOnline, sourceAgent, "1"))
		calls, err = p.reachable()
		require.NoError(t, err)
		p.receive(statusOf(statusOnline, sourceAgent, "2"))
		require.Error(t, calls.Err())
		calls, err = p.reachable()
		require.NoError(t, err)

		// The agent itself is believed.
		p.receive(statusOf(statusOffline, sourceAgent, "2"))
		require.Error(t, calls.Err())
		p.receive(statusOf(statusOnline, sourceAgent, "2"))
		calls, _ = p.reachable()
		p.receive(packet("", ""))
		require.Error(t, calls.Err())
		_, err = p.reachable()
		require.ErrorIs(t, err, errGone)
	})
}

// An agent that comes back just when it is given up has come back.
func TestPresenceComesBackInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPresence()
		defer p.close()
		calls, err := p.reachable()
		require.NoError(t, err)
		p.receive(statusOf(statusOffline, sourceWill, ""))
		p.mu.Lock()
		time.Sleep(returnTime) // the time is over while the card is being read
		p.stop()
		p.mu.Unlock()
		synctest.Wait()
		require.NoError(t, calls.Err())
	})
}

// What was retained before anybody asked is believed at once.
func TestPresenceAtFirst(t *testing.T) {
	p := newPresence()
	defer p.close()
	m := statusOf(statusOffline, sourceWill, "")
	m.retain = true
	p.receive(m)
	_, err := p.reachable()
	require.ErrorIs(t, err, errOffline)
	assert.False(t, p.profile())
}

// A request that a broker had retained is nobody's, and nothing is looked at.
func TestRetainedRequest(t *testing.T) {
	new(Server).receive(&message{retain: true, payload: []byte("{}")})
	new(Server).receive(&message{})
}
