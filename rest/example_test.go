package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/rest"
)

// echo is an agent with one operation.
type echo struct{ binding.Unimplemented }

func (echo) SendMessage(_ context.Context, _ *binding.Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: req.GetMessage()}}, nil
}

func Example() {
	mux := http.NewServeMux()
	mux.Handle("/a2a/", http.StripPrefix("/a2a", rest.Handler(echo{}, nil)))
	server := httptest.NewServer(mux)
	defer server.Close()

	agent, err := rest.Dial(context.Background(), server.URL+"/a2a", nil)
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
