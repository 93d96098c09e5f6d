// Package catalogue is the list of the bindings of this project's programs,
// and of the matrix that proves them equivalent in pairs. Adding one is a line.
package catalogue

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/rest"
	"github.com/a2awire/a2awire/ws"
)

// Entry is one binding.
type Entry struct {
	// Name is its short name, on command lines.
	Name string
	// Scheme is put before an address that has none.
	Scheme string
	// Aliases are other identifiers that cards use for it.
	Aliases []string
	// Make is the binding with options.
	Make func(binding.Options) binding.Binding
	// Plain is the binding in the media types of A2A 1.0.0; nil if it has no
	// others.
	Plain func(binding.Options) binding.Binding
	// Broker is what the binding needs beside an agent; nil if nothing.
	Broker *Broker
}

// Entries are the bindings, in the order in which programs list them.
func Entries() []Entry {
	return []Entry{
		{Name: "jsonrpc", Scheme: "http", Make: func(o binding.Options) binding.Binding {
			return jsonrpc.Binding{Options: jsonrpc.Options{Options: o}}
		}},
		{Name: "rest", Scheme: "http", Make: func(o binding.Options) binding.Binding {
			return rest.Binding{Options: rest.Options{Options: o}}
		}, Plain: func(o binding.Options) binding.Binding {
			return rest.Binding{Options: rest.Options{Options: o, PlainJSON: true}}
		}},
		{Name: "grpc", Scheme: "grpc", Make: func(o binding.Options) binding.Binding {
			return grpcbind.Binding{Options: grpcbind.Options{Options: o, OnServe: tools}}
		}},
		{Name: "ws", Scheme: "ws", Aliases: ws.Aliases(), Make: func(o binding.Options) binding.Binding {
			return ws.Binding{Options: ws.Options{Options: o}}
		}},
		{Name: "mqtt", Scheme: "mqtt", Aliases: []string{mqtt.ProfileProtocol}, Broker: mqttBroker, Make: func(o binding.Options) binding.Binding {
			return mqtt.Binding{Options: mqttOptions(o)}
		}},
	}
}

// Registry is a registry of all entries, with the same options.
func Registry(o binding.Options) *binding.Registry {
	r := new(binding.Registry)
	for _, e := range Entries() {
		r.Register(e.Make(o), e.Aliases...)
	}
	return r
}

// Protocol is the entry's protocolBinding.
func (e Entry) Protocol() string { return e.Make(binding.Options{}).Protocol() }

// tools adds the services that gRPC's tools expect beside an agent.
func tools(s *grpc.Server) {
	h := health.NewServer()
	h.SetServingStatus("lf.a2a.v1.A2AService", healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(s, h)
	reflection.Register(s)
}
