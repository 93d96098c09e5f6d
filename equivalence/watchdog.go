package equivalence

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"go.uber.org/goleak"
)

// DefaultTimeout is how long the watchdog lets a scenario take.
const DefaultTimeout = 30 * time.Second

// grace is how long a scenario that was given up may take to end.
const grace = 5 * time.Second

// perform runs a scenario over a wire, under the watchdog, and counts goroutines.
func perform(ctx context.Context, s Scenario, w Wire, o Options) record {
	over, giveUp := context.WithCancel(ctx)
	defer giveUp()
	st := newStage(over, s, o.Relayed)
	before := goleak.IgnoreCurrent()
	done := make(chan struct{})
	go func() {
		defer close(done)
		conduct(st, w)
	}()
	timeout := o.timeout(s)
	hung := !ended(done, timeout)
	if hung {
		st.failed(Difference{Side: SideHang, Step: st.where(), What: "time of the scenario",
			Want: fmt.Sprintf("at most %v", timeout), Got: "hangs\n" + stacks()})
		giveUp()
		ended(done, min(timeout, grace))
	} else if err := goleak.Find(o.ignored(before)...); err != nil {
		st.failed(Difference{Side: SideGoroutines, What: "goroutines after the teardown", Want: "those of before", Got: sprint(err)})
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return record{
		client: st.client.canonical(s.concurrent), agent: st.agent.canonical(s.concurrent),
		failures: st.failures, hung: hung,
	}
}

// ended waits until a goroutine has ended, a time at most.
func ended(done <-chan struct{}, most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// stacks are those of all goroutines, 256 KiB at most.
func stacks() string {
	b := make([]byte, 256<<10)
	return string(b[:runtime.Stack(b, true)])
}

// conduct wires the agent up, has the conversation, and tears down.
func conduct(st *stage, w Wire) {
	defer st.caught()
	p := new(play)
	st.scenario.play(p)
	st.at("wiring up")
	wired := false
	defer func() {
		if !wired {
			st.failed(Difference{Side: SideWire, What: "wiring up", Want: "a client", Got: "the maker failed"})
		}
	}()
	client, teardown, err := w(newAgent(st, p))
	wired = true
	if err != nil {
		st.failed(Difference{Side: SideWire, What: "wiring up", Want: "a client", Got: err.Error()})
		return
	}
	down := sync.OnceFunc(func() {
		st.at("tearing down")
		teardown()
	})
	defer down()
	p.client(newTalk(st, client, down))
}
