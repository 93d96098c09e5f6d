//go:build interop

package mqtt_test

import (
	"context"
	"iter"
	"syscall"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/mqtt"
)

const (
	// outage is how long a broker is away.
	outage = 10 * time.Second
	// reconnect is how long after its return all is as before.
	reconnect = 5 * time.Second
)

// A broker that is killed and comes back has forgotten everything: sessions,
// subscriptions, cards, and what was on its way.
func TestBrokerIsKilled(t *testing.T) {
	b := leg.StartMosquitto(t)
	url := b.URL() + "/" + freshPath()
	const inFlight, late = 8, 8
	w := newWorker("w", inFlight+late+2)
	serve(t, url, w, nil)
	client := dial(t, url, nil)
	resuming := binding.Resume(dial(t, url, nil), nil)
	defer resuming.Close()
	ctx := within(t, 60*time.Second)

	calls := make(chan error, inFlight+late)
	want := map[string]int{}
	call := func(m *pb.SendMessageRequest) {
		want[m.GetMessage().GetMessageId()] = 1
		go func() {
			_, err := client.SendMessage(ctx, nil, m)
			calls <- err
		}()
	}
	for range inFlight {
		call(message("before"))
	}
	streams := [2]chan stream{make(chan stream, 1), make(chan stream, 1)}
	for i, c := range []binding.Agent{client, resuming} {
		m := message("chunks 500")
		want[m.GetMessage().GetMessageId()] = 1
		go func() { streams[i] <- read(ctx, c, m) }()
	}
	for range inFlight + len(streams) {
		<-w.begun
	}

	b.End(t, syscall.SIGKILL)
	for range late {
		call(message("meanwhile"))
	}
	close(w.goOn) // the agent goes on, and nobody can be told
	<-time.After(outage)
	b.Run(t)
	back := time.Now()
	_, err := client.GetTask(ctx, nil, getTask("t"))
	require.NoError(t, err)
	assert.Less(t, time.Since(back), reconnect)

	for range inFlight + late {
		require.NoError(t, <-calls, "no request is lost")
	}
	told := <-streams[0]
	if told.err == nil {
		assert.Equal(t, stream{chunks: 500, state: pb.TaskState_TASK_STATE_COMPLETED}, told)
	} else {
		require.ErrorIs(t, told.err, binding.ErrUnavailable)
	}
	healed := <-streams[1]
	require.NoError(t, healed.err)
	assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, healed.state)
	assert.Equal(t, want, w.counts(), "none is executed twice")
	assert.Less(t, time.Since(back), 2*reconnect)

	// The card is there again, for who has never been here before.
	assert.True(t, found(ctx, t, b, url).Online)
}

// found is the next that a broker says of an agent.
func found(ctx context.Context, t testing.TB, b *leg.Mosquitto, url string) mqtt.Found {
	t.Helper()
	next, stop := watch(ctx, t, b, url)
	defer stop()
	f, err, _ := next()
	require.NoError(t, err)
	return f
}

// watch is what a broker says of an agent.
func watch(ctx context.Context, t testing.TB, b *leg.Mosquitto, url string) (next func() (mqtt.Found, error, bool), stop func()) {
	t.Helper()
	a, err := mqtt.ParseAddress(url[len(b.URL())+1:])
	require.NoError(t, err)
	conn, err := mqtt.Connect(ctx, b.URL(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return iter.Pull2(mqtt.Discover(ctx, conn, mqtt.Filter{Org: a.Org, Unit: a.Unit, Agent: a.Agent}))
}

// A request that is given up while the broker is away is not executed when it
// comes back.
func TestCallerLeavesInAnOutage(t *testing.T) {
	b := leg.StartMosquitto(t)
	url := b.URL() + "/" + freshPath()
	w := newWorker("w", 0)
	serve(t, url, w, nil)
	client := dial(t, url, nil)
	b.End(t, syscall.SIGKILL)
	_, err := client.SendMessage(within(t, time.Second), nil, message("too late"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.Run(t)
	m := message("in time")
	_, err = client.SendMessage(within(t, patience), nil, m)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{m.GetMessage().GetMessageId(): 1}, w.counts())
}
