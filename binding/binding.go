package binding

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// Binding carries an Agent over one wire. It is what a registry holds; a wire
// also has a native door, for agents that own their mux, server or broker
// connection.
type Binding interface {
	// Protocol is the AgentInterface.protocolBinding it speaks: a name of the
	// specification or a URI (spec 5.8).
	Protocol() string
	// Dial connects to an interface of an Agent Card. The context bounds the
	// dialling alone. An address that cannot be reached is an Unavailable error,
	// a context that ends first Canceled or DeadlineExceeded: see [DialError].
	Dial(context.Context, *pb.AgentInterface) (Client, error)
	// Serve serves an agent at the interface's URL; port 0 takes a free one. It
	// accepts calls when it returns. The context bounds the start alone; who
	// called closes the server.
	Serve(context.Context, *pb.AgentInterface, Agent) (Server, error)
}

// Server is an agent being served.
type Server interface {
	// Interface is the entry for an Agent Card's supportedInterfaces, with the
	// address it is bound to.
	Interface() *pb.AgentInterface
	// Shutdown stops accepting calls, waits until those in flight have ended,
	// or the context has, and then closes the server.
	Shutdown(context.Context) error
	// Close ends the calls in flight, releases the address, and waits until
	// what the server started is gone. It does not close the agent.
	Close() error
}

// Aliased is a Server whose wire has other names that a card should list behind
// its own, for clients that know no other.
type Aliased interface{ Aliases() []string }

// Interfaces are the entries of a server for a card's supportedInterfaces: its
// own, and the same under its other names.
func Interfaces(s Server) []*pb.AgentInterface {
	out := []*pb.AgentInterface{s.Interface()}
	if a, ok := s.(Aliased); ok {
		for _, name := range a.Aliases() {
			also := s.Interface()
			also.ProtocolBinding = name
			out = append(out, also)
		}
	}
	return out
}
