package equivalence

import (
	"context"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// stage is where one run of a scenario takes place: what its agent and its
// conversation share beside the wire. All methods may be called at the same time.
type stage struct {
	scenario Scenario
	relayed  bool
	card     *pb.AgentCard
	client   journal
	agent    journal
	over     context.Context // ends when the run does, or is given up

	mu       sync.Mutex
	gates    map[string]chan struct{}
	step     string
	visits   []*visit
	failures []Difference
}

func newStage(over context.Context, s Scenario, relayed bool) *stage {
	card := fullCard()
	if s.card != nil {
		s.card(card)
	}
	return &stage{scenario: s, relayed: relayed, card: card, over: over, gates: map[string]chan struct{}{}}
}

// at names what happens next, for the watchdog.
func (st *stage) at(step string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.step = step
}

func (st *stage) where() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.step
}

// gate is a named point that one side reaches and the other waits for.
func (st *stage) gate(name string) chan struct{} {
	st.mu.Lock()
	defer st.mu.Unlock()
	g, ok := st.gates[name]
	if !ok {
		g = make(chan struct{})
		st.gates[name] = g
	}
	return g
}

// open opens a gate. It may be open already.
func (st *stage) open(name string) {
	g := st.gate(name)
	st.mu.Lock()
	defer st.mu.Unlock()
	select {
	case <-g:
	default:
		close(g)
	}
}

// pass waits until a gate is open, and reports whether it is: the context may
// end before, or the run be given up.
func (st *stage) pass(ctx context.Context, name string) bool {
	select {
	case <-st.gate(name):
		return true
	case <-ctx.Done():
	case <-st.over.Done():
	}
	return false
}

func (st *stage) failed(d Difference) {
	d.Scenario, d.Section = st.scenario.Name, st.scenario.Section
	st.mu.Lock()
	defer st.mu.Unlock()
	st.failures = append(st.failures, d)
}

// visited are the calls that reached the agent, in order.
func (st *stage) visited() []*visit {
	st.mu.Lock()
	defer st.mu.Unlock()
	return append([]*visit(nil), st.visits...)
}

func (st *stage) arrived(v *visit) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.visits = append(st.visits, v)
}

// last is the request of the last call that reached the agent, nil if none did.
func (st *stage) last() proto.Message {
	if vs := st.visited(); len(vs) > 0 {
		return vs[len(vs)-1].saw
	}
	return nil
}
