package mqtt_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// member is one instance of an agent: its tasks are its own.
type member struct {
	binding.Unimplemented
	name  string
	asked atomic.Int64
}

func (m *member) task() *pb.Task {
	return &pb.Task{Id: "task of " + m.name, ContextId: "c", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}
}

func (m *member) SendMessage(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	m.asked.Add(1)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: m.task()}}, nil
}

func (m *member) GetTask(_ context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	if r.GetId() != m.task().GetId() {
		return nil, binding.ErrTaskNotFound
	}
	return m.task(), nil
}

func (m *member) SendStreamingMessage(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		for range 200 {
			if !yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: m.task()}}, nil) {
				return
			}
		}
	}
}

// A pool shares new messages, and keeps what belongs to a task with its member.
func TestPool(t *testing.T) {
	url := broker(t).URL()
	var all [3]*member
	for i := range all {
		m := &member{name: string(rune('a' + i))}
		all[i] = m
		s, err := mqtt.Binding{Options: mqtt.Options{Pool: "workers"}}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/" + m.name}, m)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
	}
	client, err := mqtt.Binding{}.Dial(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/pool/workers"})
	require.NoError(t, err)
	defer client.Close()
	ctx := within(t)
	const calls = 60
	for range calls {
		resp, err := client.SendMessage(ctx, nil, message("m"))
		require.NoError(t, err)
		got, err := client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: resp.GetTask().GetId()})
		require.NoError(t, err)
		assert.Equal(t, resp.GetTask().GetId(), got.GetId())
	}
	sum := int64(0)
	for _, m := range all {
		assert.Positive(t, m.asked.Load(), "member %s", m.name)
		sum += m.asked.Load()
	}
	assert.Equal(t, int64(calls), sum, "each is executed once")
	// More than a window: the credits find the member.
	n := 0
	for _, err := range client.SendStreamingMessage(ctx, nil, message("m")) {
		require.NoError(t, err)
		n++
	}
	assert.Equal(t, 200, n)
}

// A member that drains gets no more of the pool's requests.
func TestPoolMemberDrains(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(0)
	first, err := mqtt.Binding{Options: mqtt.Options{Pool: "workers"}}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/a"}, agent)
	require.NoError(t, err)
	direct, err := mqtt.Dial(t.Context(), first.Interface().GetUrl(), nil)
	require.NoError(t, err)
	defer direct.Close()
	ctx := within(t)
	held := make(chan error)
	go func() {
		_, err := direct.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1"})
		held <- err
	}()
	<-agent.begun
	m := &member{name: "b"}
	second, err := mqtt.Binding{Options: mqtt.Options{Pool: "workers"}}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/b"}, m)
	require.NoError(t, err)
	defer func() { assert.NoError(t, second.Close()) }()
	down := make(chan error, 1)
	go func() { down <- first.Shutdown(ctx) }()
	require.Eventually(t, func() bool { // until it refuses what is its own
		_, err := direct.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{})
		return errors.Is(err, binding.ErrUnavailable)
	}, connectSoon, tick)
	pool, err := mqtt.Dial(t.Context(), url+"/acme/edge/pool/workers", nil)
	require.NoError(t, err)
	defer pool.Close()
	for range 20 {
		_, err := pool.SendMessage(ctx, nil, message("m"))
		require.NoError(t, err)
	}
	assert.Equal(t, int64(20), m.asked.Load())
	close(agent.goOn)
	require.NoError(t, <-held)
	require.NoError(t, <-down)
}

// A member that takes a request and dies is noticed.
func TestPoolMemberDies(t *testing.T) {
	url := broker(t).URL()
	started := make(chan struct{})
	s, err := mqtt.Binding{Options: mqtt.Options{Pool: "workers"}}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/a"}, waiting{started: started})
	require.NoError(t, err)
	client, err := mqtt.Dial(t.Context(), url+"/acme/edge/pool/workers", nil)
	require.NoError(t, err)
	defer client.Close()
	go func() {
		<-started
		assert.NoError(t, s.Close())
	}()
	_, err = client.GetTask(within(t), nil, &pb.GetTaskRequest{Id: "t"})
	require.ErrorIs(t, err, binding.ErrUnavailable)
}

// waiting is an agent that answers when its context ends.
type waiting struct {
	binding.Unimplemented
	started chan struct{}
}

func (w waiting) GetTask(ctx context.Context, _ *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
	close(w.started)
	<-ctx.Done()
	return nil, ctx.Err()
}
