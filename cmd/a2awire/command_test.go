package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/ws"
)

// invoke runs the command to its end.
func invoke(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = run(t.Context(), args, &out, &errOut)
	return code, out.String(), errOut.String()
}

// lines is an output whose lines a test waits for.
type lines struct {
	mu   sync.Mutex
	text string
	more chan struct{}
}

func newLines() *lines { return &lines{more: make(chan struct{}, 1)} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.text += string(b)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

// await is the output once it contains a text.
func (l *lines) await(t *testing.T, text string) string {
	t.Helper()
	for {
		l.mu.Lock()
		got := l.text
		l.mu.Unlock()
		if strings.Contains(got, text) {
			return got
		}
		select {
		case <-l.more:
		case <-t.Context().Done():
			t.Fatalf("no %q in %s", text, got)
		}
	}
}

// loopback is where an entry can be served.
func loopback(t *testing.T, e catalogue.Entry) string {
	url, stop, err := e.Loopback()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, stop()) })
	return url
}

// start runs a command that serves, and is its card. It stops with the test.
func start(t *testing.T, args ...string) map[string]string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, errOut := newLines(), newLines()
	done := make(chan int, 1)
	go func() { done <- run(ctx, append(args, "--json"), out, errOut) }()
	t.Cleanup(func() {
		stop()
		assert.Equal(t, exitOK, <-done, errOut.text)
	})
	var card struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding string }
	}
	require.NoError(t, json.Unmarshal([]byte(out.await(t, "\n")), &card))
	urls := map[string]string{}
	for _, i := range card.SupportedInterfaces {
		urls[i.ProtocolBinding] = i.URL
	}
	return urls
}

func TestDemoOnce(t *testing.T) {
	code, out, stderr := invoke(t, "demo", "--once")
	assert.Equal(t, exitOK, code, "%s%s", out, stderr)
	assert.Equal(t, 11*len(catalogue.Entries()), strings.Count(out, "agrees"))
	code, out, _ = invoke(t, "demo", "--once", "--json")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, 11*len(catalogue.Entries()), strings.Count(out, `"agrees":true`))
}

func TestDemoServes(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out := newLines()
	done := make(chan int, 1)
	go func() { done <- run(ctx, []string{"demo"}, out, out) }()
	text := out.await(t, "Ctrl-C")
	assert.Contains(t, text, "The agent speaks only MQTT")
	stop()
	assert.Equal(t, exitOK, <-done)
}

// One conversation on the command line, over every binding, by card and directly.
func TestClientCommands(t *testing.T) {
	args := []string{"agent", "--allow-private-webhooks"}
	for _, e := range catalogue.Entries() {
		args = append(args, "--"+e.Name, loopback(t, e))
	}
	urls := start(t, args...)
	targets := []string{urls["JSONRPC"]}
	for _, e := range catalogue.Entries() {
		targets = append(targets, e.Name+"="+urls[e.Protocol()])
	}
	for _, target := range targets {
		t.Run(strings.SplitN(target, "=", 2)[0], func(t *testing.T) {
			conversation(t, target)
		})
	}
	socket := urls["WEBSOCKET"]
	assert.Equal(t, urls[ws.Protocol], socket, "the proposal's name for the same address")
	code, out, _ := invoke(t, "send", socket, "message an address is enough")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "an address is enough")
	code, out, _ = invoke(t, "card", socket)
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "WEBSOCKET")
	code, out, _ = invoke(t, "card", urls["JSONRPC"])
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "streaming yes")
	code, out, _ = invoke(t, "card", urls["JSONRPC"], "--extended", "--json")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, `"supportedInterfaces"`)
}

