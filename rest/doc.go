// Package rest is the HTTP+JSON binding (spec 11): one path an operation,
// ProtoJSON bodies, query parameters, streams as Server-Sent Events.
//
// An agent that has a mux mounts [Handler]; a client uses [Dial]. [Binding] is
// the same as a registry takes it.
//
// Paths are read and written segment by segment in their escaped form, so that
// any text can be a task's id. What stands unescaped is syntax: a ":cancel" at
// the end of a path is the verb, and an id that ends so is sent as "%3Acancel".
// What a path or query has no place for, which is unknown members of the
// requests of GET and DELETE, does not cross this wire.
package rest

import (
	"net/http"
	"time"

	"github.com/a2awire/a2awire/binding"
)

// Protocol is the protocolBinding of this binding (spec 5.8).
const Protocol = "HTTP+JSON"

// Options are those of both ends. Nil is fine.
type Options struct {
	binding.Options
	// Transport carries a client's requests. Nil is one of the client's own,
	// with pools for many calls to one host.
	Transport http.RoundTripper
	// KeepAlive is how long a served stream may be silent before a comment is
	// sent. 0 is 15 seconds.
	KeepAlive time.Duration
	// PlainJSON serves answers and errors as application/json to every client,
	// as A2A 1.0.0 has it. Otherwise what the client sends decides, and
	// application/a2a+json where it says nothing.
	PlainJSON bool
}

func (o *Options) resolve() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Options = out.Options.WithDefaults()
	return out
}
