// Package jsonrpc is the JSON-RPC binding (spec 9): JSON-RPC 2.0 over HTTP
// POST, streams as Server-Sent Events.
//
// An agent that has a mux mounts [Handler]; a client uses [Dial]. [Binding] is
// the same as a registry takes it.
package jsonrpc

import (
	"net/http"
	"time"

	"github.com/a2awire/a2awire/binding"
)

// Protocol is the protocolBinding of this binding (spec 5.8).
const Protocol = "JSONRPC"

// Options are those of both ends. Nil is fine.
type Options struct {
	binding.Options
	// Transport carries a client's requests. Nil is one of the client's own,
	// with pools for many calls to one host.
	Transport http.RoundTripper
	// KeepAlive is how long a served stream may be silent before a comment is
	// sent. 0 is 15 seconds.
	KeepAlive time.Duration
}

func (o *Options) resolve() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Options = out.Options.WithDefaults()
	return out
}
