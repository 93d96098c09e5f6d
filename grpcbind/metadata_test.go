package grpcbind

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/a2awire/a2awire/binding"
)

// C36: keys in any case, all values, and nothing that is gRPC's.
func TestReadParams(t *testing.T) {
	md := metadata.Pairs("A2A-Version", "1.0", "a2a-extensions", "https://ext.example/geo",
		"A2A-Extensions", "https://ext.example/cite, https://ext.example/x", "grpc-timeout", "1S", "authorization", "Bearer x",
		"user-agent", "x", "trace-bin", "\x00", ":authority", "x")
	p := readParams(md)
	assert.Equal(t, binding.Params{"a2a-version": "1.0", "a2a-extensions": "https://ext.example/geo, https://ext.example/cite, https://ext.example/x"}, p)
	assert.Equal(t, []string{"https://ext.example/geo", "https://ext.example/cite", "https://ext.example/x"}, (&binding.Call{Params: p}).Extensions())

	assert.Equal(t, binding.Params{"a": "1", "b": "2"}, readParams(metadata.Pairs("a", "1"), metadata.Pairs("a", "3", "b", "2")))
	assert.Nil(t, readParams(nil, nil))
}

func TestReplyMetadata(t *testing.T) {
	assert.Nil(t, replyMetadata(new(binding.Call)))
	call := &binding.Call{Reply: binding.Params{"x-ok": "1", "x-bad": "a\nb", "content-type": "text/plain"}}
	assert.Equal(t, metadata.MD{"x-ok": {"1"}}, replyMetadata(call))
}

// C36: what no wire can carry is refused before it is sent.
func TestParamsRefused(t *testing.T) {
	s := new(script)
	c := dialed(t, s, nil)
	for key, value := range map[string]string{"x-a": "ü", "x-b": "a\nb", "grpc-timeout": "1S", "x-bin": "1", "Ü": "1"} {
		_, err := c.GetTask(t.Context(), &binding.Call{Params: binding.Params{key: value}}, &pb.GetTaskRequest{Id: "t1"})
		require.ErrorIs(t, err, binding.ErrInvalidParams, key)
	}
	op, _ := s.last()
	assert.Nil(t, op)
}

// generated is the client that protoc makes.
func generated(t *testing.T, addr string) (pb.A2AServiceClient, *grpc.ClientConn) {
	t.Helper()
	cc, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cc.Close()) })
	return pb.NewA2AServiceClient(cc), cc
}

// C36: two entries of one key, from a client that is not ours, and what the
// agent says back.
func TestMetadataOfGeneratedClient(t *testing.T) {
	s := &script{reply: binding.Params{"a2a-extensions": "https://ext.example/geo"}}
	params := &kept{script: s}
	addr := listen(t, func(srv *grpc.Server) { Register(srv, agentOf(params), nil) })
	client, _ := generated(t, addr)
	ctx := metadata.NewOutgoingContext(t.Context(), metadata.Pairs("a2a-version", "1.0",
		"A2A-Extensions", "https://ext.example/geo", "a2a-extensions", "https://ext.example/cite, https://ext.example/x", "authorization", "Bearer s"))
	var header metadata.MD
	_, err := client.GetTask(ctx, &pb.GetTaskRequest{Id: "t1"}, grpc.Header(&header))
	require.NoError(t, err)
	assert.Equal(t, []string{"https://ext.example/geo", "https://ext.example/cite", "https://ext.example/x"}, params.call.Extensions())
	assert.Equal(t, "Bearer s", params.call.Credential.Reveal())
	assert.Contains(t, params.call.Peer, "127.0.0.1:")
	assert.Equal(t, []string{"https://ext.example/geo"}, header["a2a-extensions"])

	_, err = client.GetTask(t.Context(), &pb.GetTaskRequest{Id: "t1"})
	require.Equal(t, codes.FailedPrecondition, status.Code(err), "no version is 0.3")
}
