package bridge_test

import (
	"context"
	"fmt"
	"log"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/rest"
)

// An agent on JSON-RPC, and a bridge that serves it over HTTP+JSON.
func Example() {
	ctx := context.Background()
	server, err := jsonrpc.Binding{}.Serve(ctx, &pb.AgentInterface{Url: "http://127.0.0.1:0"}, lister{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	upstream, err := jsonrpc.Binding{}.Dial(ctx, server.Interface())
	if err != nil {
		log.Fatal(err)
	}
	b := bridge.New(upstream, nil, nil)
	defer b.Close()
	front, err := b.Listen(ctx, rest.Binding{}, &pb.AgentInterface{Url: "http://127.0.0.1:0"}, "")
	if err != nil {
		log.Fatal(err)
	}

	agent, err := rest.Binding{}.Dial(ctx, front.Interface())
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	tasks, err := agent.ListTasks(ctx, nil, &pb.ListTasksRequest{})
	fmt.Println(tasks.GetTotalSize(), err)
	// Output: 42 <nil>
}

// lister has many tasks, of which it shows none.
type lister struct{ binding.Unimplemented }

func (lister) ListTasks(context.Context, *binding.Call, *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	return &pb.ListTasksResponse{TotalSize: 42}, nil
}
