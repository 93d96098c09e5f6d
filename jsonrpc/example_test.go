package jsonrpc_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/jsonrpc"
)

// finder has one task.
type finder struct{ binding.Unimplemented }

func (finder) GetTask(_ context.Context, _ *binding.Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	if req.GetId() != "t-1" {
		return nil, binding.Errorf(binding.TaskNotFound, "there is no task %q", req.GetId())
	}
	return &pb.Task{Id: "t-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}, nil
}

func Example() {
	mux := http.NewServeMux()
	mux.Handle("/rpc", jsonrpc.Handler(finder{}, nil))
	server := httptest.NewServer(mux)
	defer server.Close()

	agent, err := jsonrpc.Dial(context.Background(), server.URL+"/rpc", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	task, err := agent.GetTask(context.Background(), nil, &pb.GetTaskRequest{Id: "t-1"})
	fmt.Println(task.GetStatus().GetState(), err)
	_, err = agent.GetTask(context.Background(), nil, &pb.GetTaskRequest{Id: "t-2"})
	fmt.Println(binding.CodeOf(err), err)
	// Output:
	// TASK_STATE_COMPLETED <nil>
	// TASK_NOT_FOUND there is no task "t-2"
}