func conversation(t *testing.T, target string) {
	ok := func(args ...string) string {
		t.Helper()
		code, out, stderr := invoke(t, args...)
		require.Equal(t, exitOK, code, "%v: %s%s", args, out, stderr)
		return out
	}
	fails := func(want int, text string, args ...string) {
		t.Helper()
		code, out, stderr := invoke(t, args...)
		assert.Equal(t, want, code, "%v: %s%s", args, out, stderr)
		assert.Contains(t, stderr+out, text)
	}
	file := filepath.Join(t.TempDir(), "note.txt")
	require.NoError(t, os.WriteFile(file, []byte("contents"), 0o600))
	tenant := "--tenant=" + strings.SplitN(t.Name(), "/", 2)[1]

	assert.Contains(t, ok("send", target, "hello"), "COMPLETED")
	assert.Contains(t, ok("send", target, "message hi"), "hi")
	assert.Contains(t, ok("stream", target, "stream 3"), "chunk 3")
	assert.Contains(t, ok("send", target, "mirror", "--param", "X-Hint=Ab", "--data", `{"a":1}`, "--file", file, "--json"), `"x-hint":"Ab"`)

	var sent struct{ Task struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(ok("send", target, "input", "--json", tenant)), &sent))
	id := sent.Task.ID
	assert.Contains(t, ok("get", target, id, "--history", "1", tenant), "INPUT_REQUIRED")
	assert.Contains(t, ok("list", target, "--status", "input-required", "--page-size", "5", tenant), id)
	var made struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(ok("push", "create", target, id, "https://hooks.example.com/x", "--json", tenant)), &made))
	assert.Contains(t, ok("push", "list", target, id, tenant), made.ID)
	assert.Contains(t, ok("push", "get", target, id, made.ID, tenant), "https://hooks.example.com/x")
	assert.Contains(t, ok("push", "delete", target, id, made.ID, tenant), "deleted")
	assert.Contains(t, ok("cancel", target, id, tenant), "CANCELED")
	fails(exitAgent, "TASK_NOT_CANCELABLE", "cancel", target, id, tenant)
	fails(exitAgent, "TASK_NOT_FOUND", "get", target, "nope")
	fails(exitAgent, "a2awire list", "get", target, "nope")
	fails(exitAgent, "UNSUPPORTED_OPERATION", "subscribe", target, id, tenant)
	fails(exitAgent, `{"error":{"code":-32001,`, "send", target, "error TaskNotFoundError", "--json")
	fails(exitUnreachable, "DEADLINE_EXCEEDED", "send", target, "long 30", "--timeout", "50ms")
	fails(exitUnreachable, "DEADLINE_EXCEEDED", "send", target, "error DeadlineExceededError")
}

func TestRelay(t *testing.T) {
	urls := start(t, "agent", "--grpc", "127.0.0.1:0")
	front := start(t, "relay", "--listen", "jsonrpc=127.0.0.1:0", "--listen", "rest=127.0.0.1:0/v1", "--to", "grpc="+urls["GRPC"])
	code, out, stderr := invoke(t, "stream", "rest="+front["HTTP+JSON"], "stream 3")
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "chunk 3")
	code, _, _ = invoke(t, "card", front["JSONRPC"])
	assert.Equal(t, exitUnreachable, code, "an agent without a card has none to serve")

	// A card from elsewhere, with the bridge's own addresses.
	both := start(t, "agent", "--name", "Elsewhere", "--grpc", "127.0.0.1:0", "--jsonrpc", "127.0.0.1:0")
	front = start(t, "relay", "--listen", "jsonrpc=127.0.0.1:0", "--to", "grpc="+both["GRPC"], "--card", both["JSONRPC"])
	code, out, stderr = invoke(t, "card", front["JSONRPC"])
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "Elsewhere")
	assert.NotContains(t, out, both["GRPC"])
	code, _, stderr = invoke(t, "relay", "--listen", "jsonrpc=127.0.0.1:0", "--to", "grpc="+both["GRPC"], "--card", "localhost")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "is no target")

	byCard := start(t, "agent", "--jsonrpc", "127.0.0.1:0")
	front = start(t, "relay", "--listen", "rest=127.0.0.1:0/v1", "--listen", "grpc=127.0.0.1:0", "--public", "grpc=grpcs://gw.example:443", "--to", byCard["JSONRPC"])
	assert.Equal(t, "grpcs://gw.example:443", front["GRPC"])
	code, out, stderr = invoke(t, "stream", "rest="+front["HTTP+JSON"], "stream 3")
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "chunk 3")
}

// An agent behind a bridge in one process shows the bridge alone, and what the
// flags say of it crosses.
func TestAgentBridged(t *testing.T) {
	urls := start(t, "agent", "--bridge", "--no-push", "--accept", "*/*", "--jsonrpc", "127.0.0.1:0", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0")
	for _, target := range []string{urls["JSONRPC"], "rest=" + urls["HTTP+JSON"], "grpc=" + urls["GRPC"]} {
		code, out, stderr := invoke(t, "stream", target, "stream 3")
		assert.Equal(t, exitOK, code, stderr)
		assert.Contains(t, out, "chunk 3")
		code, out, _ = invoke(t, "card", target, "--extended", "--json")
		assert.Equal(t, exitOK, code)
		assert.NotContains(t, out, "inproc")
		code, _, stderr = invoke(t, "push", "list", target, "t1")
		assert.Equal(t, exitAgent, code)
		assert.Contains(t, stderr, "PUSH_NOTIFICATION_NOT_SUPPORTED")
	}
	code, out, _ := invoke(t, "card", urls["JSONRPC"], "--json")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, `"defaultInputModes":["*/*"]`)
	assert.NotContains(t, out, "inproc")
}

