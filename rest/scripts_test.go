package rest

import (
	"context"
	"iter"

	"github.com/a2awire/a2awire/binding"
)

// relayed keeps the bytes of the request it gets, as a relay passes them on.
type relayed struct {
	*script
	json string
}

func (r *relayed) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	b, err := p.JSON()
	if err != nil {
		return binding.Payload{}, err
	}
	r.json = string(b)
	return r.script.Invoke(ctx, op, call, p)
}

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
		}
	}
}
