package inproc_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/equivalence"
)

func TestEquivalenceInproc(t *testing.T) {
	equivalence.Run(t, func(t testing.TB, agent binding.Agent) binding.Agent {
		c := inproc.Dial(agent, equivalence.OptionsFor(agent))
		t.Cleanup(func() { _ = c.Close() })
		return c
	})
}

func BenchmarkInproc(b *testing.B) {
	equivalence.RunBenchmarks(b, func(t testing.TB, agent binding.Agent) binding.Agent {
		c := inproc.Dial(agent, equivalence.OptionsFor(agent))
		t.Cleanup(func() { _ = c.Close() })
		return c
	})
}

type agent struct {
	binding.Unimplemented
	send func(context.Context, *pb.SendMessageRequest) (*pb.SendMessageResponse, error)
}

func (a agent) SendMessage(ctx context.Context, _ *binding.Call, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return a.send(ctx, r)
}

func (a agent) SendStreamingMessage(ctx context.Context, _ *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		_, err := a.send(ctx, r)
		yield(nil, err)
	}
}

func request() *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "hi"}}}}}
}

func answer(r *pb.SendMessageRequest) *pb.SendMessageResponse {
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: r.GetMessage()}}
}

type key struct{}

func TestNoStrongerThanAWire(t *testing.T) {
	var kept *pb.SendMessageRequest
	c := inproc.Dial(agent{send: func(ctx context.Context, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		assert.Nil(t, ctx.Value(key{}), "values stay behind")
		_, ok := ctx.Deadline()
		assert.False(t, ok, "so does the deadline, which HTTP does not carry")
		kept = r
		return answer(r), nil
	}}, nil)
	defer func() { require.NoError(t, c.Close()) }()
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "secret"), time.Minute)
	defer cancel()
	mine := request()
	resp, err := c.SendMessage(ctx, nil, mine)
	require.NoError(t, err)
	assert.NotSame(t, mine, kept)
	mine.Message.MessageId = "changed"
	resp.GetMessage().MessageId = "changed, too"
	assert.Equal(t, "m", kept.GetMessage().GetMessageId())
}

func TestCallersOfADeafAgentReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hear := make(chan struct{})
		c := inproc.Dial(agent{send: func(context.Context, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
			<-hear
			return nil, binding.ErrInternal
		}}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.SendMessage(ctx, nil, request())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		for _, err := range c.SendStreamingMessage(ctx, nil, request()) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		began := time.Now()
		require.NoError(t, c.Close())
		assert.LessOrEqual(t, time.Since(began), 11*time.Second, "closing waits for it, but not for ever")
		close(hear)
		synctest.Wait()
	})
}

func TestBinding(t *testing.T) {
	b := inproc.New(nil)
	assert.Equal(t, inproc.Protocol, b.Protocol())
	a := agent{send: func(_ context.Context, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
		return answer(r), nil
	}}
	s, err := b.Serve(t.Context(), &pb.AgentInterface{Tenant: "t"}, a)
	require.NoError(t, err)
	iface := s.Interface()
	assert.NotEmpty(t, iface.GetUrl())
	assert.Equal(t, "1.0", iface.GetProtocolVersion())
	_, err = b.Serve(t.Context(), iface, a)
	require.ErrorContains(t, err, "is taken")
	c, err := b.Dial(t.Context(), iface)
	require.NoError(t, err)
	_, err = c.SendMessage(t.Context(), nil, request())
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(t.Context()))
	_, err = c.SendMessage(t.Context(), nil, request())
	require.ErrorIs(t, err, binding.ErrUnavailable)
	require.NoError(t, c.Close())
	_, err = b.Dial(t.Context(), iface)
	require.ErrorIs(t, err, binding.ErrUnavailable)
}
