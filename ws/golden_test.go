package ws_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
	"github.com/a2awire/a2awire/ws"
)

// step is one conversation of a golden file.
type step struct {
	name     string
	from, to int // frames of the client, and of the server
	do       func(context.Context, binding.Client)
}

func drain(ctx context.Context, c binding.Client, text string) {
	for range c.SendStreamingMessage(ctx, nil, message(text)) {
	}
}

// steps are every operation and every kind of frame.
var steps = []step{
	{"SendMessage", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.SendMessage(ctx, &binding.Call{Params: binding.Params{"a2a-extensions": "https://x.example/a"}}, message("hi"))
	}},
	{"SendStreamingMessage", 1, 4, func(ctx context.Context, c binding.Client) { drain(ctx, c, "stream 1") }},
	{"SendStreamingMessage, error before the first event", 1, 1, func(ctx context.Context, c binding.Client) { drain(ctx, c, "early") }},
	{"SendStreamingMessage, error in the stream", 1, 2, func(ctx context.Context, c binding.Client) { drain(ctx, c, "late") }},
	{"GetTask", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1", HistoryLength: proto.Int32(0)})
	}},
	{"GetTask, not found", 1, 1, func(ctx context.Context, c binding.Client) { _, _ = c.GetTask(ctx, nil, get("nope")) }},
	{"GetTask, version not supported", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.GetTask(ctx, &binding.Call{Params: binding.Params{"a2a-version": "2.0"}}, get("t-1"))
	}},
	{"ListTasks", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.ListTasks(ctx, nil, &pb.ListTasksRequest{PageSize: proto.Int32(5)})
	}},
	{"CancelTask", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: "t-1"})
	}},
	{"SubscribeToTask", 1, 3, func(ctx context.Context, c binding.Client) {
		for range c.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: "t-1"}) {
		}
	}},
	{"CreateTaskPushNotificationConfig", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.CreateTaskPushNotificationConfig(ctx, nil, &pb.TaskPushNotificationConfig{TaskId: "t-1", Url: "https://hooks.example.com/x"})
	}},
	{"GetTaskPushNotificationConfig", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.GetTaskPushNotificationConfig(ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"})
	}},
	{"ListTaskPushNotificationConfigs", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t-1"})
	}},
	{"DeleteTaskPushNotificationConfig", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.DeleteTaskPushNotificationConfig(ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"})
	}},
	{"GetExtendedAgentCard", 1, 1, func(ctx context.Context, c binding.Client) {
		_, _ = c.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{})
	}},
	{"a stream that its caller leaves", 2, 2, func(ctx context.Context, c binding.Client) {
		for range c.SendStreamingMessage(ctx, nil, message("for ever")) {
			break
		}
	}},
}

// unary is a call whose caller leaves it.
func leaveUnary(ctx context.Context, c binding.Client, begun <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	gone := make(chan struct{})
	go func() { defer close(gone); _, _ = c.GetTask(ctx, nil, get("wait")) }()
	<-begun
	cancel()
	<-gone
}

func TestGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		proposal bool
		comment  string
	}{
		"flow":     {false, "Subprotocol a2a.v1.flow: > is what the client sends, < what the server sends."},
		"proposal": {true, "Subprotocol a2a.v1, streams on the shared connection: > is what the client sends, < what the server sends."},
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{}, 1)
			a := &agent{}
			_, upstream := serve(t, a, &ws.Options{Proposal: c.proposal})
			tap, url := tapped(t, upstream)
			client := dial(t, url, &ws.Options{SharedStreams: true, Options: binding.Options{Tenant: "acme"}})
			wire := new(golden.Wire)
			for _, s := range steps {
				s.do(within(t), client)
				tap.record(wire, s.name, s.from, s.to)
			}
			a.get = func(ctx context.Context, _ *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
				begun <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			leaveUnary(within(t), client, begun)
			tap.record(wire, "a call that its caller leaves", 2, 1)
			wire.Compare(t, name, c.comment)
		})
	}
}

// A window of four items, of which half are granted back at a time.
func TestGoldenCredits(t *testing.T) {
	_, upstream := serve(t, &agent{}, nil)
	tap, url := tapped(t, upstream)
	client := dial(t, url, &ws.Options{Window: 4})
	drain(within(t), client, "stream 5")
	wire := new(golden.Wire)
	tap.record(wire, "SendStreamingMessage", 4, 8)
	wire.Compare(t, "credits", "Subprotocol a2a.v1.flow with a window of four: > is what the client sends, < what the server sends.")
}

// The server asks for a new credential, and gets one.
func TestGoldenReauthentication(t *testing.T) {
	first := true
	_, upstream := serve(t, &agent{}, &ws.Options{Authenticate: func(_ context.Context, r *http.Request) (*ws.Identity, error) {
		id := &ws.Identity{Name: "alice"}
		if first {
			id.Expires = time.Now().Add(-time.Second)
		}
		first = false
		return id, nil
	}})
	tap, url := tapped(t, upstream)
	dial(t, url, &ws.Options{Reauthenticate: func(context.Context) (binding.Credential, error) { return "Bearer new", nil }})
	wire := new(golden.Wire)
	tap.record(wire, "reauthentication", 1, 2)
	wire.Compare(t, "authenticate", "A credential that has expired: > is what the client sends, < what the server sends.")
}

// What a server answers to frames that are no calls.
func TestGoldenFaults(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	wire := new(golden.Wire)
	for _, c := range []struct{ name, frame string }{
		{"a notification", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t-1"}}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}]`},
		{"another JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`},
		{"no such method", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{},"serviceParams":{"a2a-version":"1.0"}}`},
		{"no version", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`},
		{"no method", `{"jsonrpc":"2.0","id":1,"params":{"id":"t-1"}}`},
		{"a window of nothing", `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"t-1"},"serviceParams":{"a2a-version":"1.0"},"streamWindow":0}`},
		{"a credit of nothing", `{"jsonrpc":"2.0","id":1,"streamCredit":0}`},
		{"not JSON", `{"jsonrpc":`},
	} {
		p := connect(t, url, nil, "a2a.v1.flow")
		p.send(c.frame)
		wire.Add(c.name+" >", c.frame)
		wire.Add(c.name+" <", p.read())
	}
	wire.Compare(t, "faults", "Frames that are no calls: > is what a client sends, < what the server sends.")
}
