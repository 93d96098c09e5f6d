package binding

import (
	"crypto/tls"
	"log/slog"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// DefaultMaxMessageBytes is the message limit where none is set: 8 MiB.
const DefaultMaxMessageBytes = 8 << 20

// Options are what all bindings have in common, servers and clients. Nil is
// fine, and so is the zero value. They must not change once given.
type Options struct {
	// Card is the agent's card as it is now, for the checks of spec 3.3.4 in
	// front of a server. Nil, or a nil card, checks nothing.
	Card func() *pb.AgentCard
	// MaxMessageBytes bounds one message in both directions: neither its
	// ProtoJSON nor its protobuf form may be larger. 0 is 8 MiB. It is checked
	// before sending.
	MaxMessageBytes int
	// DefaultVersion is the A2A version of a request that names none. Empty is
	// 0.3 (spec 3.6.2), which a 1.0 interface refuses; "1.0" lets such callers in.
	DefaultVersion string
	// Tenant is set by a client on every request that names no tenant (spec 8.3.2).
	Tenant string
	// TLS is the configuration of a client that dials a secure address, and of
	// a server that listens on one. Nil on a client is the system's roots.
	TLS *tls.Config
	// Logger gets what no caller is told: panics, causes of internal errors,
	// lost connections. Nil is silent. No message, parameter or credential is logged.
	Logger *slog.Logger
}

// StaticCard is a card that does not change, for Options.Card.
func StaticCard(card *pb.AgentCard) func() *pb.AgentCard {
	return func() *pb.AgentCard { return card }
}

// WithDefaults is a copy with every zero field set. It may be called on nil.
func (o *Options) WithDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Card == nil {
		out.Card = StaticCard(nil)
	}
	if out.MaxMessageBytes == 0 {
		out.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if out.DefaultVersion == "" {
		out.DefaultVersion = "0.3"
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	return out
}
