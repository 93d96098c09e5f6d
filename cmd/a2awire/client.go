package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// clientFlags are those of every command that calls an agent.
type clientFlags struct {
	tenant     string
	params     []string
	extensions []string
	tokenFile  string
	ca         string
	timeout    time.Duration
}

// addDial adds the flags of whoever connects to an agent.
func (f *clientFlags) addDial(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.tenant, "tenant", "", "tenant to name in requests that name none")
	fl.StringVar(&f.tokenFile, "token-file", "", "`FILE` with a bearer token (or set A2AWIRE_TOKEN)")
	fl.StringVar(&f.ca, "ca", "", "`FILE` with one more root certificate, PEM")
}

func (f *clientFlags) add(c *cobra.Command) {
	f.addDial(c)
	fl := c.Flags()
	fl.StringArrayVar(&f.params, "param", nil, "service parameter `KEY=VALUE`, repeatable")
	fl.StringArrayVar(&f.extensions, "extension", nil, "extension `URI` to name in the request, repeatable")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up after this `TIME`, such as 30s")
}

// call is what goes beside the request.
func (f *clientFlags) call() (*binding.Call, error) {
	call := &binding.Call{Params: binding.Params{}}
	for _, p := range f.params {
		k, v, ok := strings.Cut(p, "=")
		if !ok {
			return nil, usagef("--param %q: want KEY=VALUE", p)
		}
		call.Params.Add(k, v)
	}
	if len(f.extensions) > 0 {
		call.Params.Set(binding.ParamExtensions, strings.Join(f.extensions, ","))
	}
	token := os.Getenv("A2AWIRE_TOKEN")
	if f.tokenFile != "" {
		b, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, usagef("--token-file: %w", err)
		}
		token = strings.TrimSpace(string(b))
	}
	if token != "" {
		call.Credential = binding.Credential("Bearer " + token)
	}
	return call, nil
}

// bound is a context that ends when --timeout says.
func (f *clientFlags) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout > 0 {
		return context.WithTimeout(ctx, f.timeout)
	}
	return ctx, func() {}
}

// with dials a target, calls f, and closes.
func (a *app) with(ctx context.Context, f *clientFlags, target string, do func(context.Context, *remote, *binding.Call) error) error {
	ctx, cancel := f.bound(ctx)
	defer cancel()
	call, err := f.call()
	if err != nil {
		return err
	}
	config, err := clientTLS(f.ca)
	if err != nil {
		return err
	}
	r, err := dial(ctx, target, binding.Options{Tenant: f.tenant, TLS: config, Logger: a.logger()})
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	return do(ctx, r, call)
}

// show prints a message, for people by the function given.
func (a *app) show(m proto.Message, people func()) error {
	if a.json {
		return a.out.message(m)
	}
	people()
	return nil
}

