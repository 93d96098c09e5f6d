package inproc

import (
	"context"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

type server struct {
	b     *Binding
	iface *pb.AgentInterface
	in    *binding.Inbound
}

// Serve serves an agent under the interface's URL, or a new one if it has none.
func (b *Binding) Serve(_ context.Context, iface *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bound := proto.Clone(iface).(*pb.AgentInterface)
	if bound.Url == "" {
		b.next++
		bound.Url = fmt.Sprintf("inproc:%d", b.next)
	}
	if _, ok := b.servers[bound.Url]; ok {
		return nil, fmt.Errorf("inproc: serve: %q is taken", bound.Url)
	}
	bound.ProtocolBinding, bound.ProtocolVersion = Protocol, binding.Version
	s := &server{b: b, iface: bound, in: binding.NewInbound(agent, b.o)}
	b.servers[bound.Url] = s
	return s, nil
}

func (s *server) Interface() *pb.AgentInterface { return proto.Clone(s.iface).(*pb.AgentInterface) }

func (s *server) leave() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.b.servers[s.iface.GetUrl()] == s {
		delete(s.b.servers, s.iface.GetUrl())
	}
}

func (s *server) Shutdown(ctx context.Context) error {
	s.leave()
	err := s.in.Shutdown(ctx)
	s.in.Wait()
	return err
}

func (s *server) Close() error {
	s.leave()
	_ = s.in.Close()
	s.in.Wait()
	return nil
}
