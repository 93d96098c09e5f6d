package mqtt_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// keeper makes tasks, and knows those it made.
type keeper struct {
	binding.Unimplemented
	mu    sync.Mutex
	tasks map[string]*pb.Task
	made  int
}

func (k *keeper) SendMessage(_ context.Context, _ *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := r.GetMessage().GetTaskId()
	if id == "" {
		k.made++
		id = fmt.Sprintf("made-%d", k.made)
		if k.tasks == nil {
			k.tasks = map[string]*pb.Task{}
		}
		k.tasks[id] = &pb.Task{Id: id, ContextId: r.GetMessage().GetContextId(), Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}
	}
	t := k.tasks[id]
	if t == nil {
		return nil, binding.ErrTaskNotFound
	}
	m := r.GetMessage()
	m.TaskId = id
	t.History = append(t.History, m)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: t}}, nil
}

func (k *keeper) GetTask(_ context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.tasks[r.GetId()]; t != nil {
		return t, nil
	}
	return nil, binding.ErrTaskNotFound
}

// A requester of EMQ's profile makes the ids of tasks; the agent makes its own.
func TestProfileRequester(t *testing.T) {
	url := broker(t).URL()
	agent := new(keeper)
	r := newRequester(t, url, serve(t, url, agent, nil))
	const theirs = "6f1c2f6e-8f5b-4d5e-9a57-0123456789ab"
	send := func(message, task string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","method":"SendMessage","params":{"message":{"messageId":%q,"role":"ROLE_USER","parts":[{"text":"x"}],"taskId":%q,"contextId":"ctx"}}}`, message, task)
	}
	r.ask(t, "1", send("m1", theirs))
	p := r.answers(t, "1", `"result":{"task":{"id":"`+theirs+`","contextId":"ctx"`)
	assert.NotContains(t, string(p.Payload), "made-1")
	assert.Contains(t, string(p.Payload), `"taskId":"`+theirs+`"`, "of a message in its history")

	r.ask(t, "2", send("m1", theirs)) // a retry: the same payload under another correlation
	r.answers(t, "2", theirs)
	r.ask(t, "3", send("m2", theirs)) // the next turn
	r.answers(t, "3", theirs)
	r.ask(t, "4", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+theirs+`"}}`)
	r.answers(t, "4", `"result":{"id":"`+theirs+`"`)
	agent.mu.Lock()
	assert.Equal(t, 1, agent.made)
	assert.Len(t, agent.tasks["made-1"].GetHistory(), 2)
	agent.mu.Unlock()

	// It refers to the task from another, by its own name for it.
	const next = "6f1c2f6e-8f5b-4d5e-9a57-0123456789ac"
	r.ask(t, "refers", strings.Replace(send("m3", next), `"contextId"`, `"referenceTaskIds":["`+theirs+`","elsewhere"],"contextId"`, 1))
	r.answers(t, "refers", `"referenceTaskIds":["`+theirs+`","elsewhere"]`)
	agent.mu.Lock()
	assert.Equal(t, []string{"made-1", "elsewhere"}, agent.tasks["made-2"].GetHistory()[0].GetReferenceTaskIds())
	agent.mu.Unlock()

	r.ask(t, "5", send("m3", "not-a-uuid"))
	r.answers(t, "5", `"code":-32001`)
	r.ask(t, "6", send("m4", theirs), "a2a-request-id", "ours") // a requester of this binding has no aliases
	r.answers(t, "6", `"code":-32001`)
	r.ask(t, "7", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"made-1"}}`)
	r.answers(t, "7", `"result":{"id":"`+theirs+`"`)
}

// profileAgent answers as EMQ's SDK does.
type profileAgent struct{ *bareClient }

func (a *profileAgent) serve(t testing.TB, stop <-chan struct{}) {
	reply := func(to *paho.Publish, payload string) {
		_, err := a.client.Publish(context.Background(), &paho.Publish{Topic: to.Properties.ResponseTopic, QoS: 1, Payload: []byte(payload),
			Properties: &paho.PublishProperties{CorrelationData: to.Properties.CorrelationData}})
		assert.NoError(t, err)
	}
	status := func(id any, task, state string) string {
		return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %v, "result": {"statusUpdate": {"taskId": %q, "contextId": "c", "status": {"state": %q, "timestamp": "2026-01-02T03:04:05.678901+00:00"}}}}`, id, task, state)
	}
	for {
		var p *paho.Publish
		select {
		case p = <-a.got:
		case <-stop:
			return
		}
		if len(p.Payload) == 0 {
			continue
		}
		var req map[string]any
		if !assert.NoError(t, json.Unmarshal(p.Payload, &req)) {
			return
		}
		params, _ := req["params"].(map[string]any)
		message, _ := params["message"].(map[string]any)
		task, _ := message["taskId"].(string)
		switch {
		case req["method"] == "CancelTask":
			reply(p, status(req["id"], params["id"].(string), "TASK_STATE_CANCELED"))
		case task == "":
			reply(p, `{"jsonrpc": "2.0", "id": "x", "error": {"code": -32005, "message": "Missing required Task.id (message.taskId)", "data": {"a2a_error": "transport_protocol_error"}}}`)
		default:
			reply(p, status(req["id"], task, "TASK_STATE_SUBMITTED"))
			reply(p, status(req["id"], task, "TASK_STATE_WORKING"))
			reply(p, fmt.Sprintf(`{"jsonrpc": "2.0", "id": %v, "result": {"artifactUpdate": {"taskId": %q, "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": "done"}]}, "lastChunk": true}}}`, req["id"], task))
			reply(p, status(req["id"], task, "TASK_STATE_COMPLETED"))
		}
	}
}

