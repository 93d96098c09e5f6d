package ws

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/coder/websocket"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// handshake dials one connection. It follows no redirects, so that credentials
// go nowhere else.
func (c *conn) handshake(ctx context.Context, cred binding.Credential, subprotocols []string) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	var cork *corked
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			raw, err := c.o.NetDial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			cork = newCorked(raw)
			return cork, nil
		},
		TLSClientConfig:     c.o.TLS.Clone(),
		TLSHandshakeTimeout: handshakeTime,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 alone can be upgraded
	}
	header := http.Header{"A2a-Version": {binding.Version}}
	if cred != "" {
		header.Set("Authorization", cred.Reveal())
	}
	sock, resp, err := websocket.Dial(ctx, c.url.String(), &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		HTTPHeader: header, Subprotocols: subprotocols,
	})
	if err != nil {
		transport.CloseIdleConnections()
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			return nil, notUpgraded(resp)
		}
		if ctx.Err() != nil {
			return nil, binding.Errorf(binding.Unavailable, "ws: dial: no handshake within %s", handshakeTime)
		}
		return nil, binding.Errorf(binding.Unavailable, "ws: dial: %w", err)
	}
	if !slices.ContainsFunc(subprotocols, equalFold(sock.Subprotocol())) {
		_ = sock.CloseNow()
		return nil, binding.Errorf(binding.InvalidAgentResponse, "ws: dial: the server chose none of the subprotocols offered")
	}
	sock.SetReadLimit(int64(httpwire.BodyLimit(c.o.MaxMessageBytes)))
	return newLink(c, sock, cork), nil
}

// notUpgraded is the error for an HTTP answer to a handshake.
func notUpgraded(resp *http.Response) error {
	var body []byte
	if resp.Body != nil {
		body, _ = io.ReadAll(resp.Body) // a little, at most
	}
	e := errmap.ReadHTTP(resp.StatusCode, resp.Header, body)
	if e.Code == binding.Unauthenticated || e.Code == binding.PermissionDenied {
		return e
	}
	return binding.Errorf(binding.Unavailable, "ws: dial: HTTP %d in place of a handshake: %w", resp.StatusCode, e)
}
