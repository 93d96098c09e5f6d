package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/refagent"
)

// drain is how long calls in flight may take when the command is told to stop.
const drain = 5 * time.Second

func (a *app) agentCommand() *cobra.Command {
	var o refagent.Options
	entries := catalogue.Entries()
	addrs := make([]*string, len(entries))
	var cert, key, ca, tenant string
	var bridged, plain bool
	c := &cobra.Command{
		Use:   "agent",
		Short: "Serve the reference agent on any set of bindings",
		Long: `agent serves the reference agent, which does what the first words of a message
say: "stream 5", "input", "long 3", "error TaskNotFoundError", "mirror" and more;
its card lists them. Without an address it serves JSON-RPC on 127.0.0.1:8080.`,
		Args: exactly(0, "agent"),
	}
	for i, e := range entries {
		addrs[i] = c.Flags().String(e.Name, "", "serve "+e.Protocol()+" at `ADDR`, host:port or a URL")
	}
	fl := c.Flags()
	fl.StringVar(&o.Name, "name", "", "the agent's name")
	fl.BoolVar(&o.NoStreaming, "no-streaming", false, "declare no streaming")
	fl.BoolVar(&o.NoPush, "no-push", false, "declare no push notifications")
	fl.BoolVar(&o.NoExtendedCard, "no-extended", false, "declare no extended card")
	fl.StringVar(&o.RequiredExtension, "require-extension", "", "require the extension `URI`")
	fl.StringArrayVar(&o.Extensions, "extension", nil, "declare the extension `URI`, repeatable")
	fl.StringArrayVar(&o.InputModes, "accept", nil, "take message parts of the media `TYPE`, repeatable; */* is all")
	fl.BoolVar(&bridged, "bridge", false, "put a bridge in front of the agent, in this process")
	fl.BoolVar(&plain, "plain-json", false, plainUsage)
	fl.BoolVar(&o.AllowPrivateWebhooks, "allow-private-webhooks", false, "call webhooks on loopback and private addresses, too")
	fl.StringVar(&tenant, "tenant", "", "the tenant that the card's interfaces name")
	fl.StringVar(&cert, "tls-cert", "", "certificate `FILE` for https and grpcs addresses")
	fl.StringVar(&key, "tls-key", "", "key `FILE` for it")
	fl.StringVar(&ca, "ca", "", "`FILE` with one more root certificate for brokers, PEM")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		config, err := serverTLS(cert, key)
		if err != nil {
			return err
		}
		trust, err := clientTLS(ca)
		if err != nil {
			return err
		}
		var fronts listeners
		for i, e := range entries {
			if *addrs[i] != "" {
				fronts = append(fronts, listener{e, addressOf(e, *addrs[i]), ""})
			}
		}
		if len(fronts) == 0 {
			fronts = listeners{{entries[0], "http://127.0.0.1:8080", ""}}
		}
		if plain {
			fronts.plain()
		}
		o.Logger = a.logger()
		agent := refagent.New(&o)
		defer func() { _ = agent.Close() }()
		if bridged {
			return a.serveBridged(cmd.Context(), agent, fronts, config, trust, tenant)
		}
		var card atomic.Pointer[pb.AgentCard]
		card.Store(agent.Card())
		opts := binding.Options{Card: card.Load, Logger: a.logger()}
		var servers serverGroup
		defer func() { servers.stop() }()
		var interfaces []*pb.AgentInterface
		for _, l := range fronts {
			opts.TLS = l.tls(config, trust)
			s, err := l.Make(opts).Serve(cmd.Context(), &pb.AgentInterface{Url: l.addr, Tenant: tenant}, agent)
			if err != nil {
				return err
			}
			servers = append(servers, s)
			interfaces = append(interfaces, binding.Interfaces(s)...)
			card.Store(agent.Card(interfaces...))
		}
		return a.serving(cmd.Context(), card.Load())
	}
	return c
}

// serving says what is served, and waits until the command is told to stop.
func (a *app) serving(ctx context.Context, card *pb.AgentCard) error {
	if err := a.show(card, func() {
		a.out.card(card)
		if base := cardBase(card); base != "" {
			a.out.line("\ncard:  %s", base+agentcard.Path)
			a.out.line("try:   a2awire send %s \"hello\"", base)
		} else if len(card.GetSupportedInterfaces()) > 0 {
			i := card.GetSupportedInterfaces()[0]
			a.out.line("\ntry:   a2awire send %s=%s \"hello\"", i.GetProtocolBinding(), i.GetUrl())
		}
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// cardBase is an address whose well-known path has the card: that of an
// interface over HTTP.
func cardBase(card *pb.AgentCard) string {
	for _, i := range card.GetSupportedInterfaces() {
		if u, err := agentcard.Locate(i.GetUrl()); err == nil && i.GetProtocolBinding() != "GRPC" {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

type serverGroup []binding.Server

// stop stops the servers together, each until its calls have ended or time is up.
func (g serverGroup) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	done := make(chan error, len(g))
	for _, s := range g {
		go func() { done <- s.Shutdown(ctx) }()
	}
	var errs []error
	for range g {
		errs = append(errs, <-done)
	}
	_ = errors.Join(errs...) // nobody is left to be told
}
