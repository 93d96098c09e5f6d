package grpcbind

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/a2awire/a2awire/binding"
)

func TestBinding(t *testing.T) {
	s := new(script)
	b := Binding{}
	srv, err := b.Serve(t.Context(), &pb.AgentInterface{Url: "grpc://127.0.0.1:0", Tenant: "acme"}, agentOf(s))
	require.NoError(t, err)
	iface := srv.Interface()
	assert.Equal(t, "GRPC", iface.GetProtocolBinding())
	assert.Equal(t, "1.0", iface.GetProtocolVersion())
	assert.Regexp(t, `^127\.0\.0\.1:[1-9]`, iface.GetUrl())

	c, err := binding.NewRegistry(b).Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface}})
	require.NoError(t, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
	require.NoError(t, err)
	_, req := s.last()
	assert.Equal(t, "acme", req.(*pb.GetTaskRequest).GetTenant())

	require.NoError(t, srv.Shutdown(context.Background()))
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
	require.ErrorIs(t, err, binding.ErrUnavailable)
	require.NoError(t, c.Close())
	_, err = b.Dial(t.Context(), iface)
	require.ErrorIs(t, err, binding.ErrUnavailable)
	assert.ErrorContains(t, err, "grpcbind: dial: ")
	assert.ErrorContains(t, err, "refused")
	require.NoError(t, srv.Close())
}

// A peer that accepts and says nothing is given up when the context ends.
func TestDialSilentPeer(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, _ := l.Accept()
		accepted <- conn
		cancel()
	}()
	_, err = Binding{}.Dial(ctx, &pb.AgentInterface{Url: l.Addr().String()})
	require.ErrorIs(t, err, binding.ErrCanceled)
	require.ErrorContains(t, err, "grpcbind: dial: context canceled")
	require.NoError(t, (<-accepted).Close())
}

func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestTLS(t *testing.T) {
	cert, pool := certificate(t)
	server := Binding{Options{Options: binding.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}}}
	srv, err := server.Serve(t.Context(), &pb.AgentInterface{Url: "https://127.0.0.1:0"}, agentOf(new(script)))
	require.NoError(t, err)
	defer func() { require.NoError(t, srv.Close()) }()

	trusting := Binding{Options{Options: binding.Options{TLS: &tls.Config{RootCAs: pool}}}}
	c, err := trusting.Dial(t.Context(), srv.Interface())
	require.NoError(t, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
	require.NoError(t, err)
	require.NoError(t, c.Close())

	_, err = Binding{}.Dial(t.Context(), srv.Interface())
	require.ErrorIs(t, err, binding.ErrUnavailable)
	require.ErrorContains(t, err, "certificate")
}

func TestServeRefuses(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	for _, url := range []string{"", "ftp://127.0.0.1:0", "grpcs://127.0.0.1:0", "0.0.0.0:0", l.Addr().String()} {
		_, err := Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url}, agentOf(new(script)))
		require.ErrorContains(t, err, "grpcbind: serve: ", url)
	}
}

// Methods that are none: the version comes first.
func TestUnknownMethod(t *testing.T) {
	_, cc := generated(t, serve(t, agentOf(new(script)), nil))
	for _, method := range []string{"/lf.a2a.v1.A2AService/getTask", "/lf.a2a.v1.A2AService/Nothing", "/a2a.v1.A2AService/GetTask"} {
		err := cc.Invoke(t.Context(), method, new(emptypb.Empty), new(emptypb.Empty))
		assert.Equal(t, codes.FailedPrecondition, status.Code(err), method)
		ctx := metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0")
		err = cc.Invoke(ctx, method, new(emptypb.Empty), new(emptypb.Empty))
		assert.ErrorIs(t, readError(ctx, err, 1), binding.ErrMethodNotFound, method)
	}
}

// A command registers reflection and health; reflection finds the messages.
func TestOnServe(t *testing.T) {
	o := &Options{OnServe: func(s *grpc.Server) {
		reflection.Register(s)
		healthpb.RegisterHealthServer(s, health.NewServer())
	}}
	_, cc := generated(t, serve(t, agentOf(new(script)), o))
	h, err := healthpb.NewHealthClient(cc).Check(t.Context(), new(healthpb.HealthCheckRequest))
	require.NoError(t, err)
	assert.Equal(t, healthpb.HealthCheckResponse_SERVING, h.GetStatus())

	stream, err := reflectionpb.NewServerReflectionClient(cc).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "lf.a2a.v1.A2AService"},
	}))
	resp, err := stream.Recv()
	require.NoError(t, err)
	files := resp.GetFileDescriptorResponse().GetFileDescriptorProto()
	require.NotEmpty(t, files, "%v", resp)
	fd := new(descriptorpb.FileDescriptorProto)
	require.NoError(t, proto.Unmarshal(files[0], fd))
	assert.Equal(t, serviceDesc.Metadata, fd.GetName())
	require.NoError(t, stream.CloseSend())
}