// Who asks for no media type gets that of A2A 1.0.1, or with a flag that of 1.0.0.
func TestPlainJSON(t *testing.T) {
	mediaType := func(urls map[string]string) string {
		status, h, body := raw(t, "GET", urls["HTTP+JSON"]+"/tasks/nope", "", "")
		require.Equal(t, 404, status, body)
		return h.Get("Content-Type")
	}
	defer http.DefaultClient.CloseIdleConnections()
	agent := start(t, "agent", "--rest", "127.0.0.1:0")
	assert.Equal(t, "application/a2a+json", mediaType(agent))
	assert.Equal(t, "application/json", mediaType(start(t, "agent", "--plain-json", "--rest", "127.0.0.1:0")))
	assert.Equal(t, "application/json", mediaType(start(t, "relay", "--plain-json", "--listen", "rest=127.0.0.1:0", "--to", "rest="+agent["HTTP+JSON"])))
}

func TestUsage(t *testing.T) {
	for text, args := range map[string][]string{
		"want: a2awire send TARGET TEXT":       {"send", "x"},
		`"localhost:1" is no target`:           {"send", "localhost:1", "x"},
		`no binding "smoke"`:                   {"send", "smoke=x", "x"},
		"want KEY=VALUE":                       {"send", "jsonrpc=127.0.0.1:1", "x", "--param", "a"},
		"want: a2awire relay":                  {"relay"},
		"want BINDING=URL":                     {"relay", "--listen", "x", "--to", "y"},
		"no --listen for it":                   {"relay", "--listen", "rest=127.0.0.1:0", "--public", "grpc=x", "--to", "jsonrpc=127.0.0.1:1"},
		"unknown flag":                         {"demo", "--nope"},
		"unknown command":                      {"nope"},
		"--tls-cert, --tls-key":                {"agent", "--tls-cert", "nope"},
		"want: a2awire push create|get|list":   {"push"},
		"needs Options.TLS with a certificate": {"agent", "--jsonrpc", "https://127.0.0.1:0"},
	} {
		code, _, stderr := invoke(t, args...)
		assert.Equal(t, exitUsage, code, "%v: %s", args, stderr)
		assert.Contains(t, stderr, text, "%v", args)
	}
	code, _, stderr := invoke(t, "send", "jsonrpc=127.0.0.1:1", "x")
	assert.Equal(t, exitUnreachable, code)
	assert.Contains(t, stderr, "Is the agent running?")
	code, out, _ := invoke(t, "bindings")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "HTTP+JSON")
	code, out, _ = invoke(t, "bindings", "--json")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, `"protocolBinding":"JSONRPC"`)
	code, out, _ = invoke(t, "--help")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "Exit codes")
}

// What an agent says cannot steer a terminal, and a credential is not shown.
func TestSafeOutput(t *testing.T) {
	assert.Equal(t, "a\uFFFD[31mb\tc\n", safe("a\x1b[31mb\tc\n"))
	t.Setenv("A2AWIRE_TOKEN", "s3cr3t")
	urls := start(t, "agent", "--jsonrpc", "127.0.0.1:0")
	code, out, stderr := invoke(t, "send", urls["JSONRPC"], "mirror", "-v")
	assert.Equal(t, exitOK, code)
	assert.NotContains(t, out+stderr, "s3cr3t")
}

// An agent at a broker is found there, called there, and relayed with its card.
func TestBroker(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if e.Broker == nil {
			continue
		}
		at := loopback(t, e)
		code, _, stderr := invoke(t, "card", at+"/acme/edge/nobody")
		assert.Equal(t, exitUnreachable, code)
		assert.Contains(t, stderr, "no agent has a card")
		start(t, "agent", "--name", "Edge", "--"+e.Name, at+"/acme/edge/a1")
		code, out, _ := invoke(t, "card", at+"/acme/edge/a1")
		assert.Equal(t, exitOK, code)
		assert.Contains(t, out, "acme/edge/a1  online")
		code, out, _ = invoke(t, "card", "--json", at+"/acme/edge/a1")
		assert.Equal(t, exitOK, code)
		assert.Contains(t, out, `{"address":"`+at+`/acme/edge/a1","status":"online","card":{`)
		code, _, stderr = invoke(t, "card", "--watch", "--timeout", "10ms", at)
		assert.NotEqual(t, exitOK, code)
		assert.Contains(t, stderr, "deadline")
		front := start(t, "relay", "--listen", "jsonrpc=127.0.0.1:0", "--to", at+"/acme/edge/a1")
		code, out, _ = invoke(t, "card", front["JSONRPC"])
		assert.Equal(t, exitOK, code)
		assert.Contains(t, out, "Edge", "the card that the broker keeps")
		assert.NotContains(t, out, at)
		code, out, _ = invoke(t, "stream", front["JSONRPC"], "stream 2")
		assert.Equal(t, exitOK, code)
		assert.Contains(t, out, "chunk 2")
	}
}
