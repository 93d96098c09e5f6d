package catalogue_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"iter"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
	"github.com/a2awire/a2awire/refagent"
)

// certificate is one for 127.0.0.1, and the pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func say(text string) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}}
}

func newAgent(t *testing.T) *refagent.Agent {
	a := refagent.New(nil)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// Every binding speaks TLS, through Options alone, and refuses who it cannot trust.
func TestTLS(t *testing.T) {
	cert, pool := certificate(t)
	for _, e := range catalogue.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			url := e.Scheme + "s://127.0.0.1:0"
			if e.Broker != nil {
				url = e.Scheme + "s://" + secured(t, e, cert)
			}
			s, err := e.Make(binding.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: pool}}).
				Serve(t.Context(), &pb.AgentInterface{Url: url}, newAgent(t))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			assert.True(t, strings.HasPrefix(s.Interface().GetUrl(), e.Scheme+"s://"))
			c, err := e.Make(binding.Options{TLS: &tls.Config{RootCAs: pool}}).Dial(t.Context(), s.Interface())
			require.NoError(t, err)
			resp, err := c.SendMessage(t.Context(), nil, say("hello"))
			require.NoError(t, err)
			assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, resp.GetTask().GetStatus().GetState())
			n := 0
			for _, err := range c.SendStreamingMessage(t.Context(), nil, say("stream 3")) {
				require.NoError(t, err)
				n++
			}
			assert.Equal(t, 6, n)
			require.NoError(t, c.Close())

			c, err = e.Make(binding.Options{}).Dial(t.Context(), s.Interface())
			if err == nil {
				_, err = c.SendMessage(t.Context(), nil, say("hello"))
				require.NoError(t, c.Close())
			}
			require.ErrorIs(t, err, binding.ErrUnavailable, "the system's roots do not know this certificate")
		})
	}
}

// loopback is where an entry can be served.
func loopback(t *testing.T, e catalogue.Entry) string {
	url, stop, err := e.Loopback()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, stop()) })
	return url
}

// path is what an address needs behind its host and port.
func path(e catalogue.Entry) string {
	if e.Broker != nil {
		return "/org/unit/agent"
	}
	return ""
}

// secured is a broker behind a proxy that speaks TLS: its host and port.
func secured(t *testing.T, e catalogue.Entry, cert tls.Certificate) string {
	broker := strings.TrimPrefix(loopback(t, e), e.Scheme+"://")
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	require.NoError(t, err)
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			front, err := l.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial("tcp", broker)
			if err != nil {
				_ = front.Close()
				return
			}
			wg.Go(func() { _, _ = io.Copy(back, front); _ = back.Close() })
			wg.Go(func() { _, _ = io.Copy(front, back); _ = front.Close() })
		}
	})
	return l.Addr().String()
}

// A card's next interface is used when the first cannot be reached, whatever
// the two are, and the tenant of the one that is used goes on every request.
func TestDialFallsBack(t *testing.T) { // spec 5.2, 8.3.2
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := l.Addr().String()
	require.NoError(t, l.Close())
	for _, dead := range catalogue.Entries() {
		for _, live := range catalogue.Entries() {
			t.Run(dead.Name+" then "+live.Name, func(t *testing.T) {
				s, err := live.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: loopback(t, live), Tenant: "acme"}, newAgent(t))
				require.NoError(t, err)
				defer func() { require.NoError(t, s.Close()) }()
				c, err := catalogue.Registry(binding.Options{}).Dial(t.Context(), &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{
					{Url: dead.Scheme + "://" + nobody + path(dead), ProtocolBinding: dead.Protocol(), ProtocolVersion: "1.0", Tenant: "wrong"}, s.Interface(),
				}})
				require.NoError(t, err)
				defer func() { require.NoError(t, c.Close()) }()
				resp, err := c.SendMessage(t.Context(), nil, say("mirror"))
				require.NoError(t, err)
				data := resp.GetTask().GetArtifacts()[0].GetParts()[0].GetData().GetStructValue()
				assert.Equal(t, "acme", data.GetFields()["tenant"].GetStringValue())
			})
		}
	}
}

