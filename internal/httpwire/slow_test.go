package httpwire_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/httpwire"
)

// pipe is a listener of one connection in memory, whose time a test has.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipe) Close() error   { close(p.done); return nil }
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// A client that does not finish its request is cut off: headers after ten
// seconds, the body after a minute.
func TestSlowClients(t *testing.T) {
	for name, c := range map[string]struct {
		sends string
		after time.Duration
		body  bool // the handler is called
	}{
		"headers": {"POST / HTTP/1.1\r\nHost: x\r\n", 10 * time.Second, false},
		"body":    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf", time.Minute, true},
		"chunks":  {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := make(chan error, 1)
				srv := httpwire.NewHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, err := httpwire.ReadRequest(w, r, 100)
					failed <- err
					w.WriteHeader(http.StatusBadRequest)
				}), nil)
				l := &pipe{make(chan net.Conn, 1), make(chan struct{})}
				served := make(chan error, 1)
				go func() { served <- srv.Serve(l) }()
				here, there := net.Pipe()
				l.conns <- there
				began := time.Now()
				_, err := io.WriteString(here, c.sends)
				require.NoError(t, err)
				_, err = bufio.NewReader(here).ReadString('\n')
				if c.body {
					require.NoError(t, err)
					require.Error(t, <-failed)
				} else {
					require.ErrorIs(t, err, io.EOF)
				}
				assert.InDelta(t, c.after, time.Since(began), float64(time.Second))
				require.NoError(t, here.Close())
				require.NoError(t, srv.Close())
				require.ErrorIs(t, <-served, http.ErrServerClosed)
			})
		})
	}
}
