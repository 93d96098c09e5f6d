package equivalence

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// scripted is the agent of a scenario: the eleven operations, all answered by
// the play. It is an Agent and not a dialed one, so a server calls its methods.
type scripted struct {
	binding.Agent
	card *pb.AgentCard
}

// Card is the card to serve the agent with. It may be nil.
func (a scripted) Card() *pb.AgentCard { return a.card }

func newAgent(st *stage, p *play) binding.Agent {
	return scripted{Agent: binding.Remote(&script{st, p}), card: st.card}
}

// visit is a call that reached the agent.
type visit struct {
	*stage
	ctx  context.Context
	op   *binding.Op
	call *binding.Call
	req  proto.Message // the agent's own, which it may change
	saw  proto.Message // a copy of it
}

// wait waits at a gate. The error is the context's.
func (v *visit) wait(gate string) error {
	if v.pass(v.ctx, gate) {
		return nil
	}
	if err := v.ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// meet waits until n calls have reached the agent. The error is the context's.
func (v *visit) meet(n int) error {
	if len(v.visited()) >= n {
		v.open(agentMet)
	}
	return v.wait(agentMet)
}

// agentMet is opened when the calls that meet have all arrived.
const agentMet = "all calls have reached the agent"

// The gates that untilEnded opens.
const (
	agentWaits = "the agent has been asked"
	agentEnded = "the context of the agent has ended"
)

// untilEnded waits for nothing but the end of the context, which it reports.
func (v *visit) untilEnded() error {
	v.open(agentWaits)
	select {
	case <-v.ctx.Done():
		v.open(agentEnded)
	case <-v.over.Done():
	}
	return context.Canceled
}

// script carries out the play. It is a Conn because that is two methods, not eleven.
type script struct {
	*stage
	play *play
}

func (s *script) visit(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) *visit {
	m, err := p.Message()
	if err != nil {
		panic(err) // the payload was made of a message
	}
	v := &visit{stage: s.stage, ctx: ctx, op: op, call: call, req: m, saw: proto.Clone(m)}
	key := ""
	if s.scenario.concurrent {
		key = keyOf(m)
	}
	var params binding.Params
	if call != nil {
		params = call.Params
	}
	s.agent.add(key, "asked %s%s %s", op, renderParams(params), renderMessage(m))
	s.arrived(v)
	return v
}

// keyOf is what tells concurrent calls apart.
func keyOf(req proto.Message) string {
	switch r := req.(type) {
	case *pb.SendMessageRequest:
		return r.GetMessage().GetMessageId()
	case interface{ GetId() string }:
		return r.GetId()
	}
	return ""
}

func (s *script) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	v := s.visit(ctx, op, call, p)
	if s.play.answer == nil {
		return binding.Payload{}, binding.ErrUnsupportedOperation
	}
	m, err := s.play.answer(v)
	if err != nil {
		return binding.Payload{}, err
	}
	return binding.MessagePayload(m), nil
}

func (s *script) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		v := s.visit(ctx, op, call, p)
		if s.play.stream == nil {
			yield(binding.Payload{}, binding.ErrUnsupportedOperation)
			return
		}
		left := false
		err := s.play.stream(v, func(ev *pb.StreamResponse) bool {
			left = left || !yield(binding.MessagePayload(ev), nil)
			return !left
		})
		if left {
			v.open(agentEnded)
			return
		}
		if err != nil {
			yield(binding.Payload{}, err)
		}
	}
}

func (s *script) Close() error { return nil }
