//go:build unix

package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
	"github.com/a2awire/a2awire/ws"
)

// ticker streams an event every few milliseconds, with the time it was made.
type ticker struct {
	binding.Unimplemented
	events int
	every  time.Duration
	size   int
}

func (a *ticker) SendStreamingMessage(ctx context.Context, _ *binding.Call, req *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		stalled := req.GetMessage().GetMessageId() == "stalled"
		if !yield(stream(3)[0], nil) {
			return
		}
		t := time.NewTicker(a.every)
		defer t.Stop()
		for i := 0; stalled || i < a.events; i++ {
			if !stalled {
				<-t.C
			}
			ev := stream(3)[1]
			part := ev.GetArtifactUpdate().GetArtifact().GetParts()[0]
			part.Content = &pb.Part_Text{Text: time.Now().Format(time.RFC3339Nano)}
			if stalled { // as fast as it may
				part.Content = &pb.Part_Raw{Raw: make([]byte, a.size)}
			}
			if !yield(ev, nil) || ctx.Err() != nil {
				return
			}
		}
	}
}

// stalled measures how late the events of 99 streams are on one connection,
// with and without a hundredth whose caller takes nothing.
func stalled(w streamed, rounds int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, stop, err := serveAgent(w.binding, w.url, &ticker{events: int(2 * time.Second / w.every), every: w.every, size: 16 << 10})
	if err != nil {
		return err
	}
	defer stop()
	var without, with, ratio []float64
	var held float64
	for range rounds {
		alone, err := lateness(ctx, c, 99)
		if err != nil {
			return err
		}
		before := inUse()
		next, stop := iter.Pull2(c.SendStreamingMessage(ctx, nil, withID("stalled")))
		if _, err, _ := next(); err != nil {
			stop()
			return err
		}
		beside, err := lateness(ctx, c, 99)
		held = float64(inUse()-before) / (1 << 20)
		stop()
		if err != nil {
			return err
		}
		without, with, ratio = append(without, alone), append(with, beside), append(ratio, beside/alone)
	}
	fmt.Printf("\nevents of 99 streams on one %s, each every %s, late at the 99th percentile: %.2f ms alone, %.2f ms beside a stalled stream (%.2f times, median of %d rounds), which holds %.1f MiB; its window is %s\n",
		w.wire, w.every, middle(without)*1e3, middle(with)*1e3, middle(ratio), rounds, held, w.window)
	return nil
}

// streamed is a wire that carries many streams on one connection.
type streamed struct {
	wire, window string
	binding      binding.Binding
	url          string
	every        time.Duration // what is too often for the machine is late without a stall
}

func stalledOnSocket(rounds int) error {
	return stalled(streamed{"WebSocket", "4 MiB", ws.Binding{}, "ws://127.0.0.1:0", 10 * time.Millisecond}, rounds)
}

func stalledOnBroker(rounds int) error {
	broker, err := embedded.Start(nil)
	if err != nil {
		return err
	}
	defer broker.Close()
	return stalled(streamed{"MQTT connection", "1 MiB at either end", mqtt.Binding{}, broker.URL(), 40 * time.Millisecond}, rounds)
}

func middle(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}

func withID(id string) *pb.SendMessageRequest {
	r := request()
	r.Message.MessageId = id
	return r
}

// lateness is how many seconds old events are when they arrive, at the 99th percentile.
func lateness(ctx context.Context, c binding.Client, streams int) (float64, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	for range streams {
		wg.Go(func() {
			for ev, err := range c.SendStreamingMessage(ctx, nil, request()) {
				now := time.Now()
				mu.Lock()
				if err != nil {
					failed = err
				} else if parts := ev.GetArtifactUpdate().GetArtifact().GetParts(); len(parts) > 0 {
					if at, err := time.Parse(time.RFC3339Nano, parts[0].GetText()); err == nil {
						all = append(all, now.Sub(at))
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return 0, failed
	}
	slices.Sort(all)
	return all[len(all)*99/100].Seconds(), nil
}