// follow prints a stream as it arrives.
func (a *app) follow(events iter.Seq2[*pb.StreamResponse, error]) error {
	for ev, err := range events {
		if err != nil {
			return err
		}
		if err := a.show(ev, func() { a.out.event(ev) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) clientCommands() []*cobra.Command {
	return []*cobra.Command{
		a.cardCommand(), a.sendCommand(), a.streamCommand(), a.getCommand(), a.listCommand(),
		a.cancelCommand(), a.subscribeCommand(), a.pushCommand(),
	}
}

// calling is a command that calls an agent: TARGET and then what use says.
func (a *app) calling(use, short string, args int, do func(context.Context, *remote, *binding.Call, []string) error) *cobra.Command {
	f := new(clientFlags)
	c := &cobra.Command{
		Use: strings.TrimPrefix(use, "push "), Short: short,
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) != args {
				return usagef("want: a2awire %s", use)
			}
			return nil
		},
	}
	c.RunE = func(cmd *cobra.Command, given []string) error {
		return a.with(cmd.Context(), f, given[0], func(ctx context.Context, r *remote, call *binding.Call) error {
			return do(ctx, r, call, given[1:])
		})
	}
	f.add(c)
	return c
}

func (a *app) cardCommand() *cobra.Command {
	f := new(clientFlags)
	var extended, watch bool
	c := &cobra.Command{
		Use: "card TARGET", Short: "Show an agent's card", Args: exactly(1, "card TARGET"),
		Long: `card shows the card of an agent. At a broker (mqtt://host:port[/org[/unit[/agent]]])
it shows the cards of all agents there, of those below an address, or of the
members of a pool (org/unit/pool/name), and with --watch also those that come,
change and go. With --json each is a line with its address and its status.`,
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		e, at, direct, err := splitTarget(args[0])
		if err != nil {
			return err
		}
		if e.Broker != nil && !extended {
			config, err := clientTLS(f.ca)
			if err != nil {
				return err
			}
			ctx, cancel := f.bound(cmd.Context())
			defer cancel()
			return a.brokerCards(ctx, e, at, binding.Options{TLS: config, Logger: a.logger()}, watch)
		}
		if !extended && !direct {
			config, err := clientTLS(f.ca)
			if err != nil {
				return err
			}
			ctx, cancel := f.bound(cmd.Context())
			defer cancel()
			card, err := fetchCard(ctx, args[0], config)
			if err != nil {
				return err
			}
			return a.show(card, func() { a.out.card(card) })
		}
		return a.with(cmd.Context(), f, args[0], func(ctx context.Context, r *remote, call *binding.Call) error {
			card, err := r.GetExtendedAgentCard(ctx, call, &pb.GetExtendedAgentCardRequest{})
			if err != nil {
				return err
			}
			return a.show(card, func() { a.out.card(card) })
		})
	}
	f.add(c)
	c.Flags().BoolVar(&extended, "extended", false, "ask for the extended card")
	c.Flags().BoolVar(&watch, "watch", false, "at a broker, go on with what comes, changes and goes")
	return c
}

func exactly(n int, use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("want: a2awire %s", use)
		}
		return nil
	}
}

// messageFlags make a request of what stands on the command line.
type messageFlags struct {
	task, context, data, file, messageID string
	history                              int32
	returnNow                            bool
	modes                                []string
}

func (f *messageFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.task, "task", "", "continue this task")
	fl.StringVar(&f.context, "context", "", "send within this context")
	fl.StringVar(&f.data, "data", "", "add a data part: `JSON`")
	fl.StringVar(&f.file, "file", "", "add a file part: the contents of `FILE`")
	fl.StringVar(&f.messageID, "message-id", "", "the message's id; random if not given")
	fl.Int32Var(&f.history, "history", -1, "at most this many messages of history in the answer")
	fl.BoolVar(&f.returnNow, "return-immediately", false, "do not wait for the task")
	fl.StringArrayVar(&f.modes, "accept", nil, "accepted output media `TYPE`, repeatable")
}

func (f *messageFlags) request(text string) (*pb.SendMessageRequest, error) {
	m := &pb.Message{MessageId: f.messageID, Role: pb.Role_ROLE_USER, TaskId: f.task, ContextId: f.context}
	if m.MessageId == "" {
		m.MessageId = rand.Text()
	}
	if text != "" {
		m.Parts = append(m.Parts, &pb.Part{Content: &pb.Part_Text{Text: text}})
	}
	if f.data != "" {
		var v any
		if err := json.Unmarshal([]byte(f.data), &v); err != nil {
			return nil, usagef("--data: %w", err)
		}
		value, err := structpb.NewValue(v)
		if err != nil {
			return nil, usagef("--data: %w", err)
		}
		m.Parts = append(m.Parts, &pb.Part{Content: &pb.Part_Data{Data: value}})
	}
	if f.file != "" {
		b, err := os.ReadFile(f.file)
		if err != nil {
			return nil, usagef("--file: %w", err)
		}
		m.Parts = append(m.Parts, &pb.Part{Content: &pb.Part_Raw{Raw: b},
			Filename: filepath.Base(f.file), MediaType: mime.TypeByExtension(filepath.Ext(f.file))})
	}
	req := &pb.SendMessageRequest{Message: m}
	if f.history >= 0 || f.returnNow || len(f.modes) > 0 {
		req.Configuration = &pb.SendMessageConfiguration{ReturnImmediately: f.returnNow, AcceptedOutputModes: f.modes}
		if f.history >= 0 {
			req.Configuration.HistoryLength = &f.history
		}
	}
	return req, nil
}

