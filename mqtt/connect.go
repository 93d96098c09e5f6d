package mqtt

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"time"

	"github.com/eclipse/paho.golang/autopaho"
	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/binding"
)

// ConnectOptions are those of a connection to a broker. Nil and the zero value
// are fine. They must not change once given.
type ConnectOptions struct {
	// ClientID is the MQTT client identifier: org/unit/agent for an agent. Two
	// connections with one identifier end each other. Empty is a random one.
	ClientID string
	// Username and Password are the broker's.
	Username string
	Password binding.Credential
	// TLS is the configuration for mqtts. Nil is the system's roots.
	TLS *tls.Config
	// KeepAlive is how long the connection may be silent. 0 is 30 seconds. The
	// broker takes it for lost, and publishes the will, after one and a half.
	KeepAlive time.Duration
	// MaxPacketBytes is the largest packet that the connection takes. 0 is what
	// a message of binding.DefaultMaxMessageBytes needs.
	MaxPacketBytes int
	// Will is what the broker publishes when the connection is lost. See [NewWill].
	Will *Will
	// Logger gets lost connections, and what was received and cannot be
	// answered. Nil is silent. No payload and no credential is logged.
	Logger *slog.Logger

	dial func(context.Context, *url.URL, *tls.Config) (net.Conn, error) // dialBroker, but in tests
}

// connectTimeout bounds the making of a connection, and the wait for an
// acknowledgement of a subscription.
const connectTimeout = 10 * time.Second

func (o *ConnectOptions) resolve() ConnectOptions {
	var out ConnectOptions
	if o != nil {
		out = *o
	}
	if out.ClientID == "" {
		out.ClientID = "a2awire-" + randomID()
	}
	if out.KeepAlive <= 0 {
		out.KeepAlive = 30 * time.Second
	}
	if out.MaxPacketBytes <= 0 {
		out.MaxPacketBytes = defaultPacketBytes
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if out.dial == nil {
		out.dial = dialBroker
	}
	return out
}

// randomID is a name that nobody guesses: 22 characters.
func randomID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Connect connects to the broker at mqtt[s]://host[:port], and keeps the
// connection up until Close. The context bounds the first connection alone;
// that it cannot be made is an error.
func Connect(ctx context.Context, brokerURL string, o *ConnectOptions) (*Connection, error) {
	u, path, err := parseBroker(brokerURL)
	if err != nil {
		return nil, err
	}
	if path != "" {
		return nil, binding.Errorf(binding.InvalidParams, "mqtt: connect: %q is more than the URL of a broker", brokerURL)
	}
	return connect(ctx, u, o.resolve())
}

func connect(ctx context.Context, u *url.URL, o ConnectOptions) (*Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, connectError(ctx, err)
	}
	c := &Connection{o: o, broker: u, ledger: newLedger(), change: make(chan struct{}), routes: map[string][]*route{}, last: o.Will}
	c.life, c.kill = context.WithCancelCause(context.Background())
	failed := make(chan error, 1)
	cm, err := autopaho.NewConnection(context.Background(), c.config(u, failed))
	if err != nil {
		return nil, binding.Errorf(binding.Unavailable, "mqtt: connect: %w", err)
	}
	c.cm = cm
	bounded, cancel := context.WithTimeoutCause(ctx, connectTimeout, errors.New("no connection in time"))
	defer cancel()
	// The first attempt that fails ends the wait.
	first, give := context.WithCancelCause(bounded)
	defer give(nil)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		select {
		case err := <-failed:
			give(err)
		case <-first.Done():
		}
	}()
	_, err = c.await(first)
	give(nil)
	<-stop
	if err != nil {
		_ = c.Close()
		return nil, connectError(ctx, err)
	}
	return c, nil
}

// connectError is why no connection could be made.
func connectError(ctx context.Context, err error) error {
	const what = "mqtt: connect"
	var refused *autopaho.ConnackError
	if errors.As(err, &refused) {
		switch refused.ReasonCode {
		case packets.ConnackBadUsernameOrPassword:
			return binding.Errorf(binding.Unauthenticated, "%s: %w", what, err)
		case packets.ConnackNotAuthorized, packets.ConnackBanned:
			return binding.Errorf(binding.PermissionDenied, "%s: %w", what, err)
		}
	}
	return binding.DialError(ctx, what, err)
}

// config is how the library below keeps the connection.
func (c *Connection) config(u *url.URL, failed chan<- error) autopaho.ClientConfig {
	return autopaho.ClientConfig{
		ServerUrls:                    []*url.URL{u},
		KeepAlive:                     uint16(min(max(c.o.KeepAlive/time.Second, 1), 65535)),
		CleanStartOnInitialConnection: true,
		ReconnectBackoff:              c.backoff,
		ConnectTimeout:                connectTimeout,
		AttemptConnection: func(ctx context.Context, _ autopaho.ClientConfig, u *url.URL) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, connectTimeout)
			defer cancel()
			return c.o.dial(ctx, u, c.o.TLS)
		},
		ConnectPacketBuilder: c.packet,
		OnConnectionUp:       c.up,
		OnConnectionDown:     c.down,
		OnConnectError: func(err error) {
			select {
			case failed <- err: // the first is Connect's
			default:
				c.o.Logger.Debug("no connection to the broker", "error", err)
			}
		},
		ClientConfig: paho.ClientConfig{
			ClientID:          c.o.ClientID,
			Session:           c.ledger,
			PacketTimeout:     connectTimeout,
			OnPublishReceived: []func(paho.PublishReceived) (bool, error){c.dispatch},
		},
	}
}

// packet completes the CONNECT. The session ends with the connection: what a
// broker keeps for a client that is away is delivered when nobody waits for it.
func (c *Connection) packet(p *paho.Connect, _ *url.URL) (*paho.Connect, error) {
	p.CleanStart = true
	if c.o.Username != "" {
		p.UsernameFlag, p.Username = true, c.o.Username
	}
	if c.o.Password != "" {
		p.PasswordFlag, p.Password = true, []byte(c.o.Password.Reveal())
	}
	most := uint32(c.o.MaxPacketBytes)
	p.Properties = &paho.ConnectProperties{MaximumPacketSize: &most, RequestProblemInfo: true}
	if w := c.will(); w != nil {
		p.WillMessage = &paho.WillMessage{Topic: w.topic, Payload: w.payload, QoS: 1, Retain: true}
		p.WillProperties = &paho.WillProperties{User: w.user}
	}
	return p, nil
}

// shortLived is a connection that was lost too soon to be followed by another
// at once.
const shortLived = 5 * time.Second

// backoff is how long to wait before an attempt to connect again.
func (c *Connection) backoff(attempt int) time.Duration {
	c.mu.Lock()
	short := !c.lastUp.IsZero() && time.Since(c.lastUp) < shortLived
	c.mu.Unlock()
	if short {
		attempt++
	}
	return backoff(attempt)
}

// backoff is how long to wait before an attempt: 0, then from a quarter of a
// second to two.
func backoff(attempt int) time.Duration {
	if attempt == 0 {
		return 0
	}
	d := min(250*time.Millisecond<<min(attempt-1, 5), 2*time.Second)
	return d - time.Duration(mathrand.Int64N(int64(d)/4)) //nolint:gosec // spread, not secret
}
