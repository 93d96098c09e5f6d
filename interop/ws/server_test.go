//go:build interop

package ws_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/ws"
)

// Our client with a server of the proposal, which sees the proposal alone.
func TestForeignServer(t *testing.T) {
	url, end := proposalServer(t)
	for _, c := range []struct {
		name string
		talk func(*testing.T, string)
	}{
		{"operations", foreignOperations},
		{"handshake", foreignHandshake},
		{"streams", foreignStreams},
		{"errors", foreignErrors},
		{"closes", foreignCloses},
		{"reauthentication", foreignReauthentication},
	} {
		t.Run(c.name, func(t *testing.T) { c.talk(t, url) })
	}
	v := end()
	assert.Empty(t, v.Violations, "the client sent frames that the proposal does not have")
	assert.Equal(t, 1, v.Canceled, "streams that were left")
}

// foreignOperations are the nine with one answer.
func foreignOperations(t *testing.T, url string) {
	ctx, c := within(t), dial(t, url, nil)
	resp, err := c.SendMessage(ctx, nil, sent(leg.Unicode))
	require.NoError(t, err)
	assert.Equal(t, leg.Unicode, leg.Text(resp.GetMessage().GetParts()))
	task, err := c.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-7"})
	require.NoError(t, err)
	assert.Equal(t, "t-7", task.GetId())
	task, err = c.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: "t-7"})
	require.NoError(t, err)
	assert.Equal(t, pb.TaskState_TASK_STATE_CANCELED, task.GetStatus().GetState())
	tasks, err := c.ListTasks(ctx, nil, &pb.ListTasksRequest{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, tasks.GetTotalSize())
	hook := &pb.TaskPushNotificationConfig{TaskId: "t-7", Id: "p-1", Url: "https://hooks.example/a2a"}
	config, err := c.CreateTaskPushNotificationConfig(ctx, nil, hook)
	require.NoError(t, err)
	assert.Equal(t, "p-1", config.GetId())
	config, err = c.GetTaskPushNotificationConfig(ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t-7", Id: "p-1"})
	require.NoError(t, err)
	assert.Equal(t, hook.GetUrl(), config.GetUrl())
	configs, err := c.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t-7"})
	require.NoError(t, err)
	assert.Len(t, configs.GetConfigs(), 1)
	_, err = c.DeleteTaskPushNotificationConfig(ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t-7", Id: "p-1"})
	require.NoError(t, err)
	card, err := c.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{})
	require.NoError(t, err)
	assert.Equal(t, "proposal", card.GetName())
}

// foreignHandshake is what a connection is opened with, by dialect and credential.
func foreignHandshake(t *testing.T, url string) {
	for _, c := range []struct {
		o          *ws.Options
		credential binding.Credential
		want       map[string]string
	}{
		{nil, "", map[string]string{"offered": "a2a.v1.flow,a2a.v1", "version": "1.0"}},
		{nil, "Bearer one", map[string]string{"offered": "a2a.v1.flow,a2a.v1", "version": "1.0", "authorization": "Bearer one"}},
		{&ws.Options{Proposal: true}, "", map[string]string{"offered": "a2a.v1", "version": "1.0"}},
	} {
		resp, err := dial(t, url, c.o).SendMessage(within(t), &binding.Call{Credential: c.credential}, sent("handshake"))
		require.NoError(t, err)
		var got map[string]string
		require.NoError(t, json.Unmarshal([]byte(leg.Text(resp.GetMessage().GetParts())), &got))
		assert.Equal(t, c.want, got)
	}
}

// foreignStreams are streams to their end, on a connection of their own or on
// the shared one, and one that is left.
func foreignStreams(t *testing.T, url string) {
	for name, o := range map[string]*ws.Options{
		"own":      {},
		"shared":   {SharedStreams: true, Window: 2000},
		"proposal": {Proposal: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := collect(dial(t, url, o).SendStreamingMessage(within(t), nil, sent("stream 1000")))
			require.NoError(t, err)
			assert.Equal(t, chunks(1000), got)
			got, err = collect(dial(t, url, o).SubscribeToTask(within(t), nil, &pb.SubscribeToTaskRequest{Id: "t-1"}))
			require.NoError(t, err)
			assert.Equal(t, []string{"task TASK_STATE_WORKING", done}, got)
		})
	}
	t.Run("left", func(t *testing.T) {
		c := dial(t, url, &ws.Options{SharedStreams: true})
		n := 0
		for _, err := range c.SendStreamingMessage(within(t), nil, sent("hold")) {
			require.NoError(t, err)
			if n++; n == 2 {
				break
			}
		}
		task, err := c.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
		require.NoError(t, err, "its neighbours go on")
		assert.Equal(t, "t-1", task.GetId())
	})
}

