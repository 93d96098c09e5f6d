package mqtt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// What costs the connection at brokers is not sent, and not shown.
func TestTextThatBrokersRefuse(t *testing.T) {
	for _, s := range []string{"", "a b", "ü€😀", "a/b\u00a0", strings.Repeat("x", maxTextBytes)} {
		assert.True(t, carried(s), "%.40q", s)
	}
	for _, s := range []string{"a\tb", "\x00", "\x7f", "\u0085", "caf\xe9", "\ufdd0", "\uffff", "\U0001fffe", strings.Repeat("x", maxTextBytes+1)} {
		assert.False(t, carried(s), "%.40q", s)
		m := &message{topic: "t"}
		m.add(propAuthorization, "Bearer secret"+s)
		err := m.check()
		require.ErrorIs(t, err, binding.ErrInvalidParams)
		require.ErrorContains(t, err, propAuthorization)
		assert.NotContains(t, err.Error(), "secret")
	}
}

// An agent that answers to such a topic would lose its connection.
func TestResponseTopicsThatBrokersRefuse(t *testing.T) {
	ts := topics{DefaultRoot}
	require.NoError(t, ts.checkReply(DefaultRoot+"/reply/a/b/c/d"))
	require.NoError(t, ts.checkReply(DefaultRoot+"/reply/x"))
	for _, suffix := range []string{strings.Repeat("/", 40), "a\tb", "\xff", "a\x7f", "+", strings.Repeat("x", maxTopicBytes)} {
		assert.Error(t, ts.checkReply(DefaultRoot+"/reply/"+suffix), "%.40q", suffix)
	}
}
