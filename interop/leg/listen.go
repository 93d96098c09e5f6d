//go:build interop

package leg

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Listen listens at a free loopback port, which whoever serves there closes.
func Listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}
