package grpcbind

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
)

// The goldens are the frames of HTTP/2 that belong to the call; messages have
// their bytes in hexadecimal behind each field.
func TestGoldens(t *testing.T) {
	golden.Run(t, "gRPC", func(t *testing.T, agent binding.Agent) (binding.Client, func() (sent, got string)) {
		l := bufconn.Listen(64 << 10)
		srv := grpc.NewServer(ServerOptions(nil)...)
		Register(srv, agent, nil)
		done := make(chan error, 1)
		go func() { done <- srv.Serve(l) }()
		tap := new(tapped)
		client, err := Dial(t.Context(), "grpc://127.0.0.1", &Options{DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				c, err := l.DialContext(ctx)
				tap.Conn = c
				return tap, err
			}),
		}})
		require.NoError(t, err)
		return client, func() (string, string) {
			require.NoError(t, client.Close())
			srv.GracefulStop()
			require.NoError(t, <-done)
			calls := new(calls)
			return calls.text(t, tap.sent.Bytes()), calls.text(t, tap.got.Bytes())
		}
	})
}

// tapped is a client's connection that writes down what crosses.
type tapped struct {
	net.Conn
	mu        sync.Mutex
	sent, got bytes.Buffer
}

func (c *tapped) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent.Write(p[:n])
	return n, err
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got.Write(p[:n])
	return n, err
}
