package a2asdk_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"log/slog"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2awire/a2awire/a2asdk"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// greeter is an agent written with the official SDK.
type greeter struct{}

func (greeter) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("hello, "+x.Message.Parts[0].Text())), nil)
	}
}

func (greeter) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, a2a.ErrTaskNotCancelable) }
}

// Your a2a-go agent on MQTT, called by the SDK's own client. On WebSocket it is
// the same, with ws.Binding and "ws://127.0.0.1:0".
func Example() {
	ctx := context.Background()
	broker, err := embedded.Start(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()

	card := &a2a.AgentCard{
		Name: "greeter", Description: "says hello", Version: "1",
		Capabilities:      a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
	}
	handler := a2asrv.NewHandler(greeter{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	wire := mqtt.Binding{Options: mqtt.Options{Options: binding.Options{Card: binding.StaticCard(a2asdk.FromCard(card))}}}
	server, err := wire.Serve(ctx, &pb.AgentInterface{Url: broker.URL() + "/acme/edge/greeter"}, a2asdk.FromHandler(handler))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	card.SupportedInterfaces = []*a2a.AgentInterface{
		a2a.NewAgentInterface(server.Interface().GetUrl(), a2a.TransportProtocol(server.Interface().GetProtocolBinding())),
	}

	client, err := a2aclient.NewFromCard(ctx, card, a2asdk.WithBindings(binding.NewRegistry(mqtt.Binding{}))...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Destroy()
	hello := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("world"))
	for event, err := range client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: hello}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.(*a2a.Message).Parts[0].Text())
	}
	// Output: hello, world
}