// Dialling that ends with its context says so, and not that nobody was there.
func TestDialEndsWithItsContext(t *testing.T) {
	expired, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for _, e := range catalogue.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			var work sync.WaitGroup
			defer work.Wait()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = l.Close() }()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			work.Go(func() { // takes connections, and says nothing
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					defer c.Close()
					leave()
				}
			})
			iface := &pb.AgentInterface{Url: e.Scheme + "://" + l.Addr().String() + path(e), ProtocolBinding: e.Protocol(), ProtocolVersion: "1.0"}
			b := e.Make(binding.Options{})
			_, err = b.Dial(expired, iface)
			require.ErrorIs(t, err, binding.ErrDeadlineExceeded)
			_, err = catalogue.Registry(binding.Options{}).Dial(expired, &pb.AgentCard{SupportedInterfaces: []*pb.AgentInterface{iface}})
			require.ErrorIs(t, err, binding.ErrDeadlineExceeded)
			c, err := b.Dial(ctx, iface)
			if e.Scheme == "http" && err == nil { // a connection is all that it asks for
				require.NoError(t, c.Close())
				return
			}
			require.ErrorIs(t, err, binding.ErrCanceled)
		})
	}
}

// What gRPC's tools expect beside an agent.
func TestHealthAndReflection(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if e.Protocol() != "GRPC" {
			continue
		}
		s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: "grpc://127.0.0.1:0"}, newAgent(t))
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		cc, err := grpc.NewClient(strings.TrimPrefix(s.Interface().GetUrl(), "grpc://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		defer func() { require.NoError(t, cc.Close()) }()
		h, err := healthpb.NewHealthClient(cc).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "lf.a2a.v1.A2AService"})
		require.NoError(t, err)
		assert.Equal(t, healthpb.HealthCheckResponse_SERVING, h.GetStatus())
		r, err := reflectionpb.NewServerReflectionClient(cc).ServerReflectionInfo(t.Context())
		require.NoError(t, err)
		require.NoError(t, r.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "lf.a2a.v1.A2AService.SendMessage"}}))
		got, err := r.Recv()
		require.NoError(t, err)
		assert.NotEmpty(t, got.GetFileDescriptorResponse().GetFileDescriptorProto())
		require.NoError(t, r.CloseSend())
	}
}

// stubborn streams on, whether anybody wants more or not.
type stubborn struct {
	binding.Unimplemented
	stopped chan struct{}
}

func (a stubborn) SendStreamingMessage(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		defer func() { a.stopped <- struct{}{} }()
		for {
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: &pb.Task{Id: "t", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}}}, nil)
		}
	}
}

// An agent that goes on after its stream was left is stopped, and takes nothing
// else down, on any wire.
func TestAgentThatGoesOn(t *testing.T) {
	for _, e := range catalogue.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			a := stubborn{stopped: make(chan struct{}, 1)}
			s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: loopback(t, e)}, a)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			c, err := e.Make(binding.Options{}).Dial(t.Context(), s.Interface())
			require.NoError(t, err)
			defer func() { require.NoError(t, c.Close()) }()
			for _, err := range c.SendStreamingMessage(t.Context(), nil, say("x")) {
				require.NoError(t, err)
				break
			}
			<-a.stopped
			_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t"})
			require.ErrorIs(t, err, binding.ErrUnsupportedOperation, "the server goes on")
		})
	}
}

// credentialOf tells the credential that an agent is called with.
type credentialOf struct {
	binding.Unimplemented
	saw chan string
}

func (a credentialOf) GetTask(_ context.Context, call *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	a.saw <- call.Credential.Reveal()
	return &pb.Task{Id: r.GetId(), Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_COMPLETED}}, nil
}

// A dialed agent that is served as it is does not get its callers' credentials.
func TestServedClientGetsNoCredentials(t *testing.T) {
	for _, e := range catalogue.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			agent := credentialOf{saw: make(chan string, 1)}
			client := behind(t, e, agent)
			for _, served := range []binding.Client{client, binding.Resume(client, nil)} {
				front := behind(t, e, served)
				_, err := front.GetTask(t.Context(), &binding.Call{Credential: "Bearer secret"}, &pb.GetTaskRequest{Id: "t"})
				require.NoError(t, err)
				assert.Empty(t, <-agent.saw)
			}
			_, err := client.GetTask(t.Context(), &binding.Call{Credential: "Bearer secret"}, &pb.GetTaskRequest{Id: "t"})
			require.NoError(t, err)
			assert.Equal(t, "Bearer secret", <-agent.saw, "of its own caller")
		})
	}
}

// behind is a client of an agent that is served on a binding.
func behind(t *testing.T, e catalogue.Entry, agent binding.Agent) binding.Client {
	t.Helper()
	url, stop, err := e.Loopback()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, stop()) })
	s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: url}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	c, err := e.Make(binding.Options{}).Dial(t.Context(), s.Interface())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}
