package httpwire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/a2awire/a2awire/binding"
)

// Client sends requests to one base URL. It follows no redirects, so that
// credentials go nowhere else, and has no time-out over a whole call, so that
// streams live as long as their callers want.
type Client struct {
	// Base is the URL of the interface.
	Base *url.URL
	// Transport carries the requests.
	Transport http.RoundTripper

	own *http.Transport
}

// NewClient is a client with a transport of its own, or with the one given.
// The package's name begins its errors.
func NewClient(pkg, base string, transport http.RoundTripper, tlsConfig *tls.Config) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, binding.Errorf(binding.InvalidParams, "%s: dial: %q is not an http or https URL", pkg, base)
	}
	if u.User != nil {
		return nil, binding.Errorf(binding.InvalidParams, "%s: dial: the URL holds credentials; put them into Call.Credential", pkg)
	}
	c := &Client{Base: u, Transport: transport}
	if transport == nil {
		c.own = NewTransport(tlsConfig)
		c.Transport = c.own
	}
	return c, nil
}

// NewTransport is a transport for many calls to few hosts: it keeps as many
// idle connections as it was ever likely to need, and cuts no long answer.
func NewTransport(tlsConfig *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       tlsConfig.Clone(),
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // it would hold events back
	}
}

// Reach reports whether the interface's address accepts connections.
func (c *Client) Reach(ctx context.Context) error {
	if c.own == nil {
		return nil // who gave a transport knows better where it leads
	}
	if p, err := http.ProxyFromEnvironment(&http.Request{URL: c.Base}); err == nil && p != nil {
		return nil
	}
	port := c.Base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[c.Base.Scheme]
	}
	conn, err := c.own.DialContext(ctx, "tcp", net.JoinHostPort(c.Base.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// Do sends one request. Query may be empty; a nil body sends none.
func (c *Client) Do(ctx context.Context, method string, u *url.URL, h http.Header, body []byte) (*http.Response, error) {
	r := &http.Request{
		Method: method, URL: u, Host: u.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if body != nil {
		r.ContentLength = int64(len(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return c.Transport.RoundTrip(r.WithContext(ctx))
}

// Close closes the idle connections of the client's own transport.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// Failed is the error for a request that got no answer.
func Failed(pkg string, err error) *binding.Error {
	var e *binding.Error
	if errors.As(err, &e) {
		return e
	}
	return binding.Errorf(binding.Unavailable, "%s: %w", pkg, err)
}

// Lost is the error for an answer that was cut.
func Lost(pkg string, err error) *binding.Error {
	return binding.Errorf(binding.Unavailable, "%s: the connection was lost: %w", pkg, err)
}

// Drain reads what is left of a body, a little at most, so that its connection
// can serve again, and closes it.
func Drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
