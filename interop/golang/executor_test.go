//go:build interop

package golang_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// executor is the agent behind the SDK's server: the commands of the reference
// agent that the SDK leaves an agent the means for.
type executor struct {
	mu    sync.Mutex
	waits map[a2a.TaskID]chan struct{}
}

func newExecutor() *executor { return &executor{waits: map[a2a.TaskID]chan struct{}{}} }

// turn is one turn of a task, as events.
type turn struct {
	ctx   context.Context
	x     *a2asrv.ExecutorContext
	yield func(a2a.Event, error) bool
	over  bool
}

func (t *turn) give(ev a2a.Event) {
	if !t.over {
		t.over = !t.yield(ev, nil)
	}
}

// task begins a turn.
func (t *turn) task() {
	if t.x.StoredTask == nil {
		t.give(a2a.NewSubmittedTask(t.x, t.x.Message))
	}
}

func (t *turn) status(state a2a.TaskState, text string) {
	var m *a2a.Message
	if text != "" {
		m = a2a.NewMessageForTask(a2a.MessageRoleAgent, t.x, a2a.NewTextPart(text))
	}
	t.give(a2a.NewStatusUpdateEvent(t.x, state, m))
}

func (t *turn) artifact(part *a2a.Part, more, last bool) {
	ev := a2a.NewArtifactUpdateEvent(t.x, "artifact", part)
	ev.Append, ev.LastChunk = more, last
	t.give(ev)
}

func (t *turn) work(make func()) {
	t.task()
	t.status(a2a.TaskStateWorking, "")
	make()
	t.status(a2a.TaskStateCompleted, "")
}

func (t *turn) end(state a2a.TaskState, text string) {
	t.task()
	t.status(a2a.TaskStateWorking, "")
	t.status(state, text)
}

var commands = map[string]func(t *turn, rest string){
	"message": func(t *turn, text string) {
		m := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text))
		m.ContextID = t.x.ContextID
		t.give(m)
	},
	"stream": func(t *turn, count string) {
		n, _ := strconv.Atoi(count)
		t.work(func() {
			for i := 1; i <= n; i++ {
				t.artifact(a2a.NewTextPart(fmt.Sprintf("chunk %d", i)), i > 1, i == n)
			}
		})
	},
	"mirror": mirror,
	"fail":   func(t *turn, _ string) { t.end(a2a.TaskStateFailed, "It failed, as asked.") },
	"reject": func(t *turn, _ string) { t.end(a2a.TaskStateRejected, "It was rejected, as asked.") },
	"input":  func(t *turn, _ string) { t.end(a2a.TaskStateInputRequired, "What shall it be?") },
}

func mirror(t *turn, _ string) {
	named := ""
	if extensions, ok := a2asrv.ExtensionsFrom(t.ctx); ok {
		for _, uri := range extensions.RequestedURIs() {
			extensions.Activate(&a2a.AgentExtension{URI: uri})
		}
		named = strings.Join(extensions.RequestedURIs(), ", ")
	}
	var message any
	text, err := json.Marshal(t.x.Message)
	if err == nil {
		err = json.Unmarshal(text, &message)
	}
	t.work(func() {
		t.artifact(a2a.NewDataPart(map[string]any{
			"params": map[string]any{"message": message}, "tenant": t.x.Tenant, "metadata": t.x.Metadata,
			"serviceParameters": map[string]any{"a2a-extensions": named}, "error": fmt.Sprint(err),
		}), false, true)
	})
}

func (e *executor) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		t := &turn{ctx: ctx, x: x, yield: yield}
		text := ""
		if len(x.Message.Parts) > 0 {
			text = x.Message.Parts[0].Text()
		}
		word, rest, _ := strings.Cut(text, " ")
		switch {
		case x.StoredTask != nil:
			t.artifact(a2a.NewTextPart("got: "+text), false, true)
			t.status(a2a.TaskStateCompleted, "")
		case word == "long":
			e.long(t, rest)
		case commands[word] != nil:
			commands[word](t, rest)
		default:
			t.work(func() { t.artifact(a2a.NewTextPart("echo: "+text), false, true) })
		}
	}
}

func (e *executor) long(t *turn, seconds string) {
	n, _ := strconv.ParseFloat(seconds, 64)
	canceled := make(chan struct{})
	e.mu.Lock()
	e.waits[t.x.TaskID] = canceled
	e.mu.Unlock()
	t.task()
	t.status(a2a.TaskStateWorking, "")
	select {
	case <-canceled:
		// Cancel has said so.
	case <-t.ctx.Done():
	case <-time.After(time.Duration(n * float64(time.Second))):
		t.status(a2a.TaskStateCompleted, "")
	}
}

func (e *executor) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e.mu.Lock()
		if wait := e.waits[x.TaskID]; wait != nil {
			close(wait)
			delete(e.waits, x.TaskID)
		}
		e.mu.Unlock()
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}
