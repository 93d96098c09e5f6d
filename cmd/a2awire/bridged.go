package main

import (
	"context"
	"crypto/tls"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/refagent"
)

// serveBridged serves an agent of this process through a bridge, with no wire
// between the two: what callers see is the bridge alone. TLS is that of servers,
// and that of the ways to brokers.
func (a *app) serveBridged(ctx context.Context, agent *refagent.Agent, ls listeners, server, broker *tls.Config, tenant string) error {
	card := agent.Card(&pb.AgentInterface{Url: "inproc:agent", ProtocolBinding: inproc.Protocol})
	client := inproc.Dial(agent, &binding.Options{Card: binding.StaticCard(card), Logger: a.logger()})
	b := bridge.New(client, card, &bridge.Options{Logger: a.logger()})
	defer shutdown(b)
	o := binding.Options{Card: b.Card, Logger: a.logger()}
	if err := ls.listen(ctx, b, o, server, broker, tenant); err != nil {
		return err
	}
	return a.serving(ctx, b.Card())
}

// shutdown stops a bridge when its calls have ended or time is up.
func shutdown(b *bridge.Bridge) {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	_ = b.Shutdown(ctx) // nobody is left to be told
}
