//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// crowd says when so many have asked, and answers them when it is told to.
type crowd struct {
	binding.Unimplemented
	missing     atomic.Int64
	all, answer chan struct{}
}

func (a *crowd) SendMessage(ctx context.Context, _ *binding.Call, _ *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	if a.missing.Add(-1) == 0 {
		close(a.all)
	}
	select {
	case <-a.answer:
		return newStub(0).answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// flight measures calls that are all in flight at the same time, on one
// connection at either end of a broker.
func flight(calls int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	broker, err := embedded.Start(nil)
	if err != nil {
		return err
	}
	defer broker.Close()
	agent := &crowd{all: make(chan struct{}), answer: make(chan struct{})}
	agent.missing.Store(int64(calls))
	c, stop, err := serveAgent(mqtt.Binding{}, broker.URL(), agent)
	if err != nil {
		return err
	}
	defer stop()
	before, began := inUse(), time.Now()
	var gathered time.Duration
	var held int64
	errs := make([]error, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { _, errs[i] = c.SendMessage(ctx, nil, request()) })
	}
	select {
	case <-agent.all:
		gathered, held = time.Since(began), int64(inUse()-before)
	case <-ctx.Done():
	}
	released := time.Now()
	close(agent.answer)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("\n%d calls in flight on one MQTT connection: all at the agent after %d ms, and answered %d ms after they may be; about %d KiB each, both ends and the broker\n",
		calls, gathered.Milliseconds(), time.Since(released).Milliseconds(), held/int64(calls)>>10)
	return nil
}
