package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestBinding(t *testing.T) {
	s := &script{events: []*pb.StreamResponse{taskEvent("t1")}}
	b := Binding{}
	srv, err := b.Serve(t.Context(), &pb.AgentInterface{Url: "http://127.0.0.1:0/agents/one/", Tenant: "acme"}, s.agent())
	require.NoError(t, err)
	iface := srv.Interface()
	assert.Equal(t, "HTTP+JSON", iface.GetProtocolBinding())
	assert.Equal(t, "1.0", iface.GetProtocolVersion())

	c, err := binding.NewRegistry(b).Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface}})
	require.NoError(t, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "a/b"})
	require.NoError(t, err)
	_, req := s.last()
	assert.Equal(t, "acme", req.(*pb.GetTaskRequest).GetTenant())
	_, err = collect(c.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t1"}))
	require.NoError(t, err)
	require.NoError(t, c.Close())

	require.NoError(t, srv.Shutdown(context.Background()))
	_, err = b.Dial(t.Context(), iface)
	require.ErrorIs(t, err, binding.ErrUnavailable)
	assert.ErrorContains(t, err, "rest: dial: ")
}

func TestBindingTLS(t *testing.T) {
	// For its certificate alone.
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	pool := x509.NewCertPool()
	pool.AddCert(other.Certificate())
	o := Options{Options: binding.Options{TLS: &tls.Config{Certificates: other.TLS.Certificates, RootCAs: pool}}}
	srv, err := Binding{o}.Serve(t.Context(), &pb.AgentInterface{Url: "https://127.0.0.1:0"}, new(script).agent())
	require.NoError(t, err)
	defer func() { require.NoError(t, srv.Close()) }()

	c, err := Binding{o}.Dial(t.Context(), srv.Interface())
	require.NoError(t, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
	require.NoError(t, err)
	require.NoError(t, c.Close())

	c, err = Dial(t.Context(), srv.Interface().GetUrl(), nil)
	require.NoError(t, err)
	_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
	require.ErrorIs(t, err, binding.ErrUnavailable, "the certificate is of no known authority")
	require.NoError(t, c.Close())
}

func TestServeRefuses(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	for _, url := range []string{"", "grpc://127.0.0.1:0", "https://127.0.0.1:0", "http://" + l.Addr().String()} {
		_, err := Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url}, new(script).agent())
		require.ErrorContains(t, err, "rest: serve: ", url)
	}
}
