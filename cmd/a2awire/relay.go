package main

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
)

func (a *app) relayCommand() *cobra.Command {
	f := new(clientFlags)
	var to, cardAt, cert, key string
	var listen, public []string
	var forward, plain bool
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
	fl.StringVar(&cardAt, "card", "", "where the agent's card is, if --to is BINDING=URL: card URL or base URL")
	fl.BoolVar(&forward, "forward-credentials", false, "pass callers' credentials to the agent")
	fl.BoolVar(&plain, "plain-json", false, plainUsage)
	fl.StringVar(&cert, "tls-cert", "", "certificate `FILE` for https and grpcs addresses")
	fl.StringVar(&key, "tls-key", "", "key `FILE` for it")
	f.addDial(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if to == "" || len(listen) == 0 {
			return usagef("want: a2awire relay --listen BINDING=URL … --to TARGET")
		}
		fronts, err := parseListeners(listen, public)
		if err != nil {
			return err
		}
		if plain {
			fronts.plain()
		}
		config, err := serverTLS(cert, key)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), f, to, func(ctx context.Context, r *remote, call *binding.Call) error {
			if cardAt != "" {
				card, err := fetchCard(ctx, cardAt, r.tls)
				if err != nil {
					return err
				}
				r.card = card
			}
			b := bridge.New(r.Client, r.card, &bridge.Options{
				ForwardCredentials: forward, Credential: call.Credential, Logger: a.logger(),
			})
			defer shutdown(b)
			if e, at, direct, _ := splitTarget(to); direct && e.Broker != nil {
				stop := followCard(ctx, e, at, binding.Options{TLS: r.tls, Logger: a.logger()}, b.SetCard)
				defer stop()
			}
			opts := binding.Options{Card: b.Card, Logger: a.logger()}
			if err := fronts.listen(ctx, b, opts, config, r.tls, ""); err != nil {
				return err
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
