package grpcbind

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/a2awire/a2awire/binding"
)

var request = &pb.SendMessageRequest{Message: message("m", "x")}

// D05: leaving a stream ends the agent's context.
func TestLeavingEarly(t *testing.T) {
	s := &endless{script: new(script), ended: make(chan struct{})}
	c := dialed(t, s, nil)
	for ev, err := range c.SendStreamingMessage(t.Context(), nil, request) {
		require.NoError(t, err)
		require.Equal(t, "t1", ev.GetTask().GetId())
		break
	}
	<-s.ended
}

// What is left is released when the loop statement returns.
func TestLeavingReleases(t *testing.T) {
	s := &endless{script: new(script), ended: make(chan struct{})}
	ends := new(ends)
	c := dialed(t, s, &Options{DialOptions: []grpc.DialOption{grpc.WithStatsHandler(ends)}})
	for _, err := range c.SendStreamingMessage(t.Context(), nil, request) {
		require.NoError(t, err)
		break
	}
	assert.EqualValues(t, 1, ends.n.Load())
	<-s.ended
}

// ends counts calls that grpc-go has released.
type ends struct{ n atomic.Int32 }

func (*ends) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (*ends) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (*ends) HandleConn(context.Context, stats.ConnStats)                       {}

func (e *ends) HandleRPC(_ context.Context, s stats.RPCStats) {
	if _, ok := s.(*stats.End); ok {
		e.n.Add(1)
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	s := &endless{script: new(script), ended: make(chan struct{})}
	c := dialed(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range c.SendStreamingMessage(ctx, nil, request) {
		last = err
		cancel()
	}
	require.ErrorIs(t, last, context.Canceled)
	assert.False(t, binding.Flatten(last).Remote)
	<-s.ended
}

// Closing either end fails the stream with Unavailable; it is never a clean end.
func TestStreamEndsWithItsServer(t *testing.T) {
	s := &endless{script: new(script), ended: make(chan struct{})}
	srv, err := Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: "127.0.0.1:0"}, agentOf(s))
	require.NoError(t, err)
	c, err := Dial(t.Context(), srv.Interface().GetUrl(), nil)
	require.NoError(t, err)
	closed := make(chan error, 1)
	var last error
	for _, err := range c.SendStreamingMessage(t.Context(), nil, request) {
		if last = err; err == nil {
			go func() { closed <- srv.Close() }()
		}
	}
	require.ErrorIs(t, last, binding.ErrUnavailable)
	require.NoError(t, <-closed)
	require.NoError(t, c.Close())
}

// A connection that is cut is never a clean end (C22).
func TestLostStream(t *testing.T) {
	s := &endless{script: new(script), ended: make(chan struct{})}
	p := newProxy(t, serve(t, agentOf(s), nil))
	c, err := Dial(t.Context(), p.addr(), nil)
	require.NoError(t, err)
	var last error
	for _, err := range c.SendStreamingMessage(t.Context(), nil, request) {
		if last = err; err == nil {
			p.cut()
		}
	}
	require.ErrorIs(t, last, binding.ErrUnavailable)
	assert.False(t, binding.Flatten(last).Remote)
	<-s.ended
	require.NoError(t, c.Close())
}

// proxy passes one connection on, until it is cut.
type proxy struct {
	l     net.Listener
	conns chan net.Conn
	done  chan struct{}
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{l: l, conns: make(chan net.Conn, 2), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := new(net.Dialer).Dial("tcp", to)
		if err != nil {
			return
		}
		p.conns <- in
		p.conns <- out
		back := make(chan struct{})
		go func() { defer close(back); _, _ = io.Copy(in, out) }()
		_, _ = io.Copy(out, in)
		<-back
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-p.done
	})
	return p
}

func (p *proxy) addr() string { return p.l.Addr().String() }

func (p *proxy) cut() {
	_ = p.l.Close()
	_ = (<-p.conns).Close()
	_ = (<-p.conns).Close()
}
