package main

import (
	"context"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
)

func (a *app) relayCommand() *cobra.Command {
	f := new(clientFlags)
	var to, cert, key string
	var listen, public []string
	var forward bool
	c := &cobra.Command{
		Use:   "relay --listen BINDING=URL … --to TARGET",
		Short: "Bridge an agent to other bindings",
		Long: `relay serves the agent at TARGET on other bindings, with a card of its own at
the well-known path of every HTTP listener. Credentials of callers are not passed
on unless --forward-credentials says so; A2AWIRE_TOKEN or --token-file
authenticate the relay itself.`,
		Args: exactly(0, "relay --listen BINDING=URL … --to TARGET"),
	}
	fl := c.Flags()
	fl.StringArrayVar(&listen, "listen", nil, "serve at `BINDING=URL`, repeatable; port 0 takes a free one")
	fl.StringArrayVar(&public, "public", nil, "what the card says instead: `BINDING=URL`, in the order of --listen")
	fl.StringVar(&to, "to", "", "the agent: card URL, base URL, or BINDING=URL")
	fl.BoolVar(&forward, "forward-credentials", false, "pass callers' credentials to the agent")
	fl.StringVar(&cert, "tls-cert", "", "certificate `FILE` for https and grpcs addresses")
	fl.StringVar(&key, "tls-key", "", "key `FILE` for it")
	f.addDial(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if to == "" || len(listen) == 0 {
			return usagef("want: a2awire relay --listen BINDING=URL … --to TARGET")
		}
		listeners, err := parseListeners(listen, public)
		if err != nil {
			return err
		}
		config, err := serverTLS(cert, key)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), f, to, func(ctx context.Context, r *remote, call *binding.Call) error {
			b := bridge.New(r.Client, r.card, &bridge.Options{
				ForwardCredentials: forward, Credential: call.Credential, Logger: a.logger(),
			})
			defer func() {
				ctx, cancel := context.WithTimeout(context.Background(), drain)
				defer cancel()
				_ = b.Shutdown(ctx)
			}()
			if e, at, direct, _ := splitTarget(to); direct && e.Broker != nil {
				stop := followCard(ctx, e, at, binding.Options{TLS: r.tls, Logger: a.logger()}, b.SetCard)
				defer stop()
			}
			opts := binding.Options{Card: b.Card, Logger: a.logger()}
			for _, l := range listeners {
				opts.TLS = l.tls(config, r.tls)
				if _, err := b.Listen(ctx, l.Make(opts), &pb.AgentInterface{Url: l.addr}, l.public); err != nil {
					return err
				}
			}
			card := b.Card()
			if card == nil { // dialed without one: there is none to serve, either
				card = &pb.AgentCard{Name: "a relay", Description: "to an agent without a card", SupportedInterfaces: b.Interfaces()}
			}
			return a.serving(ctx, card)
		})
	}
	return c
}

func parseListeners(listen, public []string) ([]listener, error) {
	var out []listener
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
		if !setPublic(out, e, addr) {
			return nil, usagef("--public %q: no --listen for it", s)
		}
	}
	return out, nil
}

// setPublic gives the first listener of the binding that has none its public URL.
func setPublic(listeners []listener, e catalogue.Entry, addr string) bool {
	for i := range listeners {
		if listeners[i].Name == e.Name && listeners[i].public == "" {
			listeners[i].public = addr
			return true
		}
	}
	return false
}
