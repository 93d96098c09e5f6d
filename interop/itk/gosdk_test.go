//go:build interop

package itk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// callGo calls the next agent with the Go SDK's client, over its own transports.
func callGo(ctx context.Context, n next) (string, error) {
	card, err := agentcard.DefaultResolver.Resolve(ctx, n.Card)
	if err != nil {
		return "", err
	}
	c, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{a2a.TransportProtocol(protocols[n.Transport])}}),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Destroy() }()
	var data map[string]any // over gRPC the SDK takes no other data
	text, err := json.Marshal(n.Errand)
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		return "", err
	}
	part := a2a.NewDataPart(data)
	part.MediaType = "application/json"
	req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, part)}
	switch n.Behaviour {
	case "push":
		req.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{
			ID: "hook", URL: n.Hook.URL, Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: n.Hook.Token},
		}}
		fallthrough
	case "send":
		r, err := c.SendMessage(ctx, req)
		return said(r), err
	case "stream":
		last := ""
		for ev, err := range c.SendStreamingMessage(ctx, req) {
			if err != nil {
				return "", err
			}
			if text := said(ev); text != "" {
				last = text
			}
		}
		return last, nil
	}
	return resubscribeGo(ctx, c, req)
}

func resubscribeGo(ctx context.Context, c *a2aclient.Client, req *a2a.SendMessageRequest) (string, error) {
	var id a2a.TaskID
	for ev, err := range c.SendStreamingMessage(ctx, req) {
		if err != nil {
			return "", err
		}
		id = ev.TaskInfo().TaskID
		break
	}
	last := ""
	for ev, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
		if err != nil {
			return "", err
		}
		if text := said(ev); text != "" {
			last = text
		}
		if strings.HasSuffix(last, held) {
			break
		}
	}
	task, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	if err == nil && task.Status.State != a2a.TaskStateCanceled {
		err = fmt.Errorf("the task is %v, and not canceled", task.Status.State)
	}
	return strings.TrimSuffix(last, held), err
}

// said is the text of an event's status message.
func said(ev a2a.Event) string {
	var m *a2a.Message
	switch ev := ev.(type) {
	case *a2a.Task:
		m = ev.Status.Message
	case *a2a.TaskStatusUpdateEvent:
		m = ev.Status.Message
	}
	text := ""
	if m != nil {
		for _, p := range m.Parts {
			text += p.Text()
		}
	}
	return text
}