// foreignErrors are those that the agent says, in place of an answer and in a stream.
func foreignErrors(t *testing.T, url string) {
	c := dial(t, url, nil)
	_, err := c.SendMessage(within(t), nil, sent("refuse"))
	remote(t, err)
	got, err := collect(c.SendStreamingMessage(within(t), nil, sent("refuse")))
	remote(t, err)
	assert.Equal(t, []string{submitted, working}, got)
	_, err = c.SendMessage(within(t), nil, sent("version"))
	assert.Equal(t, binding.VersionNotSupported, binding.CodeOf(err))
	assert.True(t, binding.Flatten(err).Remote)
}

// remote is the error that the server gives, in its words.
func remote(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	e := binding.Flatten(err)
	assert.Equal(t, binding.UnsupportedOperation, e.Code)
	assert.Equal(t, "the agent will not", e.Message)
	assert.Equal(t, "by hand", e.Info().GetMetadata()["said"])
	assert.True(t, e.Remote)
}

// foreignCloses are connections that end, each with a call and a stream in flight.
func foreignCloses(t *testing.T, url string) {
	for _, c := range []struct {
		text string
		code binding.Code
		says string
	}{
		{"close 1000", binding.Unavailable, "closed with 1000, as asked"},
		{"close 1001", binding.Unavailable, "closed with 1001, as asked"},
		{"close 1002", binding.Unavailable, "closed with 1002, as asked"},
		{"close 1008", binding.ResourceExhausted, "closed with 1008, as asked"},
		{"close 1009", binding.ResourceExhausted, "closed with 1009, as asked"},
		{"close 1011", binding.Unavailable, "closed with 1011, as asked"},
		{"close 1013", binding.Unavailable, "closed with 1013, as asked"},
		{"close 4000", binding.Unavailable, "closed with 4000, as asked"},
		{"close 4001", binding.Unauthenticated, "closed with 4001, as asked"},
		{"close 4002", binding.VersionNotSupported, "closed with 4002, as asked"},
		{"vanish", binding.Unavailable, "the connection was lost"},
		{"garbage", binding.InvalidAgentResponse, "text that is not a response"},
	} {
		t.Run(c.text, func(t *testing.T) {
			client := dial(t, url, &ws.Options{SharedStreams: true})
			next, stop := iter.Pull2(client.SendStreamingMessage(within(t), nil, sent("hold")))
			defer stop()
			for range 2 {
				_, err, _ := next()
				require.NoError(t, err)
			}
			_, err := client.SendMessage(within(t), nil, sent(c.text))
			cutOff(t, c.code, c.says, err)
			_, err, _ = next()
			cutOff(t, c.code, c.says, err)
			got, err := collect(client.SendStreamingMessage(within(t), nil, sent(c.text)))
			cutOff(t, c.code, c.says, err)
			assert.Equal(t, []string{submitted, working}, got, "what came before is not lost")
			_, err = client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t-1"})
			assert.NoError(t, err, "the client dials again when it next calls")
		})
	}
}

// cutOff is the error of a call whose connection was closed. No agent said so.
func cutOff(t *testing.T, code binding.Code, says string, err error) {
	t.Helper()
	require.Error(t, err)
	assert.Equal(t, code, binding.CodeOf(err))
	assert.ErrorContains(t, err, says)
	assert.False(t, binding.Flatten(err).Remote)
}

// foreignReauthentication is a server that asks for a new credential.
func foreignReauthentication(t *testing.T, url string) {
	c := dial(t, url, &ws.Options{Reauthenticate: func(context.Context) (binding.Credential, error) { return "Bearer anew", nil }})
	task, err := c.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "reauthenticate"})
	require.NoError(t, err)
	assert.Equal(t, "Bearer anew", task.GetId())
}

// sent is a request with a text.
func sent(text string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: "m-1", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}},
	}}
}

// dial is our client, until the test ends.
func dial(t *testing.T, url string, o *ws.Options) binding.Client {
	t.Helper()
	c, err := ws.Dial(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// within bounds what a test waits for.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 15*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// collect is the shapes of a stream's events, and how it ended.
func collect(stream func(func(*pb.StreamResponse, error) bool)) (shapes []string, err error) {
	for ev, err := range stream {
		if err != nil {
			return shapes, err
		}
		shapes = append(shapes, leg.Shape(ev))
	}
	return shapes, nil
}
