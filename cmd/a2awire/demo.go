package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/refagent"
)

// behind is the only binding that the demo's agent itself is served on.
const behind = "mqtt"

func (a *app) demoCommand() *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show an agent on MQTT alone, and the bridge in front of it on all other bindings",
		Long: `demo needs no configuration: it starts an MQTT broker, serves the reference agent
on MQTT alone, and the bridge in front of it on every other binding, all on
loopback. With --once it holds one conversation over every binding, prints a
table, and succeeds if all agree with what the agent says in-process.`,
		Args: exactly(0, "demo"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.startDemo(cmd.Context())
			if err != nil {
				return err
			}
			defer d.stop()
			if once {
				return a.demoOnce(cmd.Context(), d)
			}
			return a.demoServe(cmd.Context(), d)
		},
	}
	c.Flags().BoolVar(&once, "once", false, "hold one conversation over every binding, print a table, and exit")
	return c
}

// demo is an agent on one binding and a bridge on all others.
type demo struct {
	agent  *refagent.Agent
	server binding.Server
	bridge *bridge.Bridge
	ground func() error // ends what the agent's binding needs
	fronts []front      // the bridge's, and the agent's own last
}

// front is one binding on which callers reach the agent.
type front struct {
	catalogue.Entry
	iface *pb.AgentInterface
}

func (a *app) startDemo(ctx context.Context) (_ *demo, err error) {
	d := &demo{agent: refagent.New(&refagent.Options{Name: "a2awire demo", Logger: a.logger()})}
	defer func() {
		if err != nil {
			d.stop()
		}
	}()
	var card atomic.Pointer[pb.AgentCard]
	card.Store(d.agent.Card())
	opts := binding.Options{Card: card.Load, Logger: a.logger()}
	back, err := named(behind)
	if err != nil {
		return nil, err
	}
	url, ground, err := back.Loopback()
	if err != nil {
		return nil, err
	}
	d.ground = ground
	d.server, err = back.Make(opts).Serve(ctx, &pb.AgentInterface{Url: url}, d.agent)
	if err != nil {
		return nil, err
	}
	card.Store(d.agent.Card(binding.Interfaces(d.server)...))
	client, err := catalogue.Registry(opts).Dial(ctx, card.Load())
	if err != nil {
		return nil, err
	}
	d.bridge = bridge.New(client, card.Load(), &bridge.Options{Logger: a.logger()})
	opts.Card = d.bridge.Card
	for _, e := range catalogue.Entries() {
		if e.Name == behind {
			continue
		}
		s, err := d.bridge.Listen(ctx, e.Make(opts), &pb.AgentInterface{Url: addressOf(e, "127.0.0.1:0")}, "")
		if err != nil {
			return nil, err
		}
		d.fronts = append(d.fronts, front{e, s.Interface()})
	}
	d.fronts = append(d.fronts, front{back, d.server.Interface()})
	return d, nil
}

func (d *demo) stop() {
	if d.bridge != nil {
		_ = d.bridge.Close()
	}
	if d.server != nil {
		_ = d.server.Close()
	}
	_ = d.agent.Close()
	if d.ground != nil {
		_ = d.ground()
	}
}

func (a *app) demoServe(ctx context.Context, d *demo) error {
	if a.json {
		if err := a.out.message(d.bridge.Card()); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
	base := cardBase(d.bridge.Card())
	a.out.line("%s speaks only %s, at %s", a.out.paint(bold, "The agent"), strings.ToUpper(behind), d.server.Interface().GetUrl())
	a.out.line("%s in front of it speaks", a.out.paint(bold, "The bridge"))
	for _, f := range d.fronts[:len(d.fronts)-1] {
		a.out.line("  %-10s %s", f.Name, f.iface.GetUrl())
	}
	a.out.line("with its card at %s\n", base+agentcard.Path)
	a.out.line("Try, in another terminal:")
	for _, s := range []string{
		"a2awire card " + base,
		"a2awire stream " + base + " \"stream 5\"",
		"a2awire send " + d.fronts[1].Name + "=" + d.fronts[1].iface.GetUrl() + " \"hello\"",
		"a2awire send " + d.fronts[2].Name + "=" + d.fronts[2].iface.GetUrl() + " \"error TaskNotFoundError\"",
		"a2awire stream " + d.server.Interface().GetUrl() + " \"stream 3\"",
		"curl -s " + d.fronts[0].iface.GetUrl() + " -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\\n" +
			`       -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}}'`,
	} {
		a.out.line("  %s", s)
	}
	a.out.line("\n(a2awire is 'go run ./cmd/a2awire' in a checkout. Ctrl-C stops.)")
	<-ctx.Done()
	return nil
}

// demoOnce holds the conversation in-process and over every front, each as a
// tenant of its own, and compares.
func (a *app) demoOnce(ctx context.Context, d *demo) error {
	local := inproc.Dial(d.agent, &binding.Options{Card: binding.StaticCard(d.agent.Card(binding.Interfaces(d.server)...)), Tenant: "in-process"})
	defer func() { _ = local.Close() }()
	want := converse(ctx, local)
	got := make([]transcript, len(d.fronts))
	for i, f := range d.fronts {
		iface := &pb.AgentInterface{Url: f.iface.GetUrl(), Tenant: "over-" + f.Name}
		client, err := f.Make(binding.Options{Logger: a.logger()}).Dial(ctx, iface)
		if err != nil {
			return err
		}
		got[i] = converse(ctx, client)
		if err := client.Close(); err != nil {
			return err
		}
	}
	return a.demoTable(d, want, got)
}

func (a *app) demoTable(d *demo, want transcript, got []transcript) error {
	type cell struct {
		Operation string `json:"operation"`
		Binding   string `json:"protocolBinding"`
		Agrees    bool   `json:"agrees"`
		Got       string `json:"got,omitempty"`
		Want      string `json:"want,omitempty"`
	}
	var differ []cell
	if !a.json {
		a.out.line("One agent on %s alone, and the bridge in front of it on every other binding.\nEach answer is compared with what the agent says in-process.\n", strings.ToUpper(behind))
		head := fmt.Sprintf("%-34s", "")
		for _, f := range d.fronts {
			head += fmt.Sprintf("%-11s", f.Name)
		}
		a.out.line("%s", a.out.paint(bold, head))
	}
	for _, op := range binding.Ops() {
		row := fmt.Sprintf("%-34s", op)
		for i, f := range d.fronts {
			c := cell{Operation: op.Name, Binding: f.iface.GetProtocolBinding(), Agrees: want.ok[op] && got[i].said[op] == want.said[op]}
			word := a.out.paint(green, fmt.Sprintf("%-11s", "agrees"))
			if !c.Agrees {
				c.Got, c.Want = got[i].said[op], want.said[op]
				differ = append(differ, c)
				word = a.out.paint(red, fmt.Sprintf("%-11s", "DIFFERS"))
			}
			if a.json {
				if err := a.out.value(c); err != nil {
					return err
				}
			}
			row += word
		}
		if !a.json {
			a.out.line("%s", row)
		}
	}
	if len(differ) == 0 {
		if !a.json {
			a.out.line("\n%d operations over %d bindings: all agree.", len(binding.Ops()), len(d.fronts))
		}
		return nil
	}
	if !a.json {
		for _, c := range differ {
			a.out.line("\n%s over %s\n  got  %s\n  want %s", c.Operation, c.Binding, c.Got, c.Want)
		}
	}
	return errDisagree
}
