package refagent_test

import (
	"context"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/refagent"
)

func Example() {
	agent := refagent.New(nil)
	defer agent.Close()
	req := &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "m1", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "stream 2"}}},
	}}
	for ev, err := range agent.SendStreamingMessage(context.Background(), nil, req) {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.GetTask() != nil:
			fmt.Println(ev.GetTask().GetStatus().GetState())
		case ev.GetStatusUpdate() != nil:
			fmt.Println(ev.GetStatusUpdate().GetStatus().GetState())
		case ev.GetArtifactUpdate() != nil:
			fmt.Println(ev.GetArtifactUpdate().GetArtifact().GetParts()[0].GetText())
		}
	}
	// Output:
	// TASK_STATE_SUBMITTED
	// TASK_STATE_WORKING
	// chunk 1
	// chunk 2
	// TASK_STATE_COMPLETED
}
