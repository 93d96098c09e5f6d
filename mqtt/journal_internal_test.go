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

// A reply that takes the place of another takes its bytes, too.
func TestJournalCountsOnce(t *testing.T) {
	j := newJournal()
	key := keyOf("t", "1")
	j.begin(key, new(call))
	j.done(key, packet("", "a long answer"))
	j.done(key, packet("", "short"))
	assert.Equal(t, len("short"), j.bytes)
	assert.Equal(t, 1, j.held.Len())
	j.done(key, nil)
	assert.Zero(t, j.bytes)
	assert.Zero(t, j.held.Len())
}

// Whose answer came last keeps it longest, however early it was asked.
func TestJournalThinsWhatWasAnsweredFirst(t *testing.T) {
	j := newJournal()
	j.maxBytes = 320
	for _, id := range []string{"slow", "quick"} {
		j.begin(keyOf("t", id), new(call))
	}
	j.done(keyOf("t", "quick"), packet("", strings.Repeat("x", 20)))
	for i := range 15 {
		id := fmt.Sprint(i)
		j.begin(keyOf("t", id), new(call))
		j.done(keyOf("t", id), packet("", strings.Repeat("x", 20)))
	}
	j.done(keyOf("t", "slow"), packet("", strings.Repeat("x", 20)))
	_, reply, _ := j.begin(keyOf("t", "slow"), nil)
	assert.NotNil(t, reply)
	_, reply, _ = j.begin(keyOf("t", "quick"), nil)
	assert.Nil(t, reply)
}

// The ids of requests are their requesters'; what is kept of one is bounded.
func TestJournalKeysAreBounded(t *testing.T) {
	long := strings.Repeat("k", 60_000)
	k := keyOf("t", long)
	assert.LessOrEqual(t, len(k.id), maxKeyBytes)
	assert.Equal(t, k, keyOf("t", long))
	assert.NotEqual(t, k, keyOf("t", long+"k"))
	assert.Equal(t, requestKey{"t", long[:maxKeyBytes]}, keyOf("t", long[:maxKeyBytes]))

	c := &call{request: packet("1", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"`+long+
		`","taskId":"t","role":"ROLE_USER","parts":[{"text":"x"}]}}}`)}
	id := c.profileKey().id
	assert.NotEmpty(t, id)
	assert.LessOrEqual(t, len(id), maxKeyBytes)
}
