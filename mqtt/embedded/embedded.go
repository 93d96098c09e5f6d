// Package embedded is an MQTT 5 broker inside the program: for demos, tests and
// small installations on one machine. It keeps nothing when it stops, knows no
// users and no access rules, and is not a production broker.
package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	mochi "github.com/mochi-mqtt/server/v2"

	"github.com/a2awire/a2awire/binding"
)

// What a broker allows where its options do not say.
const (
	defaultAddress    = "127.0.0.1:0"
	defaultMaxClients = 1024

	// defaultMaxPacketBytes has room for a message of the default limit, its
	// envelope and its properties.
	defaultMaxPacketBytes = binding.DefaultMaxMessageBytes + binding.DefaultMaxMessageBytes/8 + 256<<10
)

// Options are those of a broker. Nil and the zero value are fine. They must
// not change once given.
type Options struct {
	// Address is what it listens on, host:port. Empty is a free port of the
	// loopback interface. There is no access control: listen on other
	// interfaces only where everybody who reaches them may do everything.
	Address string
	// MaxClients bounds the connections at one time. 0 is 1024.
	MaxClients int
	// MaxPacketBytes bounds an MQTT packet. 0 is what a message of
	// binding.DefaultMaxMessageBytes needs.
	MaxPacketBytes int
	// Logger gets what the broker has to say. Nil is silent. At the level Debug
	// it may show payloads.
	Logger *slog.Logger
}

// Broker is a running broker. Its methods may be called at the same time.
type Broker struct {
	server *mochi.Server
	url    string
	close  func() error
}

// Start starts a broker. It accepts connections when Start returns.
func Start(o *Options) (*Broker, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Address == "" {
		opts.Address = defaultAddress
	}
	if opts.MaxClients <= 0 {
		opts.MaxClients = defaultMaxClients
	}
	if opts.MaxPacketBytes <= 0 {
		opts.MaxPacketBytes = defaultMaxPacketBytes
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := net.Listen("tcp", opts.Address)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	b := &Broker{server: mochi.New(settings(opts)), url: "mqtt://" + l.Addr().String()}
	b.close = sync.OnceValue(b.server.Close)
	// Neither fails: the hook takes no configuration, and the listener is open.
	err = errors.Join(
		b.server.AddHook(&manners{maxPacketBytes: uint32(opts.MaxPacketBytes)}, nil),
		b.server.AddListener(newListener(l, opts.MaxClients)),
		b.server.Serve(),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded: %w", err), b.Close())
	}
	return b, nil
}

// settings are the broker's, each against something that was measured.
func settings(o Options) *mochi.Options {
	c := mochi.NewDefaultServerCapabilities()
	c.MaximumClients = int64(o.MaxClients)
	c.MaximumPacketSize = uint32(o.MaxPacketBytes)
	// A client with more in flight is stalled for good, or loses messages.
	c.MaximumInflight = 65535
	c.MaximumClientWritesPending = 1 << 16
	// A retained card that its agent did not date would vanish after a day.
	c.MaximumMessageExpiryInterval = 0
	// Sessions of clients that are gone hold their messages in memory.
	c.MaximumSessionExpiryInterval = 3600
	// An acknowledgement would echo a request's user properties, tokens too.
	c.Compatibilities.NoInheritedPropertiesOnAck = true
	return &mochi.Options{
		Capabilities:             c,
		ClientNetReadBufferSize:  16 << 10,
		ClientNetWriteBufferSize: 16 << 10,
		SysTopicResendInterval:   60,
		Logger:                   o.Logger,
	}
}

// URL is the broker's address: mqtt://host:port.
func (b *Broker) URL() string { return b.url }

// Close disconnects all clients and waits until what the broker started is
// gone. It may be called more than once.
func (b *Broker) Close() error { return b.close() }
