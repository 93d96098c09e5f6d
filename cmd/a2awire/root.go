package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/binding"
)

// Exit codes, as the help documents them.
const (
	exitOK          = 0
	exitAgent       = 1 // the agent answered with an error
	exitUsage       = 2
	exitUnreachable = 3 // no answer: not reached, lost, out of time
	exitDisagree    = 4 // bindings do not agree
)

// usageError is a mistake of whoever called the command.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errDisagree is the demo's, and says nothing more.
var errDisagree = errors.New("the bindings do not agree")

// app is one run of the command.
type app struct {
	out     *printer
	errOut  io.Writer
	json    bool
	verbose bool
}

// run runs the command and is its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{out: newPrinter(stdout), errOut: stderr}
	root := a.command()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	return a.report(err)
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "a2awire",
		Short: "Serve, call and relay A2A agents over any binding",
		Long: `a2awire serves, calls and relays agents of the Agent2Agent protocol 1.0.

A TARGET is the URL of an agent card, a base URL with a well-known card, an
address that only one binding has (ws://…, grpc://…,
mqtt://host:port/org/unit/agent), or BINDING=URL. A broker's user, password and
topic root are A2AWIRE_MQTT_USERNAME, A2AWIRE_MQTT_PASSWORD, A2AWIRE_MQTT_ROOT.
Agents and relays on MQTT with one A2AWIRE_MQTT_POOL, each at an address of its
own, share the calls to mqtt://host:port/org/unit/pool/NAME.

Exit codes: 0 done; 1 the agent answered with an error; 2 wrong usage;
3 no answer (not reached, connection lost, out of time); 4 bindings disagree.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON, one value a line")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log to standard error")
	root.AddCommand(a.demoCommand(), a.agentCommand(), a.relayCommand(), a.bindingsCommand())
	root.AddCommand(a.clientCommands()...)
	return root
}

// logger logs to standard error: warnings, or all of it with --verbose.
func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.errOut, &slog.HandlerOptions{Level: level}))
}

// report prints an error, and what to do next where that is known, and is the
// exit code that goes with it.
func (a *app) report(err error) int {
	var usage usageError
	var e *binding.Error
	switch {
	case errors.Is(err, errDisagree):
		_, _ = fmt.Fprintln(a.errOut, "a2awire:", err)
		return exitDisagree
	case errors.As(err, &e):
		a.reportCall(err, e)
		return exitOf(e)
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(a.errOut, "a2awire: %v\nTry 'a2awire --help'.\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitUnreachable
	}
	// What is left are cobra's own complaints, and addresses that cannot be had.
	_, _ = fmt.Fprintf(a.errOut, "a2awire: %v\n", err)
	return exitUsage
}

// exitOf is the exit code of a call that failed. An agent that knows the
// deadline may be the first to say that it has passed: that is no other end
// than to notice here.
func exitOf(e *binding.Error) int {
	answered := e.Remote || e.Code == binding.InvalidParams || e.Code == binding.InvalidAgentResponse
	if answered && e.Code != binding.DeadlineExceeded {
		return exitAgent
	}
	return exitUnreachable
}

func (a *app) reportCall(err error, e *binding.Error) {
	if a.json {
		a.out.err(e)
		return
	}
	_, _ = fmt.Fprintf(a.errOut, "a2awire: %s (%s)\n", err, e.Code)
	if hint := hints[e.Code]; hint != "" {
		_, _ = fmt.Fprintf(a.errOut, "  %s\n", hint)
	}
}

// hints say what to do next.
var hints = map[binding.Code]string{
	binding.Unavailable:              "Is the agent running? 'a2awire card TARGET' shows its addresses; 'a2awire demo' starts one.",
	binding.Unauthenticated:          "Put a token into the environment variable A2AWIRE_TOKEN, or into a file for --token-file.",
	binding.TaskNotFound:             "'a2awire list TARGET' shows the tasks there are.",
	binding.VersionNotSupported:      "The agent speaks another version of A2A; its card names it: 'a2awire card TARGET'.",
	binding.ExtensionSupportRequired: "Name the extension with --extension URI.",
	binding.MethodNotFound:           "Does the binding fit the URL? 'a2awire card TARGET' shows which it is.",
	binding.DeadlineExceeded:         "Give it more time with --timeout, or send with --return-immediately and look with 'a2awire get'.",
}
