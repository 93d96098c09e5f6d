package main

import (
	"context"
	"crypto/tls"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// plainUsage is what --plain-json says, wherever it is.
const plainUsage = "answer over REST in application/json, whatever a client sends, as A2A 1.0.0 has it"

// listener is one binding, where it listens, and what callers are told.
type listener struct {
	catalogue.Entry
	addr, public string
}

type listeners []listener

// plain takes the media types of A2A 1.0.0 where there are others.
func (ls listeners) plain() {
	for i := range ls {
		if ls[i].Plain != nil {
			ls[i].Make = ls[i].Plain
		}
	}
}

// tls is the configuration of a listener. One at a broker connects to that, and
// so needs what trusts it; its certificate is who it is there.
func (l listener) tls(server, client *tls.Config) *tls.Config {
	if l.Broker == nil || client == nil {
		return server
	}
	client = client.Clone()
	if server != nil {
		client.Certificates = server.Certificates
	}
	return client
}

// listen makes a bridge listen.
func (ls listeners) listen(ctx context.Context, b *bridge.Bridge, o binding.Options, server, client *tls.Config, tenant string) error {
	for _, l := range ls {
		o.TLS = l.tls(server, client)
		if _, err := b.Listen(ctx, l.Make(o), &pb.AgentInterface{Url: l.addr, Tenant: tenant}, l.public); err != nil {
			return err
		}
	}
	return nil
}

func parseListeners(listen, public []string) (listeners, error) {
	var out listeners
	for _, s := range listen {
		name, addr, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usagef("--listen %q: want BINDING=URL", s)
		}
		e, err := named(name)
		if err != nil {
			return nil, err
		}
		out = append(out, listener{Entry: e, addr: addressOf(e, addr)})
	}
	for _, s := range public {
		name, addr, ok := strings.Cut(s, "=")
		e, err := named(name)
		if !ok || err != nil {
			return nil, usagef("--public %q: want BINDING=URL", s)
		}
		if !out.setPublic(e, addr) {
			return nil, usagef("--public %q: no --listen for it", s)
		}
	}
	return out, nil
}

// setPublic gives the first listener of the binding that has none its public URL.
func (ls listeners) setPublic(e catalogue.Entry, addr string) bool {
	for i := range ls {
		if ls[i].Name == e.Name && ls[i].public == "" {
			ls[i].public = addr
			return true
		}
	}
	return false
}
