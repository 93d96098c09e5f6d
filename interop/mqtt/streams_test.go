//go:build interop

package mqtt_test

import (
	"context"
	"fmt"
	"strconv"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// stream is what a client has seen of a stream of a worker.
type stream struct {
	chunks  int  // seen, numbered from 0 without a hole
	resumed bool // there was a task in its midst
	state   pb.TaskState
	err     error // how it ended, or what was wrong with it
}

// read reads a stream to its end.
func read(ctx context.Context, client binding.Agent, m *pb.SendMessageRequest) (s stream) {
	n := 0
	for ev, err := range client.SendStreamingMessage(ctx, nil, m) {
		if err != nil {
			s.err = err
			return s
		}
		switch e := ev.GetPayload().(type) {
		case *pb.StreamResponse_Task:
			s.resumed, s.state = n > 0, e.Task.GetStatus().GetState()
		case *pb.StreamResponse_StatusUpdate:
			s.state = e.StatusUpdate.GetStatus().GetState()
		case *pb.StreamResponse_ArtifactUpdate:
			i, err := strconv.Atoi(text(e.ArtifactUpdate.GetArtifact().GetParts()))
			if err != nil || i != s.chunks {
				s.err = fmt.Errorf("a hole: chunk %d where %d is due (%w)", i, s.chunks, err)
				return s
			}
			s.chunks++
		}
		n++
	}
	return s
}

func getTask(id string) *pb.GetTaskRequest { return &pb.GetTaskRequest{Id: id} }
