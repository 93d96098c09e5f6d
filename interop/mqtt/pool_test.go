//go:build interop

package mqtt_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

// pool is some instances of an agent behind one address.
type pool struct {
	url     string // of the pool
	members []*worker
	proxies []*proxy // each before one member
}

// options are those of members, and of their clients.
func options() *mqtt.Options { return &mqtt.Options{Root: otherRoot} }

// newPool starts a pool of so many instances.
func newPool(t testing.TB, b *leg.Mosquitto, size int) *pool {
	t.Helper()
	name := fmt.Sprintf("p%d", names.Add(1))
	p := &pool{url: b.URL() + "/acme/edge/pool/" + name}
	for i := range size {
		w := newWorker(fmt.Sprintf("%s-%d", name, i), 0)
		front := before(t, b, func(packet) verdict { return pass })
		o := options()
		o.Pool = name
		serve(t, front.url()+"/acme/edge/"+w.name, w, o)
		p.members, p.proxies = append(p.members, w), append(p.proxies, front)
	}
	return p
}

// executed is how often each message was, by whomever, and how many each has.
func (p *pool) executed() (messages map[string]int, shares []int) {
	messages = map[string]int{}
	for _, w := range p.members {
		n := 0
		for id, times := range w.counts() {
			messages[id] += times
			n += times
		}
		shares = append(shares, n)
	}
	return messages, shares
}

func TestPoolShares(t *testing.T) {
	b := leg.StartMosquitto(t)
	for _, size := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d instances", size), func(t *testing.T) {
			p := newPool(t, b, size)
			client := dial(t, p.url, options())
			const calls = 120
			got := sendAll(within(t, patience), client, calls, 8, nil)
			for id, err := range got {
				require.NoError(t, err, id)
			}
			messages, shares := p.executed()
			assert.Len(t, messages, calls)
			for id, n := range messages {
				assert.Equal(t, 1, n, "%s is executed more than once", id)
			}
			for i, n := range shares {
				assert.Greater(t, n, calls/size/2, "instance %d of %v", i, shares)
			}
		})
	}
}

// sendAll sends so many messages, some at the same time, and is what became of
// each. It tells of the number of each that has ended.
func sendAll(ctx context.Context, client binding.Agent, calls, atATime int, ended func(n int)) map[string]error {
	var mu sync.Mutex
	out := map[string]error{}
	todo := make(chan *pb.SendMessageRequest)
	var work sync.WaitGroup
	for range atATime {
		work.Go(func() {
			for m := range todo {
				_, err := client.SendMessage(ctx, nil, m)
				mu.Lock()
				out[m.GetMessage().GetMessageId()] = err
				n := len(out)
				mu.Unlock()
				if ended != nil {
					ended(n)
				}
			}
		})
	}
	for range calls {
		todo <- message("share")
	}
	close(todo)
	work.Wait()
	return out
}

// An instance that is cut off in the midst of its work: what it has taken fails
// in bounded time, and may have been executed; all else is answered by the
// others. Nothing is executed twice, as nothing that was taken is sent again.
func TestPoolMemberIsCutOff(t *testing.T) {
	b := leg.StartMosquitto(t)
	p := newPool(t, b, 3)
	client := dial(t, p.url, options())
	const calls, atATime = 400, 8
	got := sendAll(within(t, 2*patience), client, calls, atATime, func(n int) {
		if n == calls/4 {
			p.proxies[1].cut()
		}
	})
	require.Len(t, got, calls)
	failed := 0
	for id, err := range got {
		if err != nil {
			require.ErrorIs(t, err, binding.ErrUnavailable, id)
			failed++
		}
	}
	assert.LessOrEqual(t, failed, atATime, "more fail than were with the instance")
	messages, shares := p.executed()
	for id, err := range got {
		assert.LessOrEqual(t, messages[id], 1, "%s is executed more than once (%v)", id, err)
		if err == nil {
			assert.Equal(t, 1, messages[id], "%s is answered, and was not executed", id)
		}
	}
	t.Logf("%d of %d failed; shares %v", failed, calls, shares)
}

// mosquitto takes the subscription of a pool below a root that begins with $,
// and never delivers to it.
func TestPoolBelowDollarRoot(t *testing.T) {
	b := leg.StartMosquitto(t)
	began := time.Now()
	o := mqtt.Options{Pool: "workers"}
	_, err := mqtt.Binding{Options: o}.Serve(within(t, 10*time.Second), &pb.AgentInterface{Url: b.URL() + "/" + freshPath()}, newWorker("w", 0))
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation)
	require.ErrorContains(t, err, `delivers nothing to shared subscriptions below "$a2a/v1"`)
	require.ErrorContains(t, err, `set Root to "a2a/v1"`)
	assert.Less(t, time.Since(began), 5*time.Second, "it is told at the start")
	o.Root = otherRoot
	serve(t, b.URL()+"/"+freshPath(), newWorker("w", 0), &o)
}
