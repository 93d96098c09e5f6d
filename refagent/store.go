package refagent

import (
	"container/list"
	"math"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// store holds the tasks, and an index for every combination of the filters of
// ListTasks, so that a page costs the same wherever it lies. Its lock is taken
// under a task's, never the other way round.
type store struct {
	max int

	mu      sync.Mutex
	tasks   map[taskName]*row
	indexes map[filter]*index
	seq     uint64
	ended   list.List // of *row, those that ended first in front
}

type taskName struct{ tenant, id string }

// filter names an index. An empty context or state is any.
type filter struct {
	tenant, context string
	state           pb.TaskState
}

// row is a task as the store knows it: its status of the last change.
type row struct {
	task   *task
	status *pb.TaskStatus
	nodes  [4]node // in the indexes of filters
	ended  *list.Element
}

// filters are the indexes that a row with its status is in.
func (r *row) filters() [4]filter {
	t, s := r.task, r.status.GetState()
	return [4]filter{
		{t.tenant, "", 0},
		{t.tenant, t.context, 0},
		{t.tenant, "", s},
		{t.tenant, t.context, s},
	}
}

func newStore(limit int) *store {
	return &store{max: limit, tasks: map[taskName]*row{}, indexes: map[filter]*index{}}
}

// add takes a new task in. At the limit, the task that ended first goes.
func (s *store) add(t *task, status *pb.TaskStatus) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) >= s.max {
		done := s.ended.Front()
		if done == nil {
			return binding.Errorf(binding.ResourceExhausted, "the agent works on %d tasks and takes no more", s.max)
		}
		s.drop(done.Value.(*row))
	}
	r := &row{task: t}
	s.tasks[taskName{t.tenant, t.id}] = r
	s.place(r, status)
	return nil
}

// get is the task of that name, nil when there is none.
func (s *store) get(tenant, id string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.tasks[taskName{tenant, id}]; ok {
		return r.task
	}
	return nil
}

// update gives a task its new place. A task that has gone stays gone.
func (s *store) update(t *task, status *pb.TaskStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.tasks[taskName{t.tenant, t.id}]
	if !ok {
		return
	}
	s.displace(r)
	s.place(r, status)
	if terminal[status.GetState()] {
		r.ended = s.ended.PushBack(r)
	}
}

func (s *store) drop(r *row) {
	s.displace(r)
	delete(s.tasks, taskName{r.task.tenant, r.task.id})
	s.ended.Remove(r.ended)
}

func (s *store) place(r *row, status *pb.TaskStatus) {
	s.seq++
	r.status = status
	k := key{status.GetTimestamp().AsTime().UnixMilli(), s.seq}
	for i, f := range r.filters() {
		x := s.indexes[f]
		if x == nil {
			x = new(index)
			s.indexes[f] = x
		}
		n := &r.nodes[i]
		n.row, n.key = r, k
		x.insert(n)
	}
}

func (s *store) displace(r *row) {
	for i, f := range r.filters() {
		x := s.indexes[f]
		x.remove(r.nodes[i].key)
		if x.len() == 0 {
			delete(s.indexes, f)
		}
	}
}

// found is a task and the status by which it was found.
type found struct {
	task   *task
	status *pb.TaskStatus
	key    key
}

// first comes before the key of every task, and oldest is the earliest time.
const oldest = math.MinInt64

func first() key { return key{math.MaxInt64, math.MaxUint64} }

// list is up to n tasks behind a key whose status is of that time or later, in
// order, and how many tasks match in all.
func (s *store) list(f filter, since int64, behind key, n int) (page []found, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexes[f]
	if x == nil {
		return nil, 0
	}
	total = x.rank(key{at: since})
	x.walk(behind, func(e *node) bool {
		if e.key.at < since || len(page) == n {
			return false
		}
		page = append(page, found{e.row.task, e.row.status, e.key})
		return true
	})
	return page, total
}
