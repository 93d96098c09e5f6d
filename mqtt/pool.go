package mqtt

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// controlProbe is nobody's: whether it reaches anybody is what is asked.
const controlProbe = "probe"

// probePool finds out whether the broker delivers what goes to the pool.
func (s *Server) probePool(ctx context.Context) error {
	l, err := s.conn.await(ctx)
	if err != nil {
		return err
	}
	if !l.shared {
		return binding.Errorf(binding.UnsupportedOperation, "mqtt: serve: this broker has no shared subscriptions, so no pools")
	}
	m := &message{topic: s.topics.requestPool(s.addr.Org, s.addr.Unit, s.o.Pool), expiry: expiry(connectTimeout)}
	m.add(propControl, controlProbe)
	err = s.send(ctx, m)
	if errors.Is(err, errNobody) {
		return binding.Errorf(binding.UnsupportedOperation,
			"mqtt: serve: this broker delivers nothing to shared subscriptions below %q, as some do where it begins with '$': set Root to %q, at every agent and client", s.o.Root, "a2a/v1")
	}
	return err
}

// members is what a client of a pool knows of who is in it.
type members struct {
	mu     sync.Mutex
	status map[string]*presence // by agent id
	byTask map[string]string    // agent ids, by the task that is there
	order  []string             // of byTask, the oldest first
}

// The bounds of what a client remembers of a pool.
const (
	maxMembers     = 1 << 12
	maxMemberTasks = 1 << 14
)

func newMembers() *members {
	return &members{status: map[string]*presence{}, byTask: map[string]string{}}
}

// receive takes the card of an agent of the unit.
func (ms *members) receive(m *message) {
	if p := ms.of(m.topic[strings.LastIndexByte(m.topic, '/')+1:]); p != nil {
		p.receive(m)
	}
}

// of is the presence of a member, nil when there are too many.
func (ms *members) of(agent string) *presence {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	p := ms.status[agent]
	if p == nil && len(ms.status) >= maxMembers {
		maps.DeleteFunc(ms.status, func(_ string, p *presence) bool { return !p.known() })
	}
	if p == nil && len(ms.status) < maxMembers {
		p = newPresence()
		ms.status[agent] = p
	}
	return p
}

// any reports whether the unit has a card at all.
func (ms *members) any() bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, p := range ms.status {
		if p.known() {
			return true
		}
	}
	return false
}

// saw notes at which member a task is.
func (ms *members) saw(p binding.Payload, agent string) {
	m, err := p.Message()
	if err != nil || agent == "" {
		return
	}
	id := taskOf(m)
	if id == "" {
		return
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if _, ok := ms.byTask[id]; !ok {
		ms.order = append(ms.order, id)
	}
	ms.byTask[id] = agent
	if len(ms.order) > maxMemberTasks {
		delete(ms.byTask, ms.order[0])
		ms.order = ms.order[1:]
	}
}

// at is the member that a request's task is at, "" for any.
func (ms *members) at(p binding.Payload) string {
	m, err := p.Message()
	if err != nil {
		return ""
	}
	id := taskOf(m)
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.byTask[id]
}

func (ms *members) close() {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, p := range ms.status {
		p.close()
	}
}

// taskOf is the task that a request, an answer or an event is about, "" for none.
func taskOf(m proto.Message) string {
	switch m := m.(type) {
	case *pb.SendMessageRequest:
		return m.GetMessage().GetTaskId()
	case *pb.GetTaskRequest:
		return m.GetId()
	case *pb.CancelTaskRequest:
		return m.GetId()
	case *pb.SubscribeToTaskRequest:
		return m.GetId()
	case *pb.TaskPushNotificationConfig:
		return m.GetTaskId()
	case *pb.GetTaskPushNotificationConfigRequest:
		return m.GetTaskId()
	case *pb.ListTaskPushNotificationConfigsRequest:
		return m.GetTaskId()
	case *pb.DeleteTaskPushNotificationConfigRequest:
		return m.GetTaskId()
	case *pb.Task:
		return m.GetId()
	case *pb.SendMessageResponse:
		return m.GetTask().GetId()
	case *pb.StreamResponse:
		return m.GetTask().GetId()
	}
	return ""
}
