package binding_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
)

// A stream that is interrupted goes on from the task as it is: who keeps a copy
// of the task replaces it by the one that the stream has in its midst.
func ExampleResume() {
	client := binding.Resume(inproc.Dial(new(restarted), nil), &binding.ResumeOptions{MinWait: time.Millisecond})
	defer client.Close()

	var task *pb.Task
	for ev, err := range client.SubscribeToTask(context.Background(), nil, &pb.SubscribeToTaskRequest{Id: "t-1"}) {
		switch {
		case err != nil:
			log.Fatal(err)
		case ev.GetTask() != nil:
			task = ev.GetTask()
			fmt.Println("task", task.GetStatus().GetState())
		case ev.GetStatusUpdate() != nil:
			task.Status = ev.GetStatusUpdate().GetStatus()
			fmt.Println("status", task.GetStatus().GetState())
		}
	}
	// Output:
	// task TASK_STATE_SUBMITTED
	// task TASK_STATE_WORKING
	// status TASK_STATE_COMPLETED
}

// restarted is an agent that shuts down in the midst of its first stream.
type restarted struct {
	binding.Unimplemented
	runs int
}

func (a *restarted) SubscribeToTask(_ context.Context, _ *binding.Call, req *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		if a.runs++; a.runs == 1 {
			_ = yield(snapshot(req.GetId(), pb.TaskState_TASK_STATE_SUBMITTED), nil) &&
				yield(nil, binding.Errorf(binding.Unavailable, "the agent is shutting down"))
			return
		}
		_ = yield(snapshot(req.GetId(), pb.TaskState_TASK_STATE_WORKING), nil) &&
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
				TaskId: req.GetId(), ContextId: "c-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED},
			}}}, nil)
	}
}

func snapshot(id string, state pb.TaskState) *pb.StreamResponse {
	return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: &pb.Task{Id: id, ContextId: "c-1", Status: &pb.TaskStatus{State: state}}}}
}
