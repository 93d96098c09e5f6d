package refagent

import (
	"context"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// The states of spec 4.1.3 that a task does not leave, and those in which it
// waits for its client.
var (
	terminal = map[pb.TaskState]bool{
		pb.TaskState_TASK_STATE_COMPLETED: true,
		pb.TaskState_TASK_STATE_FAILED:    true,
		pb.TaskState_TASK_STATE_CANCELED:  true,
		pb.TaskState_TASK_STATE_REJECTED:  true,
	}
	interrupted = map[pb.TaskState]bool{
		pb.TaskState_TASK_STATE_INPUT_REQUIRED: true,
		pb.TaskState_TASK_STATE_AUTH_REQUIRED:  true,
	}
)

// event is one entry of a task's log: what happened, or an error that ends the
// streams which come to it. It does not change once it is in the log.
type event struct {
	resp  *pb.StreamResponse
	state pb.TaskState // of a status update, 0 for others
	err   error
}

// task is a log of events, and what they add up to. What it has handed out
// never changes: slices only grow, and messages are not written again.
type task struct {
	tenant, id, context string
	store               *store
	maxEvents, maxBytes int

	mu        sync.Mutex
	status    *pb.TaskStatus
	history   []*pb.Message
	artifacts []*pb.Artifact // parts grow behind what snapshots have of them
	log       []event
	entries   int           // of log and history that were counted against maxEvents
	bytes     int           // of the same, against maxBytes
	changed   chan struct{} // made by the first who waits, closed by the next event
	resume    *command      // what the next message starts, nil when the task does not wait
	stop      context.CancelFunc
	hooks     hookSet
}

func now() *timestamppb.Timestamp {
	return timestamppb.New(time.Now().UTC().Truncate(time.Millisecond))
}

// newTask is a task that nobody knows of yet, with the message that asked for it.
func (a *Agent) newTask(tenant, contextID string, m *pb.Message) *task {
	t := &task{
		tenant: tenant, id: newID(), context: contextID,
		store: a.store, maxEvents: a.o.MaxTaskEvents, maxBytes: a.o.MaxTaskBytes,
		hooks: hookSet{max: a.o.MaxPushConfigs},
		status: &pb.TaskStatus{
			State:     pb.TaskState_TASK_STATE_SUBMITTED,
			Timestamp: now(),
		},
	}
	t.remember(t.own(m))
	return t
}

// own is a message with the task's ids filled in.
func (t *task) own(m *pb.Message) *pb.Message {
	m = proto.Clone(m).(*pb.Message)
	m.TaskId, m.ContextId = t.id, t.context
	return m
}

// agentMessage is a text of the agent's, nil for none.
func (t *task) agentMessage(text string) *pb.Message {
	if text == "" {
		return nil
	}
	return &pb.Message{
		MessageId: newID(), ContextId: t.context, TaskId: t.id,
		Role: pb.Role_ROLE_AGENT, Parts: []*pb.Part{textPart(text)},
	}
}

// remember keeps a message of the caller's and counts it. The lock is held, or
// the task is new.
func (t *task) remember(m *pb.Message) {
	t.history = append(t.history, m)
	t.entries++
	t.bytes += proto.Size(m)
}

// fits reports whether there is room for one entry more of that size. One
// place is kept for the event that ends the task.
func (t *task) fits(size int) bool {
	return t.entries+1 < t.maxEvents && t.bytes+size <= t.maxBytes
}

func (t *task) ended() bool { return terminal[t.status.GetState()] }

func (t *task) state() pb.TaskState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status.GetState()
}

// set gives the task a new status, unless it has ended; it reports whether it did.
func (t *task) set(state pb.TaskState, text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.setLocked(state, text)
}

// wait sets a state in which the task waits for its client, and what the next
// message starts.
func (t *task) wait(state pb.TaskState, text string, next *command) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.setLocked(state, text) {
		return false
	}
	t.resume = next
	return true
}

func (t *task) setLocked(state pb.TaskState, text string) bool {
	status := &pb.TaskStatus{State: state, Message: t.agentMessage(text), Timestamp: now()}
	return t.appendLocked(event{state: state, resp: &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{
		StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: t.id, ContextId: t.context, Status: status},
	}}})
}

// add gives the task an artifact, or appends to the one of that id.
func (t *task) add(artifact *pb.Artifact, grow, last bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.appendLocked(event{resp: &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{
		ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
			TaskId: t.id, ContextId: t.context, Artifact: artifact, Append: grow, LastChunk: last,
		},
	}}})
}

// abort ends the task's streams with an error, and the task with FAILED.
func (t *task) abort(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended() {
		return
	}
	t.log = append(t.log, event{err: err})
	t.setLocked(pb.TaskState_TASK_STATE_FAILED, "the stream was ended by an error, as asked")
}

