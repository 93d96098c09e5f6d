package bridge

import (
	"context"
	"errors"
	"iter"
	"log/slog"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
)

// Options are those of a relay. Nil is fine.
type Options struct {
	// Card is the upstream's card as it is now. It tells which service
	// parameters are API keys. It may be nil, or give nil.
	Card func() *pb.AgentCard
	// Front is what the bridge serves: the extended card shows it in place of the
	// upstream's interfaces. Nil passes the extended card as it is, addresses
	// and all; [Bridge] sets it.
	Front func() []*pb.AgentInterface
	// ForwardCredentials sends the caller's credential to the upstream. Only do
	// this when both are one party: it lets the upstream act as the caller.
	ForwardCredentials bool
	// Credential authenticates the bridge to the upstream, when it does not
	// forward the caller's.
	Credential binding.Credential
	// Logger gets what the caller is not told: why the upstream failed.
	Logger *slog.Logger
}

// Relay is the agent at the other side of a client's connection, as a hop
// shows it: service parameters cross by a table, credentials do not, what the
// agent says passes verbatim, and the hop's own failures are Unavailable and
// say nothing of where the agent is. Closing the relay closes the client.
func Relay(upstream binding.Client, o *Options) binding.Client {
	r := &relay{next: upstream.Conn()}
	if o != nil {
		r.o = *o
	}
	if r.o.Card == nil {
		r.o.Card = binding.StaticCard(nil)
	}
	if r.o.Logger == nil {
		r.o.Logger = slog.New(slog.DiscardHandler)
	}
	return binding.Remote(r)
}

type relay struct {
	next binding.Conn
	o    Options
}

func (r *relay) Close() error { return r.next.Close() }

// onward is the call as the upstream gets it.
func (r *relay) onward(call *binding.Call) *binding.Call {
	up := &binding.Call{Params: r.cross(call.Params), Credential: r.o.Credential}
	if r.o.ForwardCredentials {
		up.Credential = call.Credential
	}
	return up
}

func (r *relay) cross(p binding.Params) binding.Params {
	return crossing(p, r.o.ForwardCredentials, keyHeaders(r.o.Card()))
}

func (r *relay) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	up := r.onward(call)
	resp, err := r.next.Invoke(ctx, op, up, p)
	call.Reply = r.cross(up.Reply)
	if err != nil {
		return binding.Payload{}, r.failed(op, err)
	}
	if op == binding.OpGetExtendedAgentCard && r.o.Front != nil {
		return r.extendedCard(resp)
	}
	return resp, nil
}

func (r *relay) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		up := r.onward(call)
		first := true
		for ev, err := range r.next.Stream(ctx, op, up, p) {
			if first {
				call.Reply, first = r.cross(up.Reply), false
			}
			if err != nil {
				yield(binding.Payload{}, r.failed(op, err))
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
		if first {
			call.Reply = r.cross(up.Reply)
		}
	}
}

// failed is an error as the caller hears it.
func (r *relay) failed(op *binding.Op, err error) error {
	var e *binding.Error
	if errors.As(err, &e) && e.Remote {
		return err
	}
	switch code := binding.CodeOf(err); code {
	case binding.Canceled, binding.DeadlineExceeded:
		return err // the caller's own
	case binding.InvalidAgentResponse, binding.ResourceExhausted, binding.InvalidParams:
		// Says what is wrong with a message, never where it came from.
		r.o.Logger.Warn("bridge: upstream message refused", "operation", op.Name, "error", err)
		return err
	default:
		r.o.Logger.Warn("bridge: upstream failed", "operation", op.Name, "error", err)
		return binding.Errorf(binding.Unavailable, "the agent behind this bridge cannot be reached")
	}
}

// extendedCard is the upstream's extended card as the bridge shows it.
func (r *relay) extendedCard(p binding.Payload) (binding.Payload, error) {
	m, err := p.Message()
	if err != nil {
		return p, err
	}
	return binding.MessagePayload(agentcard.Rewrite(m.(*pb.AgentCard), agentcard.Front{
		Interfaces: r.o.Front(), KeepSecurity: r.o.ForwardCredentials,
	})), nil
}
