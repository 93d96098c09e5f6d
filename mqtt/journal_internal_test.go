package mqtt

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal()
		key := requestKey{"topic", "1"}
		c := new(call)
		_, _, seen := j.begin(key, c)
		assert.False(t, seen)
		time.Sleep(time.Hour) // it takes its time
		inFlight, _, seen := j.begin(key, new(call))
		assert.True(t, seen)
		assert.Same(t, c, inFlight)
		reply := packet("", "answer")
		j.done(key, reply)
		time.Sleep(memory)
		inFlight, again, seen := j.begin(key, new(call))
		assert.True(t, seen)
		assert.Nil(t, inFlight)
		assert.Same(t, reply, again)
		_, _, seen = j.begin(requestKey{"elsewhere", "1"}, c)
		assert.False(t, seen, "another requester's")
		time.Sleep(time.Second)
		_, _, seen = j.begin(key, c)
		assert.False(t, seen, "forgotten")
	})
}

// Replies go before requests do, and both have a bound.
func TestJournalIsBounded(t *testing.T) {
	j := newJournal()
	j.maxBytes, j.maxEntries = 1600, 50
	key := func(i int) requestKey { return requestKey{"t", fmt.Sprint(i)} }
	for i := range 60 {
		_, _, seen := j.begin(key(i), new(call))
		assert.False(t, seen)
		j.done(key(i), packet("", strings.Repeat("x", 100)))
		assert.LessOrEqual(t, j.bytes, j.maxBytes)
		assert.LessOrEqual(t, len(j.entries), j.maxEntries)
	}
	_, reply, seen := j.begin(key(59), nil)
	assert.True(t, seen)
	assert.NotNil(t, reply)
	_, reply, seen = j.begin(key(30), nil)
	assert.True(t, seen, "known")
	assert.Nil(t, reply, "but not its reply")
	_, _, seen = j.begin(key(0), new(call))
	assert.False(t, seen)
	j.done(key(0), packet("", strings.Repeat("x", 101)))
	_, reply, _ = j.begin(key(0), nil)
	assert.Nil(t, reply, "one that is large is not kept")
	j.done(requestKey{"t", "never begun"}, nil)

	// Calls in flight stay.
	for i := 100; i < 200; i++ {
		_, _, _ = j.begin(key(i), new(call))
	}
	inFlight, _, seen := j.begin(key(100), nil)
	assert.True(t, seen)
	assert.NotNil(t, inFlight)
}
