package grpcbind

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// Serve serves an agent at an address: see the package's comment. One that is
// secure needs a certificate in Options.TLS.
func (b Binding) Serve(ctx context.Context, iface *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	o := b.Options.resolve()
	a, err := parseAddress(iface.GetUrl())
	if err != nil {
		return nil, fmt.Errorf("grpcbind: serve: %w", err)
	}
	s := &server{in: binding.NewInbound(agent, &o.Options), done: make(chan error, 1)}
	svc := &service{s.in}
	opts := append(ServerOptions(&o), grpc.UnknownServiceHandler(svc.unknown))
	if a.secure {
		if o.TLS == nil {
			return nil, fmt.Errorf("grpcbind: serve: %s needs Options.TLS with a certificate; grpc:// is without", a)
		}
		opts = append(opts, grpc.Creds(credentials.NewTLS(o.TLS.Clone())))
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", a.hostPort())
	if err != nil {
		return nil, fmt.Errorf("grpcbind: serve: %w", err)
	}
	_, a.port, _ = net.SplitHostPort(l.Addr().String())
	s.iface = proto.Clone(iface).(*pb.AgentInterface)
	s.iface.Url, s.iface.ProtocolBinding, s.iface.ProtocolVersion = a.shown(), Protocol, binding.Version

	s.grpc = grpc.NewServer(append(opts, o.ServeOptions...)...)
	s.grpc.RegisterService(&serviceDesc, svc)
	if o.OnServe != nil {
		o.OnServe(s.grpc)
	}
	go func() { s.done <- s.grpc.Serve(l) }()
	return s, nil
}

// server is a binding.Server with a grpc.Server of its own.
type server struct {
	iface *pb.AgentInterface
	in    *binding.Inbound
	grpc  *grpc.Server
	done  chan error
}

// Interface is the entry for a card, with the port that was bound.
func (s *server) Interface() *pb.AgentInterface { return proto.Clone(s.iface).(*pb.AgentInterface) }

// Shutdown waits for calls in flight until the context ends.
func (s *server) Shutdown(ctx context.Context) error {
	err := s.in.Shutdown(ctx)
	if err == nil {
		s.drain(ctx)
	}
	return errors.Join(err, s.Close())
}

// Close ends calls in flight and waits until what the server started is gone.
func (s *server) Close() error {
	_ = s.in.Close()
	// Calls that heed their context still get their answer out.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.in.Shutdown(ctx) == nil {
		s.drain(ctx)
	}
	s.grpc.Stop()
	s.in.Wait()
	err, ok := <-s.done
	if ok {
		close(s.done)
	}
	if errors.Is(err, grpc.ErrServerStopped) {
		return nil // closed before it began
	}
	return err
}

// drain lets what was answered reach its clients, until the context ends.
func (s *server) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.grpc.GracefulStop()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.grpc.Stop()
		<-done
	}
}
