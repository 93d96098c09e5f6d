package refagent

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// intake is a message that was taken in: answered by a message, or by a task.
type intake struct {
	message  *pb.Message
	task     *task
	view     view
	snapshot *pb.Task // when the message was in, before anything came of it
	from     int      // where the log goes on behind the snapshot
}

// accept takes a message in and starts what it asks for.
func (a *Agent) accept(call *binding.Call, req *pb.SendMessageRequest, streaming bool) (*intake, error) {
	if err := a.checkSend(req); err != nil {
		return nil, err
	}
	m := req.GetMessage()
	var v view
	if c := req.GetConfiguration(); c != nil {
		v.historyLength = c.HistoryLength
	}
	if m.GetTaskId() != "" {
		return a.proceed(call, req, v)
	}
	text := textOf(m)
	cmd, args := commandOf(text)
	if c := tckCommandOf(m.GetMessageId()); c != nil {
		cmd, args = c, nil
	}
	if cmd.direct != nil {
		answer, err := cmd.direct(&direct{text: text, args: args, streaming: streaming})
		if err != nil {
			return nil, err
		}
		if answer != "" {
			return &intake{message: directMessage(m, answer)}, nil
		}
	}
	return a.start(call, req, v, cmd, args)
}

// start makes a new task of a message (spec 3.4.1, 3.4.2).
func (a *Agent) start(call *binding.Call, req *pb.SendMessageRequest, v view, cmd *command, args []string) (*intake, error) {
	m := req.GetMessage()
	contextID := m.GetContextId()
	if contextID == "" {
		contextID = newID()
	}
	t := a.newTask(req.GetTenant(), contextID, m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.fits(0) {
		return nil, binding.Errorf(binding.ResourceExhausted, "the message is more than a task may have")
	}
	if err := a.store.add(t, t.status); err != nil {
		return nil, err
	}
	return a.takeOn(call, req, v, t, cmd, args)
}

// proceed gives a message to the task that it names (spec 3.4.3).
func (a *Agent) proceed(call *binding.Call, req *pb.SendMessageRequest, v view) (*intake, error) {
	m := req.GetMessage()
	t, err := a.task(req.GetTenant(), m.GetTaskId())
	if err != nil {
		return nil, err
	}
	if c := m.GetContextId(); c != "" && c != t.context {
		return nil, binding.InvalidField("message.contextId", "is not the context of the task")
	}
	prefixed := tckCommandOf(m.GetMessageId())
	if prefixed != nil && prefixed.run == nil {
		prefixed = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := pushConfig(req); c != nil && !t.ended() {
		if err := t.hooks.room(c.GetId()); err != nil {
			return nil, err
		}
	}
	cmd, err := t.receiveLocked(m, prefixed)
	if err != nil {
		return nil, err
	}
	return a.takeOn(call, req, v, t, cmd, nil)
}

// takeOn is the answer to a message that a task has, after what the message
// asks for was started. The task's lock is held.
func (a *Agent) takeOn(call *binding.Call, req *pb.SendMessageRequest, v view, t *task, cmd *command, args []string) (*intake, error) {
	in := &intake{task: t, view: v, snapshot: t.snapshotLocked(v), from: len(t.log)}
	if c := pushConfig(req); c != nil {
		if _, err := a.addHook(t, c, req.GetTenant()); err != nil {
			return nil, err
		}
	}
	if cmd == nil {
		return in, nil
	}
	r := &run{task: t, req: req, text: textOf(req.GetMessage()), args: args}
	if call != nil {
		r.params = call.Params.Clone()
	}
	ctx, stop := context.WithCancel(a.ctx)
	r.ctx, t.stop = ctx, stop
	if !a.spawn(func() { defer stop(); cmd.run(r) }) {
		stop()
		return nil, errClosed
	}
	return in, nil
}

// checkSend is what must hold of a request before it changes anything.
func (a *Agent) checkSend(req *pb.SendMessageRequest) error {
	m := req.GetMessage()
	switch {
	case m == nil:
		return binding.InvalidField("message", "is required")
	case len(m.GetParts()) == 0:
		return binding.InvalidField("message.parts", "needs at least one element")
	}
	if c := req.GetConfiguration(); c != nil {
		if err := checkHistoryLength("configuration.historyLength", c.HistoryLength); err != nil {
			return err
		}
	}
	if err := a.checkMedia(m); err != nil {
		return err
	}
	c := pushConfig(req)
	if c == nil {
		return nil
	}
	if err := a.lacks[binding.CapabilityPushNotifications]; err != nil {
		return err
	}
	const path = "configuration.taskPushNotificationConfig."
	if id := c.GetTaskId(); id != "" && id != m.GetTaskId() {
		return binding.InvalidField(path+"taskId", "must be empty")
	}
	return checkConfig(c, path, a.o.AllowPrivateWebhooks)
}

// pushConfig is the configuration that came with a message, nil when none did.
func pushConfig(req *pb.SendMessageRequest) *pb.TaskPushNotificationConfig {
	return req.GetConfiguration().GetTaskPushNotificationConfig()
}

// directMessage is an answer without a task, in the context of the message.
func directMessage(m *pb.Message, text string) *pb.Message {
	contextID := m.GetContextId()
	if contextID == "" {
		contextID = newID()
	}
	return &pb.Message{
		MessageId: newID(), ContextId: contextID,
		Role: pb.Role_ROLE_AGENT, Parts: []*pb.Part{textPart(text)},
	}
}