// appendLocked appends an event and applies it, in time that depends on the
// event alone. A task that has ended takes none; one at its limit fails
// instead. It reports whether the task goes on with that event.
func (t *task) appendLocked(e event) bool {
	if t.ended() {
		return false
	}
	size := proto.Size(e.resp)
	if !terminal[e.state] && !t.fits(size) {
		t.setLocked(pb.TaskState_TASK_STATE_FAILED, "the task has reached its limit of events or bytes")
		return false
	}
	t.entries++
	t.bytes += size
	t.log = append(t.log, e)
	if u := e.resp.GetStatusUpdate(); u != nil {
		t.applyStatus(u.GetStatus())
	} else {
		t.applyArtifact(e.resp.GetArtifactUpdate())
	}
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	return true
}

func (t *task) applyStatus(s *pb.TaskStatus) {
	if m := t.status.GetMessage(); m != nil {
		t.history = append(t.history, m)
	}
	t.status, t.resume = s, nil
	t.store.update(t, s)
	if t.ended() && t.stop != nil {
		t.stop()
	}
}

// applyArtifact keeps an artifact of its own: that of the event stays as it is.
func (t *task) applyArtifact(u *pb.TaskArtifactUpdateEvent) {
	a := u.GetArtifact()
	// A task has a few artifacts, and it is the last that grows.
	at := len(t.artifacts) - 1
	for at >= 0 && t.artifacts[at].GetArtifactId() != a.GetArtifactId() {
		at--
	}
	if at >= 0 && u.GetAppend() {
		t.artifacts[at].Parts = append(t.artifacts[at].Parts, a.GetParts()...)
		return
	}
	mine := copyArtifact(a)
	if at >= 0 {
		t.artifacts[at] = mine
	} else {
		t.artifacts = append(t.artifacts, mine)
	}
}

// copyArtifact is an artifact that shares its parts, and whose list of parts
// grows without touching the first's.
func copyArtifact(a *pb.Artifact) *pb.Artifact {
	n := len(a.Parts)
	return &pb.Artifact{
		ArtifactId: a.ArtifactId, Name: a.Name, Description: a.Description,
		Parts: a.Parts[:n:n], Metadata: a.Metadata, Extensions: a.Extensions,
	}
}

// since is what the log has from an index on. When that is nothing yet, there
// is a channel that the next event closes; a nil one says that no event comes
// any more.
func (t *task) since(i int) ([]event, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.log); i < n {
		return t.log[i:n:n], nil
	}
	if t.ended() {
		return nil, nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return nil, t.changed
}

// view is what of a task a caller gets.
type view struct {
	historyLength *int32         // spec 3.2.4
	noArtifacts   bool           // spec 3.1.4
	status        *pb.TaskStatus // instead of the latest, nil for that
}

// snapshot is the task as it is now.
func (t *task) snapshot(v view) *pb.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.snapshotLocked(v)
}

func (t *task) snapshotLocked(v view) *pb.Task {
	out := &pb.Task{Id: t.id, ContextId: t.context, Status: t.status}
	if v.status != nil {
		out.Status = v.status
	}
	skip := 0
	if v.historyLength != nil {
		skip = max(0, len(t.history)-int(*v.historyLength))
	}
	if n := len(t.history); skip < n {
		out.History = t.history[skip:n:n]
	}
	if !v.noArtifacts && len(t.artifacts) > 0 {
		out.Artifacts = make([]*pb.Artifact, len(t.artifacts))
		for i, a := range t.artifacts {
			out.Artifacts[i] = copyArtifact(a)
		}
	}
	return out
}

// settled is the task once it has ended or waits for its client, and until
// then a channel that the next event closes.
func (t *task) settled(v view) (*pb.Task, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.status.GetState(); terminal[s] || interrupted[s] {
		return t.snapshotLocked(v), nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return nil, t.changed
}

// receiveLocked takes a message of the caller's in (spec 3.4.3). The command,
// if any, is what the message starts, the prefixed one before the one that
// waits; its task works from this moment on.
func (t *task) receiveLocked(m *pb.Message, prefixed *command) (*command, error) {
	if t.ended() {
		return nil, binding.Errorf(binding.UnsupportedOperation, "the task has ended and takes no messages").
			WithInfo("taskId", t.id).WithInfo("state", t.status.GetState().String())
	}
	m = t.own(m)
	if !t.fits(proto.Size(m)) {
		return nil, binding.Errorf(binding.ResourceExhausted, "the task has reached its limit of events or bytes").
			WithInfo("taskId", t.id)
	}
	next := t.resume
	if next != nil && prefixed != nil {
		next = prefixed
	}
	if next == nil {
		t.remember(m)
		return nil, nil
	}
	// The agent's question is older than the answer.
	if q := t.status.GetMessage(); q != nil {
		t.history = append(t.history, q)
		t.status = &pb.TaskStatus{State: t.status.GetState(), Timestamp: t.status.GetTimestamp()}
	}
	t.remember(m)
	if !t.setLocked(pb.TaskState_TASK_STATE_WORKING, "") {
		return nil, nil // it has failed at its limit
	}
	return next, nil
}