func (a *app) sendCommand() *cobra.Command {
	mf := new(messageFlags)
	c := a.calling("send TARGET TEXT", "Send a message and wait for the answer", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			req, err := mf.request(args[0])
			if err != nil {
				return err
			}
			resp, err := r.SendMessage(ctx, call, req)
			if err != nil {
				return err
			}
			return a.show(resp, func() {
				if t := resp.GetTask(); t != nil {
					a.out.task(t)
				} else {
					a.out.line("%s %s", a.out.paint(bold, "message"), partsText(resp.GetMessage().GetParts()))
				}
			})
		})
	mf.add(c)
	return c
}

func (a *app) streamCommand() *cobra.Command {
	mf := new(messageFlags)
	c := a.calling("stream TARGET TEXT", "Send a message and show what happens as it happens", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			req, err := mf.request(args[0])
			if err != nil {
				return err
			}
			return a.follow(r.SendStreamingMessage(ctx, call, req))
		})
	mf.add(c)
	return c
}

func (a *app) getCommand() *cobra.Command {
	var history int32
	c := a.calling("get TARGET TASK", "Show a task", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			req := &pb.GetTaskRequest{Id: args[0]}
			if history >= 0 {
				req.HistoryLength = &history
			}
			t, err := r.GetTask(ctx, call, req)
			if err != nil {
				return err
			}
			return a.show(t, func() { a.out.task(t) })
		})
	c.Flags().Int32Var(&history, "history", -1, "at most this many messages of history")
	return c
}

func (a *app) listCommand() *cobra.Command {
	var contextID, status, token, after string
	var size int32
	var artifacts bool
	var c *cobra.Command
	c = a.calling("list TARGET", "List tasks, the latest first", 1,
		func(ctx context.Context, r *remote, call *binding.Call, _ []string) error {
			req := &pb.ListTasksRequest{ContextId: contextID, PageToken: token}
			if c.Flags().Changed("page-size") {
				req.PageSize = &size
			}
			if artifacts {
				req.IncludeArtifacts = &artifacts
			}
			if status != "" {
				n, ok := pb.TaskState_value["TASK_STATE_"+strings.ToUpper(strings.ReplaceAll(status, "-", "_"))]
				if !ok {
					return usagef("--status %q: want a state such as working or input-required", status)
				}
				req.Status = pb.TaskState(n)
			}
			if after != "" {
				t, err := time.Parse(time.RFC3339, after)
				if err != nil {
					return usagef("--after: %w", err)
				}
				req.StatusTimestampAfter = timestamppb.New(t)
			}
			resp, err := r.ListTasks(ctx, call, req)
			if err != nil {
				return err
			}
			return a.show(resp, func() {
				for _, t := range resp.GetTasks() {
					a.out.line("%s  %-14s %s", safe(t.GetId()), a.out.state(t.GetStatus().GetState()), t.GetStatus().GetTimestamp().AsTime().Format(time.RFC3339))
				}
				a.out.line("%s", a.out.paint(dim, countOf(len(resp.GetTasks()), resp)))
			})
		})
	fl := c.Flags()
	fl.StringVar(&contextID, "context", "", "only of this context")
	fl.StringVar(&status, "status", "", "only in this `STATE`")
	fl.StringVar(&after, "after", "", "only with a status after this `TIME`, RFC 3339")
	fl.StringVar(&token, "page-token", "", "go on from here")
	fl.Int32Var(&size, "page-size", 50, "tasks a page, 1 to 100")
	fl.BoolVar(&artifacts, "artifacts", false, "with artifacts")
	return c
}

func countOf(n int, resp *pb.ListTasksResponse) string {
	s := itoa(n) + " of " + itoa(int(resp.GetTotalSize())) + " tasks"
	if resp.GetNextPageToken() != "" {
		s += "; go on with --page-token " + safe(resp.GetNextPageToken())
	}
	return s
}

func (a *app) cancelCommand() *cobra.Command {
	c := a.calling("cancel TARGET TASK", "Cancel a task", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			t, err := r.CancelTask(ctx, call, &pb.CancelTaskRequest{Id: args[0]})
			if err != nil {
				return err
			}
			return a.show(t, func() { a.out.task(t) })
		})
	return c
}

func (a *app) subscribeCommand() *cobra.Command {
	c := a.calling("subscribe TARGET TASK", "Show what happens to a task as it happens", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			return a.follow(r.SubscribeToTask(ctx, call, &pb.SubscribeToTaskRequest{Id: args[0]}))
		})
	return c
}
