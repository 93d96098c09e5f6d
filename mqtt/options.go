package mqtt

import (
	"time"

	"github.com/a2awire/a2awire/binding"
)

// Options are those of both ends. Nil is fine. They must not change once given.
//
// Where DefaultVersion is not set, a request without a2a-version is taken for
// 1.0, because EMQ's profile sends none and speaks that. One whose a2a-version
// is empty is 0.3 as everywhere.
type Options struct {
	binding.Options
	// Root is where the topics begin. Empty is DefaultRoot. Some brokers deliver
	// nothing to pools below a root that begins with '$': use "a2a/v1" there.
	Root string
	// Username and Password are the broker's, for connections that Dial and
	// Binding make.
	Username string
	Password binding.Credential
	// ClientID is the last part of a client's address, whose first two are the
	// agent's: a2a-requester-agent-id. Two clients with one end each other.
	// Empty is a random one.
	ClientID string
	// KeepAlive is how long a connection that Dial or Binding make may be
	// silent. 0 is 30 seconds.
	KeepAlive time.Duration
	// StreamWindow is how many items of a stream a client takes ahead of its
	// reader. 0 is 64.
	StreamWindow int
	// Pool is a pool that a served agent also takes requests of. Each instance
	// has an address of its own.
	Pool string
	// MaxCalls is how many calls a server has in flight at most; others are
	// answered with ResourceExhausted. 0 is 4096.
	MaxCalls int

	unversioned string // the version of a request without a2a-version
	packetBytes int    // the largest packet that the connection of a served agent takes
}

// What both ends hold to (SPEC.md, sections 5 and 6).
const (
	// streamBytes is how many bytes of a stream may be ahead of its reader. A
	// single item may be larger.
	streamBytes = 1 << 20
	// heartbeatTime is how long a served stream is silent before a heartbeat.
	heartbeatTime = 10 * time.Second
	// deafTime is how long a served stream lives without a sign of its reader.
	deafTime = 45 * time.Second
	// idleTime is how long a stream lives at its reader without a packet.
	idleTime = 30 * time.Second
	// gapTime is how long a missing item is waited for before it is asked for,
	// and gapTries how often it is.
	gapTime  = 500 * time.Millisecond
	gapTries = 3
	// replyTime is how long a request waits for a first reply before it is sent
	// again, and maxAttempts how often it is sent while the connection is up.
	replyTime   = 15 * time.Second
	maxAttempts = 3
	// maxLosses is how many connections may be lost over one packet before it is
	// given up: it may be what they are lost for.
	maxLosses = 5
	// unboundedTime is the expiry of a request whose caller set no deadline.
	unboundedTime = time.Minute
	// memory is how long a finished request is remembered.
	memory = 5 * time.Minute
)

// maxWindow is how many items of a stream a server sends ahead, whatever the
// requester says.
const maxWindow = 1024

func (o *Options) resolve() Options {
	var out Options
	if o != nil {
		out = *o
	}
	switch {
	case out.unversioned != "": // resolved before
	case out.DefaultVersion != "":
		out.unversioned = out.DefaultVersion
	default:
		out.unversioned = binding.Version
	}
	out.Options = out.Options.WithDefaults()
	if out.Root == "" {
		out.Root = DefaultRoot
	}
	if out.StreamWindow <= 0 {
		out.StreamWindow = 64
	}
	out.StreamWindow = min(out.StreamWindow, maxWindow)
	if out.packetBytes == 0 {
		out.packetBytes = packetBytes(out.MaxMessageBytes)
	}
	if out.MaxCalls <= 0 {
		out.MaxCalls = 4096
	}
	return out
}

func (o *Options) topics() topics { return topics{o.Root} }

// connect are the options of a connection of its own.
func (o *Options) connect(clientID string, w *Will) ConnectOptions {
	c := ConnectOptions{
		ClientID: clientID, Username: o.Username, Password: o.Password, TLS: o.TLS, KeepAlive: o.KeepAlive,
		MaxPacketBytes: o.packetBytes, Will: w, Logger: o.Logger,
	}
	return c.resolve()
}
