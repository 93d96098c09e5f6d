package ws

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// A connection is closed to make room for another, or takes a call that is just
// being made: never both.
func TestMakingRoomEndsNoCall(t *testing.T) {
	h := NewHandler(brief{}, nil)
	s := httptest.NewServer(h)
	defer s.Close()
	defer func() { require.NoError(t, h.Close()) }()
	sock, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	require.NoError(t, err)
	c := &conn{o: (*Options)(nil).resolve()}
	const callers = 8
	for range 5_000 {
		l := &link{c: c, sock: sock, done: make(chan struct{}), waiting: map[uint64]*waiter{}}
		begin := make(chan struct{})
		taken := make(chan bool, callers)
		for range callers {
			go func() {
				<-begin
				_, err := l.enlist(binding.OpGetTask, 1)
				taken <- err == nil
			}()
		}
		close(begin)
		retired := l.retire()
		for range callers {
			require.False(t, <-taken && retired, "retired, and took a call")
		}
	}
	c.closing.Wait()
}