// A responder of EMQ's profile is an agent as any, as far as it goes.
func TestProfileResponder(t *testing.T) {
	url := broker(t).URL()
	a := &profileAgent{bareClient: bare(t, url)}
	a.subscribe(t, "$a2a/v1/request/acme/edge/emq")
	c := card("EMQ")
	c.SupportedInterfaces = []*pb.AgentInterface{{Url: url, ProtocolBinding: mqtt.ProfileProtocol, ProtocolVersion: "1.0.0"}}
	text, err := binding.MessagePayload(c).JSON()
	require.NoError(t, err)
	a.send(t, &paho.Publish{Topic: "$a2a/v1/discovery/acme/edge/emq", Retain: true, Payload: text, Properties: &paho.PublishProperties{
		User: paho.UserProperties{{Key: "a2a-status", Value: "online"}}}})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); a.serve(t, stop) }()
	defer func() { close(stop); <-done }()

	client, err := mqtt.Binding{}.Dial(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/emq"})
	require.NoError(t, err)
	defer client.Close()
	ctx := within(t)
	resp, err := client.SendMessage(ctx, nil, message("m"))
	require.NoError(t, err)
	got := resp.GetTask()
	assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, got.GetStatus().GetState())
	assert.Equal(t, "done", got.GetArtifacts()[0].GetParts()[0].GetText())
	assert.Len(t, got.GetId(), 36)

	now := message("m")
	now.Configuration = &pb.SendMessageConfiguration{ReturnImmediately: true}
	resp, err = client.SendMessage(ctx, nil, now)
	require.NoError(t, err)
	assert.Equal(t, pb.TaskState_TASK_STATE_SUBMITTED, resp.GetTask().GetStatus().GetState())

	var kinds []string
	for ev, err := range client.SendStreamingMessage(ctx, nil, message("m")) {
		require.NoError(t, err)
		kinds = append(kinds, fmt.Sprintf("%T", ev.GetPayload())[len("*a2apb.StreamResponse_"):])
	}
	assert.Equal(t, []string{"Task", "StatusUpdate", "ArtifactUpdate", "StatusUpdate"}, kinds)

	canceled, err := client.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: "t"})
	require.NoError(t, err)
	assert.Equal(t, pb.TaskState_TASK_STATE_CANCELED, canceled.GetStatus().GetState())
	_, err = client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t"})
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation)
}
