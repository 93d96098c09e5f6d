package binding

import pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

// streamOrder holds a stream to its rules (spec 3.1.2, 3.1.6): first a Task or
// the only Message, then updates of that task alone.
type streamOrder struct {
	op      *Op
	started bool
	message bool
	task    string
}

// next takes the next event, which has been checked.
func (s *streamOrder) next(p Payload) error {
	m, v, err := p.event(s.op.response)
	if err != nil {
		return modelError(InvalidAgentResponse, err)
	}
	if m == nil {
		if v.Event == nil {
			return follow(s, "", "")
		}
		return follow(s, v.Event.Member, v.Event.Task)
	}
	ev, _ := m.(*pb.StreamResponse)
	member := ""
	switch ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		member = "task"
	case *pb.StreamResponse_Message:
		member = "message"
	}
	return follow(s, member, taskNamed(ev))
}

// follow takes an event by the member that it has and the task that it is of.
func follow[ID string | []byte](s *streamOrder, member string, task ID) error {
	switch {
	case s.message:
		return Errorf(InvalidAgentResponse, "%s: an event after the only message of a stream", s.op)
	case member == "message":
		if s.started || s.op == OpSubscribeToTask {
			return Errorf(InvalidAgentResponse, "%s: a message in the stream of a task", s.op)
		}
		s.message = true
	case s.started:
		if string(task) != s.task {
			return Errorf(InvalidAgentResponse, "%s: an event of another task", s.op)
		}
	case member != "task":
		return Errorf(InvalidAgentResponse, "%s: a stream must begin with its task", s.op)
	default:
		s.started, s.task = true, string(task)
	}
	return nil
}
