package refagent

import (
	"context"
	"slices"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// maxFailures is how many notifications in a row a webhook may miss before
// nothing more is sent to it.
const maxFailures = 5

// hook is a push notification configuration, and the one goroutine that sends
// its task's events to it, in order.
type hook struct {
	config *pb.TaskPushNotificationConfig
	seq    uint64
	cancel context.CancelFunc
	done   chan struct{} // closed when nothing is sent any more
	next   int           // index of the first event not sent; read after done
}

// hookSet are the hooks of a task, in the order they were created. The task's
// lock guards it.
type hookSet struct {
	max  int
	list []*hook
	seq  uint64
}

func (s *hookSet) find(id string) int {
	return slices.IndexFunc(s.list, func(h *hook) bool { return h.config.GetId() == id })
}

func (s *hookSet) get(id string) *hook {
	if i := s.find(id); i >= 0 {
		return s.list[i]
	}
	return nil
}

// room is the error for a configuration more than a task may have.
func (s *hookSet) room(id string) error {
	if len(s.list) < s.max || s.get(id) != nil {
		return nil
	}
	return binding.Errorf(binding.ResourceExhausted, "the task has %d push notification configurations and takes no more", s.max)
}

// put adds a hook, in the place of the one with its id; that one is returned,
// and stops.
func (s *hookSet) put(h *hook) *hook {
	i := s.find(h.config.GetId())
	if i < 0 {
		s.seq++
		h.seq = s.seq
		s.list = append(s.list, h)
		return nil
	}
	old := s.list[i]
	h.seq = old.seq
	s.list[i] = h
	old.cancel()
	return old
}

func (s *hookSet) remove(id string) {
	if i := s.find(id); i >= 0 {
		s.list[i].cancel()
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// addHook gives a task a checked configuration, from the next event on. The
// task's lock is held.
func (a *Agent) addHook(t *task, c *pb.TaskPushNotificationConfig, tenant string) (*pb.TaskPushNotificationConfig, error) {
	if err := t.hooks.room(c.GetId()); err != nil {
		return nil, err
	}
	c = cloneConfig(c)
	c.TaskId, c.Tenant = t.id, tenant
	if c.Id == "" {
		c.Id = newID()
	}
	ctx, cancel := context.WithCancel(a.ctx)
	h := &hook{config: c, cancel: cancel, done: make(chan struct{}), next: len(t.log)}
	old := t.hooks.put(h)
	run := func() {
		defer close(h.done)
		defer cancel()
		if old != nil {
			<-old.done
			h.next = old.next
		}
		a.notify(ctx, t, h)
	}
	if !a.spawn(run) {
		cancel()
		close(h.done)
		return nil, errClosed
	}
	return c, nil
}

// notify sends a task's events to a hook, each when the one before was taken
// or given up (spec 4.3.3).
func (a *Agent) notify(ctx context.Context, t *task, h *hook) {
	failures := 0
	for {
		events, changed := t.since(h.next)
		for _, e := range events {
			if e.resp != nil {
				err := a.webhooks.send(ctx, h.config, e.resp)
				if ctx.Err() != nil {
					return
				}
				if failures++; err == nil {
					failures = 0
				} else {
					a.o.Logger.Warn("webhook failed", "task", t.id, "config", h.config.GetId(), "error", err)
				}
			}
			h.next++
			if failures == maxFailures {
				a.o.Logger.Warn("webhook given up", "task", t.id, "config", h.config.GetId())
				return
			}
		}
		if len(events) > 0 {
			continue
		}
		if changed == nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
