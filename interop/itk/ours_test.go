//go:build interop

package itk_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/interop/leg"
)

// protocols are the protocolBindings of the transports.
var protocols = map[string]string{"jsonrpc": "JSONRPC", "rest": "HTTP+JSON", "grpc": "GRPC"}

// callOurs calls the next agent with our client.
func callOurs(ctx context.Context, n next) (string, error) {
	cards := agentcard.NewFetcher(nil)
	defer cards.Close()
	card, err := cards.Fetch(ctx, n.Card)
	if err != nil {
		return "", err
	}
	for _, i := range card.GetSupportedInterfaces() {
		if i.GetProtocolBinding() == protocols[n.Transport] {
			card.SupportedInterfaces = []*pb.AgentInterface{i}
			break
		}
	}
	c, err := catalogue.Registry(binding.Options{}).Dial(ctx, card)
	if err != nil {
		return "", err
	}
	defer c.Close()
	req, err := request(n.Errand)
	if err != nil {
		return "", err
	}
	return ways[n.Behaviour](ctx, c, req, n.Hook)
}

func request(e errand) (*pb.SendMessageRequest, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	data := new(structpb.Value)
	if err := protojson.Unmarshal(text, data); err != nil {
		return nil, err
	}
	return &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: rand.Text(), Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Data{Data: data}, MediaType: "application/json"}},
	}}, nil
}

// ways are the behaviours.
var ways = map[string]func(context.Context, binding.Agent, *pb.SendMessageRequest, hook) (string, error){
	"send": func(ctx context.Context, c binding.Agent, req *pb.SendMessageRequest, _ hook) (string, error) {
		return ended(c.SendMessage(ctx, nil, req))
	},
	"push": func(ctx context.Context, c binding.Agent, req *pb.SendMessageRequest, h hook) (string, error) {
		req.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{
			Id: "hook", Url: h.URL, Authentication: &pb.AuthenticationInfo{Scheme: "Bearer", Credentials: h.Token},
		}}
		return ended(c.SendMessage(ctx, nil, req))
	},
	"stream": func(ctx context.Context, c binding.Agent, req *pb.SendMessageRequest, _ hook) (last string, err error) {
		for ev, err := range c.SendStreamingMessage(ctx, nil, req) {
			if err != nil {
				return "", err
			}
			if said := told(ev); said != "" {
				last = said
			}
		}
		return last, nil
	},
	"resubscribe": resubscribe,
}

func ended(resp *pb.SendMessageResponse, err error) (string, error) {
	return leg.Text(resp.GetTask().GetStatus().GetMessage().GetParts()), err
}

func told(ev *pb.StreamResponse) string {
	status := ev.GetTask().GetStatus()
	if u := ev.GetStatusUpdate(); u != nil {
		status = u.GetStatus()
	}
	return leg.Text(status.GetMessage().GetParts())
}

func resubscribe(ctx context.Context, c binding.Agent, req *pb.SendMessageRequest, _ hook) (string, error) {
	var id string
	for ev, err := range c.SendStreamingMessage(ctx, nil, req) {
		if err != nil {
			return "", err
		}
		id = ev.GetTask().GetId()
		break
	}
	last := ""
	for ev, err := range c.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: id}) {
		if err != nil {
			return "", err
		}
		if said := told(ev); said != "" {
			last = said
		}
		if strings.HasSuffix(last, held) {
			break
		}
	}
	task, err := c.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: id})
	if err == nil && task.GetStatus().GetState() != pb.TaskState_TASK_STATE_CANCELED {
		err = fmt.Errorf("the task is %v, and not canceled", task.GetStatus().GetState())
	}
	return strings.TrimSuffix(last, held), err
}
