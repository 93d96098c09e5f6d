package mqtt_test

import (
	"context"
	"fmt"
	"log"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// finder has one task.
type finder struct{ binding.Unimplemented }

func (finder) GetTask(_ context.Context, _ *binding.Call, req *pb.GetTaskRequest) (*pb.Task, error) {
	if req.GetId() != "t-1" {
		return nil, binding.Errorf(binding.TaskNotFound, "there is no task %q", req.GetId())
	}
	return &pb.Task{Id: "t-1", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}, nil
}

// An agent that owns its connection, and a client that finds and calls it.
func Example() {
	ctx := context.Background()
	broker, err := embedded.Start(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()

	address := mqtt.Address{Org: "acme", Unit: "edge", Agent: "finder"}
	will, err := mqtt.NewWill(broker.URL(), address, nil)
	if err != nil {
		log.Fatal(err)
	}
	conn, err := mqtt.Connect(ctx, broker.URL(), &mqtt.ConnectOptions{ClientID: address.String(), Will: will})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	server, err := mqtt.Serve(ctx, conn, address, finder{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	for found, err := range mqtt.Discover(ctx, conn, mqtt.Filter{Org: "acme"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(found.Address, found.Online)
		break
	}
	agent, err := mqtt.Dial(ctx, broker.URL()+"/acme/edge/finder", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	task, err := agent.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1"})
	fmt.Println(task.GetStatus().GetState(), err)
	_, err = agent.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-2"})
	fmt.Println(binding.CodeOf(err), err)
	// Output:
	// acme/edge/finder true
	// TASK_STATE_COMPLETED <nil>
	// TASK_NOT_FOUND there is no task "t-2"
}
