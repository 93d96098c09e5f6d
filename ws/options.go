package ws

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
)

// Defaults, where Options say nothing.
const (
	DefaultPing           = 30 * time.Second
	DefaultPong           = 10 * time.Second
	DefaultIdle           = 5 * time.Minute
	DefaultMaxConnections = 16384
	DefaultMaxPerIdentity = 256
	DefaultMaxStreams     = 128
	DefaultMaxCalls       = 256
	DefaultWindow         = 256
)

// WindowBytes is how many bytes of a stream may be ahead of its receiver.
const WindowBytes = 4 << 20

// handshakeTime is how long a handshake may take.
const handshakeTime = 10 * time.Second

// reauthenticationTime is how long a peer whose authentication has expired has
// to renew it.
const reauthenticationTime = 5 * time.Second

// Options are those of both ends. Nil is fine, and so is the zero value.
type Options struct {
	binding.Options

	// Ping is how long a peer may be silent before it is asked for a sign of
	// life, and Pong how long it then has. 0 are 30 and 10 seconds.
	Ping, Pong time.Duration
	// Idle is how long a connection without calls in flight stays open; a
	// client dials again when it next calls. 0 is 5 minutes.
	Idle time.Duration
	// Proposal speaks the subprotocol of the proposal alone, without flow control.
	Proposal bool

	// Authenticate decides, before a server accepts a connection, who it is.
	// Nil lets everyone in, and leaves the credential to the agent. An error is
	// answered with its HTTP status: Unauthenticated is 401, PermissionDenied 403.
	// It decides again when a client renews its authentication; the request then
	// has the URL and host of the handshake, and the Authorization header alone.
	Authenticate func(context.Context, *http.Request) (*Identity, error)
	// Origins are patterns of the hosts whose pages may connect, beside the
	// host that serves: "app.example", "*.example", "https://app.example". A
	// pattern of "*" alone is refused.
	Origins []string
	// Hosts are further names under which a listener on loopback may be
	// called; "localhost" and loopback addresses always may. Pages whose own
	// name resolves to loopback are kept out by that.
	Hosts []string
	// MaxConnections bounds the connections of a Handler, and MaxPerIdentity
	// those of one authenticated Identity; one more is answered with 503. 0 are
	// 16384 and 256.
	MaxConnections, MaxPerIdentity int
	// MaxStreams and MaxCalls bound the streams and the other calls in flight
	// on one connection; one more is a ResourceExhausted error. 0 are 128 and 256.
	MaxStreams, MaxCalls int

	// Window is how many items a client's stream may be ahead of its caller. 0 is
	// 256, and 1,048,576 the most.
	Window int
	// SharedStreams keeps a client's streams on the shared connection even with
	// a server that has no flow control; a stream whose caller falls behind by
	// more than the window then ends with an error. Without it such streams have
	// connections of their own, which hold the server back.
	SharedStreams bool
	// Reauthenticate gives a client the credential that renews an expired one.
	// Nil lets the server close the connection.
	Reauthenticate func(context.Context) (binding.Credential, error)
	// NetDial connects a client to an address. Nil is a net.Dialer's.
	NetDial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Identity is who connected.
type Identity struct {
	// Name identifies the principal, for the bound on its connections; a
	// renewed authentication must have the same. Empty is nobody in particular.
	Name string
	// Expires is when the authentication ends; zero is never. The client is
	// then asked to renew it, and cut off if it does not within 5 seconds.
	Expires time.Time
	// Params are service parameters of all its calls, which a call cannot override.
	Params binding.Params
}

func (o *Options) resolve() *Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Options = out.Options.WithDefaults()
	out.Ping = or(out.Ping, DefaultPing)
	out.Pong = or(out.Pong, DefaultPong)
	out.Idle = or(out.Idle, DefaultIdle)
	out.MaxConnections = or(out.MaxConnections, DefaultMaxConnections)
	out.MaxPerIdentity = or(out.MaxPerIdentity, DefaultMaxPerIdentity)
	out.MaxStreams = or(out.MaxStreams, DefaultMaxStreams)
	out.MaxCalls = or(out.MaxCalls, DefaultMaxCalls)
	out.Window = max(1, min(or(out.Window, DefaultWindow), mux.MaxGrant))
	if out.NetDial == nil {
		out.NetDial = (&net.Dialer{Timeout: handshakeTime, KeepAlive: 15 * time.Second}).DialContext
	}
	return &out
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (o *Options) subprotocols() []string {
	if o.Proposal {
		return []string{subprotocol}
	}
	return []string{subprotocolFlow, subprotocol}
}

// The codes that close a connection beside those of RFC 6455, 7.4.1.
const (
	statusProtocol websocket.StatusCode = 4000
	statusAuth     websocket.StatusCode = 4001
	statusVersion  websocket.StatusCode = 4002
)
