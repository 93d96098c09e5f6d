package ws_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// counter answers every message with a task that counts to three.
type counter struct{ binding.Unimplemented }

func (counter) SendStreamingMessage(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if !yield(taskEvent("t-1"), nil) {
			return
		}
		for i := range 3 {
			if !yield(textEvent("t-1", fmt.Sprint(i+1)), nil) {
				return
			}
		}
		yield(doneEvent("t-1"), nil)
	}
}

func Example() {
	handler := ws.NewHandler(counter{}, nil)
	mux := http.NewServeMux()
	mux.Handle("/a2a", handler)
	server := httptest.NewServer(mux)
	defer server.Close()
	defer handler.Close() // the server knows nothing of the connections

	url := "ws" + strings.TrimPrefix(server.URL, "http") + "/a2a"
	agent, err := ws.Dial(context.Background(), url, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	for event, err := range agent.SendStreamingMessage(context.Background(), nil, message("count")) {
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case event.GetArtifactUpdate() != nil:
			fmt.Println(event.GetArtifactUpdate().GetArtifact().GetParts()[0].GetText())
		case event.GetStatusUpdate() != nil:
			fmt.Println(event.GetStatusUpdate().GetStatus().GetState())
		}
	}
	// Output:
	// 1
	// 2
	// 3
	// TASK_STATE_COMPLETED
}
