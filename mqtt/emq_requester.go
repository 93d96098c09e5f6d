package mqtt

import (
	"context"
	"slices"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/rpc"
)

// A requester of EMQ's profile makes the id of a new task itself, which the
// specification forbids (spec 3.4.2). It is known by a request without
// a2a-request-id. Its id stands for the agent's, both ways.

// aliases are the ids that requesters of EMQ's profile made.
type aliases struct {
	mu     sync.Mutex
	ours   map[string]string // by theirs
	theirs map[string]string // by ours
	order  []string          // theirs, the oldest first
}

// maxAliases is how many tasks are remembered that a requester named.
const maxAliases = 1 << 14

func newAliases() *aliases { return &aliases{ours: map[string]string{}, theirs: map[string]string{}} }

func (a *aliases) add(theirs, ours string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.ours[theirs]; known {
		return
	}
	a.ours[theirs], a.theirs[ours] = ours, theirs
	if a.order = append(a.order, theirs); len(a.order) > maxAliases {
		delete(a.theirs, a.ours[a.order[0]])
		delete(a.ours, a.order[0])
		a.order = a.order[1:]
	}
}

func (a *aliases) toOurs(id string) string   { return a.look(a.ours, id) }
func (a *aliases) toTheirs(id string) string { return a.look(a.theirs, id) }

func (a *aliases) look(in map[string]string, id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if other, ok := in[id]; ok {
		return other
	}
	return id
}

// dialect is a call of a requester of EMQ's profile.
type dialect struct {
	c   *call
	new string // the id that it made for the task to come
}

// foreign is the dialect of a call, nil for a requester of this binding.
func (c *call) foreign() *dialect {
	if c.request.get(propRequestID) != "" {
		return nil
	}
	return &dialect{c: c}
}

// key is what a repetition of a request without a2a-request-id has in common
// with it: the profile repeats the payload.
func (c *call) profileKey() requestKey {
	req, err := rpc.ReadRequest(c.request.payload)
	op := binding.Lookup(req.Method)
	if err != nil || op != binding.OpSendMessage && op != binding.OpSendStreamingMessage {
		return requestKey{}
	}
	p, err := req.Payload(op).Message()
	if err != nil {
		return requestKey{}
	}
	m := p.(*pb.SendMessageRequest).GetMessage()
	if m.GetTaskId() == "" || m.GetMessageId() == "" {
		return requestKey{}
	}
	return keyOf(c.request.response, "emq "+m.GetTaskId()+" "+m.GetMessageId())
}

// request is the request as the agent is to see it.
func (d *dialect) request(ctx context.Context, op *binding.Op, bc *binding.Call, p binding.Payload) binding.Payload {
	if d == nil || op == nil {
		return p
	}
	m, err := p.Message()
	if err != nil {
		return p // the shared layer says why
	}
	as := d.c.s.aliases
	id := taskOf(m)
	ours := as.toOurs(id)
	send, sends := m.(*pb.SendMessageRequest)
	if sends && ours == id && isUUID(id) && d.unknown(ctx, bc, send) {
		d.new, ours = id, ""
	}
	refers := sends && slices.ContainsFunc(send.GetMessage().GetReferenceTaskIds(), func(r string) bool { return as.toOurs(r) != r })
	if ours == id && !refers {
		return p
	}
	return renamed(m, func(theirs string) string {
		if theirs == id {
			return ours
		}
		return as.toOurs(theirs)
	})
}

// unknown asks the agent whether it knows the task of a message.
func (d *dialect) unknown(ctx context.Context, bc *binding.Call, r *pb.SendMessageRequest) bool {
	ask := &binding.Call{Params: bc.Params.Clone(), Credential: bc.Credential, Peer: bc.Peer}
	_, err := d.c.s.in.Invoke(ctx, binding.OpGetTask, ask, binding.MessagePayload(&pb.GetTaskRequest{
		Tenant: r.GetTenant(), Id: r.GetMessage().GetTaskId(), HistoryLength: proto.Int32(0),
	}))
	return binding.CodeOf(err) == binding.TaskNotFound
}

// answer is an answer as the requester is to see it.
func (d *dialect) answer(p binding.Payload) binding.Payload {
	if d == nil || p.IsZero() {
		return p
	}
	m, err := p.Message()
	if err != nil {
		return p
	}
	as := d.c.s.aliases
	if id := taskOf(m); d.new != "" && id != "" {
		as.add(d.new, id)
		d.new = ""
	}
	return renamed(m, as.toTheirs)
}

// renamed is a message with other task ids.
func renamed(m proto.Message, f func(string) string) binding.Payload {
	m = proto.Clone(m)
	rename(m.ProtoReflect(), f)
	return binding.MessagePayload(m)
}

// rename replaces the task ids in a message of the data model: Task.id, every
// taskId, and referenceTaskIds; in requests about a task, their id.
func rename(m protoreflect.Message, f func(string) string) {
	name := m.Descriptor().Name()
	isTask := name == "Task" || name == "GetTaskRequest" || name == "CancelTaskRequest" || name == "SubscribeToTaskRequest"
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Name() == "task_id", isTask && fd.Name() == "id":
			if id := f(v.String()); id == "" {
				m.Clear(fd)
			} else {
				m.Set(fd, protoreflect.ValueOfString(id))
			}
		case fd.Name() == "reference_task_ids":
			for i := range v.List().Len() {
				if id := f(v.List().Get(i).String()); id != "" {
					v.List().Set(i, protoreflect.ValueOfString(id))
				}
			}
		case fd.IsMap() || fd.Message() == nil || fd.Message().ParentFile().Package() != m.Descriptor().ParentFile().Package():
		case fd.IsList():
			for i := range v.List().Len() {
				rename(v.List().Get(i).Message(), f)
			}
		default:
			rename(v.Message(), f)
		}
		return true
	})
}

// isUUID reports whether an id is one that a program made up (RFC 9562).
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F'):
			return false
		}
	}
	return true
}
