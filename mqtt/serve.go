package mqtt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/inflight"
)

// Server is an agent that is served at an address. All methods may be called
// at the same time.
type Server struct {
	conn    *Connection
	owned   bool // the connection is closed with the server
	iface   *pb.AgentInterface
	addr    Address
	o       Options
	topics  topics
	in      *binding.Inbound
	log     *journal
	aliases *aliases
	routes  []*route // since the start, under the lock
	status  *status

	life     context.Context // until everything that was begun is given up
	end      context.CancelFunc
	jobs     inflight.Group // one for each call, until its answer is sent
	workers  *inflight.Workers
	draining chan struct{} // closed when streams are only to be sent to their end
	drain    func()
	close    func() error

	refusing atomic.Int64

	mu    sync.Mutex
	calls map[callKey]*call
	count int
}

var _ binding.Server = (*Server)(nil)

// Serve serves an agent at an address on a connection, whose ClientID should be
// that address, and whose Will should be [NewWill] of it. It accepts calls when
// it returns, and has then published the agent's card. The context bounds the
// start alone.
func Serve(ctx context.Context, conn *Connection, address Address, agent binding.Agent, o *Options) (*Server, error) {
	return serve(ctx, conn, address, agent, o, false)
}

// serve is Serve on a connection that may be the server's own.
func serve(ctx context.Context, conn *Connection, address Address, agent binding.Agent, o *Options, owned bool) (*Server, error) {
	opts := o.resolve()
	if _, err := ParseAddress(address.String()); err != nil {
		return nil, err
	}
	if opts.Pool != "" && !validID(opts.Pool) {
		return nil, binding.Errorf(binding.InvalidParams, "mqtt: serve: %q is not the name of a pool", opts.Pool)
	}
	opts.packetBytes = min(opts.packetBytes, conn.o.MaxPacketBytes)
	s := &Server{
		conn: conn, owned: owned, addr: address, o: opts, topics: opts.topics(), log: newJournal(), aliases: newAliases(),
		in:       binding.NewInbound(agent, &opts.Options, binding.CarriesJSON),
		workers:  inflight.NewWorkers(),
		calls:    map[callKey]*call{},
		draining: make(chan struct{}),
		iface:    &pb.AgentInterface{Url: conn.broker.String() + "/" + address.String(), ProtocolBinding: Protocol, ProtocolVersion: binding.Version},
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.close = sync.OnceValue(s.shut)
	s.drain = sync.OnceFunc(func() { close(s.draining) })
	s.status = newStatus(s)
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	// What is retained on a request topic is nobody's request.
	const noRetained = 2
	subscriptions := []*route{{options: paho.SubscribeOptions{Topic: s.topics.request(s.addr)}, topic: s.topics.request(s.addr), alone: true}}
	if s.o.Pool != "" {
		subscriptions = append(subscriptions, &route{
			options: paho.SubscribeOptions{Topic: s.topics.share(s.addr.Org, s.addr.Unit, s.o.Pool)},
			topic:   s.topics.requestPool(s.addr.Org, s.addr.Unit, s.o.Pool),
			alone:   true,
		})
	}
	for _, r := range subscriptions {
		r.options.QoS, r.options.RetainHandling, r.handler = 1, noRetained, s.receive
		if err := s.conn.subscribe(ctx, r); err != nil {
			return err
		}
		s.routes = append(s.routes, r)
	}
	if s.o.Pool != "" {
		if err := s.probePool(ctx); err != nil {
			return err
		}
	}
	return s.status.start(ctx)
}

// Aliases are the other names of the binding that a card should list.
func (s *Server) Aliases() []string { return []string{ProfileProtocol} }

// Interface is the entry for a card.
func (s *Server) Interface() *pb.AgentInterface { return proto.Clone(s.iface).(*pb.AgentInterface) }

// Shutdown stops accepting calls, waits until those in flight have ended, or
// the context has, and then closes the server.
//
// A member of a pool leaves it first: what it would refuse, others take.
func (s *Server) Shutdown(ctx context.Context) error {
	s.leavePool()
	err := s.in.Shutdown(ctx)
	if err == nil {
		s.settle(ctx)
	}
	return errors.Join(err, s.Close())
}

// leavePool ends the subscription to the pool. What the broker has sent by then
// is still executed.
func (s *Server) leavePool() {
	for _, r := range s.take(func(r *route) bool { return strings.HasPrefix(r.options.Topic, "$share/") }) {
		s.conn.withdraw(r)
	}
}

// take takes routes of the server out, for who ends them.
func (s *Server) take(which func(*route) bool) (out []*route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes = slices.DeleteFunc(s.routes, func(r *route) bool {
		if !which(r) {
			return false
		}
		out = append(out, r)
		return true
	})
	return out
}

// Close ends the calls in flight, says at the broker that the agent is offline,
// and waits until what the server started is gone.
func (s *Server) Close() error { return s.close() }

func (s *Server) shut() error {
	_ = s.in.Close()
	// Calls that heed their context still get their answer out.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.in.Shutdown(ctx) == nil {
		s.settle(ctx)
	}
	s.status.stop()
	for _, r := range s.take(func(*route) bool { return true }) {
		s.conn.unsubscribe(r)
	}
	s.jobs.Stop(errDown)
	s.end()
	s.in.Wait()
	s.jobs.WaitGrace()
	s.workers.Close()
	if s.owned {
		return s.conn.Close()
	}
	return nil
}

// settle waits until what was answered is with the broker, or the context ends.
func (s *Server) settle(ctx context.Context) {
	s.drain()
	_ = s.jobs.Wait(ctx)
}

// restored waits until the connection is up. It is the wire of streams.
func (s *Server) restored(ctx context.Context) error {
	_, err := s.conn.await(ctx)
	return err
}

func (s *Server) publish(ctx context.Context, m *message) (ack, error) { return s.conn.publish(ctx, m) }

// send publishes a reply, again when the connection is lost meanwhile, until
// the context ends or that has happened too often.
func (s *Server) send(ctx context.Context, m *message) error {
	for losses := 0; ; {
		a, err := s.conn.publish(ctx, m)
		if err == nil {
			if err = a.wait(ctx); err != nil {
				losses++
			}
		}
		if !errors.Is(err, errLost) || losses >= maxLosses {
			return err
		}
		if _, err := s.conn.await(ctx); err != nil {
			return err
		}
	}
}
