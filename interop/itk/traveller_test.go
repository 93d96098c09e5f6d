//go:build interop

package itk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// traveller carries out errands, on the Go SDK's server and on ours. How it
// calls the next agent is what makes it one or the other.
type traveller struct {
	call  func(context.Context, next) (string, error)
	mu    sync.Mutex
	waits map[a2a.TaskID]chan struct{}
}

func newTraveller(call func(context.Context, next) (string, error)) *traveller {
	return &traveller{call: call, waits: map[a2a.TaskID]chan struct{}{}}
}

func (v *traveller) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		status := func(state a2a.TaskState, text string) bool {
			var m *a2a.Message
			if text != "" {
				m = a2a.NewMessageForTask(a2a.MessageRoleAgent, x, a2a.NewTextPart(text))
			}
			return yield(a2a.NewStatusUpdateEvent(x, state, m), nil)
		}
		if !yield(a2a.NewSubmittedTask(x, x.Message), nil) || !status(a2a.TaskStateWorking, "") {
			return
		}
		e, said, err := v.carryOut(ctx, x.Message)
		switch {
		case err != nil:
			status(a2a.TaskStateFailed, "Go: "+err.Error())
		case e.Hold:
			canceled := v.wait(x.TaskID)
			if status(a2a.TaskStateWorking, said+held) {
				select {
				case <-canceled: // Cancel has said so
				case <-ctx.Done():
				}
			}
		default:
			status(a2a.TaskStateCompleted, said)
		}
	}
}

func (v *traveller) carryOut(ctx context.Context, m *a2a.Message) (e errand, said string, err error) {
	if len(m.Parts) != 1 {
		return e, "", fmt.Errorf("a message of %d parts", len(m.Parts))
	}
	text, err := json.Marshal(m.Parts[0].Data())
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil || e.Next == nil {
		return e, e.Token, err
	}
	rest, err := v.call(ctx, *e.Next)
	return e, e.Token + "\n" + rest, err
}

func (v *traveller) wait(id a2a.TaskID) chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waits[id] = make(chan struct{})
	return v.waits[id]
}

func (v *traveller) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		v.mu.Lock()
		if canceled := v.waits[x.TaskID]; canceled != nil {
			close(canceled)
			delete(v.waits, x.TaskID)
		}
		v.mu.Unlock()
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}
