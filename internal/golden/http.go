package golden

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// HTTP makes wires over HTTP/1.1: an agent's handler, and a client that dials
// a URL through a transport. Server and transport have the bounds that they
// have everywhere, so a stream that outlives them shows here.
func HTTP(handler func(binding.Agent) http.Handler, dial func(url string, rt http.RoundTripper) (binding.Client, error)) Maker {
	return func(t *testing.T, agent binding.Agent) (binding.Client, func() (sent, got string)) {
		l := newPipes()
		srv := httpwire.NewHTTPServer(handler(agent), nil)
		done := make(chan error, 1)
		go func() { done <- srv.Serve(l) }()
		next := httpwire.NewTransport(nil)
		next.DialContext = l.dial
		tap := &transport{next: next}
		client, err := dial("http://agent.example", tap)
		require.NoError(t, err)
		return client, func() (string, string) {
			require.NoError(t, client.Close())
			next.CloseIdleConnections()
			require.NoError(t, srv.Shutdown(t.Context()))
			require.ErrorIs(t, <-done, http.ErrServerClosed)
			return stable(tap.sent.Bytes()), stable(tap.got.Bytes())
		}
	}
}

// transport writes one exchange down as it passes.
type transport struct {
	next      http.RoundTripper
	sent, got bytes.Buffer
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	out, err := httputil.DumpRequestOut(r, true)
	if err != nil {
		return nil, err
	}
	t.sent.Write(out)
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	head, err := httputil.DumpResponse(resp, false)
	if err != nil {
		return nil, err
	}
	t.got.Write(head)
	resp.Body = &body{ReadCloser: resp.Body, got: &t.got}
	return resp, nil
}

// body writes down what is read of a body, and whether it was left before its end.
type body struct {
	io.ReadCloser
	got   *bytes.Buffer
	ended bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.got.Write(p[:n])
	b.ended = b.ended || err != nil
	return n, err
}

func (b *body) Close() error {
	if !b.ended {
		b.ended = true
		b.got.WriteString("(the client closes the connection)\n")
	}
	return b.ReadCloser.Close()
}

// passing are headers that change from run to run or say nothing.
var passing = []string{"Host", "Date", "User-Agent", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding"}

// stable is an HTTP message without what changes, its headers sorted.
func stable(b []byte) string {
	head, body, _ := strings.Cut(string(b), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	headers := slices.DeleteFunc(lines[1:], func(l string) bool {
		name, _, _ := strings.Cut(l, ":")
		return slices.Contains(passing, http.CanonicalHeaderKey(name))
	})
	slices.Sort(headers)
	return strings.Join(append(lines[:1], headers...), "\n") + "\n\n" + body
}

// pipes are a listener whose connections stay in this process, so that the
// time of a wire can be a test's.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.accepted <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
