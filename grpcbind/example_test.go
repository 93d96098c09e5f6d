package grpcbind_test

import (
	"context"
	"fmt"
	"log"
	"net"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/grpcbind"
)

// echo is an agent with one operation.
type echo struct{ binding.Unimplemented }

func (echo) SendMessage(_ context.Context, _ *binding.Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: req.GetMessage()}}, nil
}

func Example() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(grpcbind.ServerOptions(nil)...)
	grpcbind.Register(server, echo{}, nil)
	go server.Serve(listener)
	defer server.Stop()

	agent, err := grpcbind.Dial(context.Background(), listener.Addr().String(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	resp, err := agent.SendMessage(context.Background(), nil, &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "m1", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hello"}}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.GetMessage().GetParts()[0].GetText())
	// Output: hello
}
