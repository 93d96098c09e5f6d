// Package grpcbind is the gRPC binding (spec 10): the service
// lf.a2a.v1.A2AService with the specification's own messages.
//
// An agent that has a grpc.Server uses [Register]; a client uses [Dial].
// [Binding] is the same as a registry takes it, with a server of its own.
//
// # Addresses
//
// An address is a URL or host:port. What is dialed, or listened to, without TLS
// is http:// and grpc://, and host:port where the host is a loopback address
// or localhost. All else is TLS: https://, grpcs://, any other host:port, and
// dns:///host:port likewise. The port may be missing: 443 with TLS, 80
// without. A path is passed over, as gRPC has its own. A proxy from the
// environment (HTTPS_PROXY, NO_PROXY) is used as grpc-go does, and never for
// loopback.
//
// A credential is sent as the metadata entry "authorization" whether or not the
// connection is secure: who dials without TLS chose to.
//
// # Errors
//
// A status with details is what the far agent said ([binding.Error].Remote). A
// status without is taken for the far agent's too, but for those that gRPC
// itself makes on this side: UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED, and the
// ones whose message grpc-go writes, such as for a message over the limit.
// CANCELLED without the caller's doing is a lost connection, so Unavailable.
package grpcbind

import (
	"google.golang.org/grpc"

	"github.com/a2awire/a2awire/binding"
)

// Protocol is the protocolBinding of this binding (spec 5.8).
const Protocol = "GRPC"

// Options are those of both ends. Nil is fine.
type Options struct {
	binding.Options
	// DialOptions are added to a client's, and win over them.
	DialOptions []grpc.DialOption
	// ServeOptions are added to those of the server that Binding.Serve makes,
	// and win over them.
	ServeOptions []grpc.ServerOption
	// OnServe is called with the server that Binding.Serve makes before it
	// accepts calls, to register more services: health, reflection.
	OnServe func(*grpc.Server)
}

func (o *Options) resolve() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Options = out.Options.WithDefaults()
	return out
}
