package grpcbind

import (
	"context"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// endless gives one event and waits until its context ends.
type endless struct {
	*script
	ended chan struct{}
}

func (e *endless) Stream(ctx context.Context, _ *binding.Op, _ *binding.Call, _ binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		defer close(e.ended)
		if yield(binding.MessagePayload(taskEvent("t1")), nil) {
			<-ctx.Done()
			yield(binding.Payload{}, ctx.Err())
		}
	}
}

// kept keeps the call that it got.
type kept struct {
	*script
	call *binding.Call
}

func (k *kept) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	k.call = &binding.Call{Params: call.Params.Clone(), Credential: call.Credential, Peer: call.Peer}
	return k.script.Invoke(ctx, op, call, p)
}

// echo answers SendMessage with the message it got.
type echo struct{ *script }

func (e *echo) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	m, err := p.Message()
	if err != nil {
		return binding.Payload{}, err
	}
	if req, ok := m.(*pb.SendMessageRequest); ok {
		return binding.MessagePayload(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: req.GetMessage()}}), nil
	}
	return e.script.Invoke(ctx, op, call, p)
}
