//go:build interop

package mqtt_test

import (
	"syscall"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

const (
	// lost is how long a connection may say nothing.
	lost = aloneKeepAlive * 3 / 2
	// looks is how often mosquitto looks for such connections, and a second.
	looks = 6 * time.Second
	// given is how much longer calls wait for the agent to come back.
	given = 5 * time.Second
)

// An agent that dies, and one that only stops to say anything, as behind a
// cable that is cut: the card tells it, and the calls in flight fail.
func TestAgentDies(t *testing.T) {
	for name, c := range map[string]struct {
		signal  syscall.Signal
		noticed time.Duration
	}{
		"killed": {syscall.SIGKILL, lost},
		"silent": {syscall.SIGSTOP, lost + looks},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // both wait, and do little
			b := leg.StartMosquitto(t)
			url := b.URL() + "/" + freshPath()
			agent := startAlone(t, url)
			client := dial(t, url, nil)
			ctx := within(t, 60*time.Second)
			next, stop := watch(ctx, t, b, url)
			defer stop()
			f, err, _ := next()
			require.NoError(t, err)
			require.True(t, f.Online)

			const calls = 3
			ended := make(chan error, calls)
			for range calls - 1 {
				go func() { ended <- read(ctx, client, message("long 60")).err }()
			}
			go func() {
				_, err := client.SendMessage(ctx, nil, message("long 60"))
				ended <- err
			}()
			require.Eventually(t, func() bool {
				all, err := client.ListTasks(ctx, nil, new(pb.ListTasksRequest))
				return assert.NoError(t, err) && len(all.GetTasks()) == calls
			}, patience, tick)

			dead := time.Now()
			agent.signal(t, c.signal)
			f, err, _ = next()
			require.NoError(t, err)
			assert.False(t, f.Online)
			assert.Equal(t, "lwt", f.Source)
			assert.Less(t, time.Since(dead), c.noticed)
			for range calls {
				require.ErrorIs(t, <-ended, binding.ErrUnavailable)
			}
			assert.Less(t, time.Since(dead), c.noticed+given+time.Second)

			now := time.Now()
			_, err = client.SendMessage(ctx, nil, message("hello"))
			require.ErrorIs(t, err, binding.ErrUnavailable)
			require.ErrorContains(t, err, "offline")
			assert.Less(t, time.Since(now), time.Second, "it is known that nobody is there")

			// Another process takes its place, and the client goes on.
			agent.kill()
			startAlone(t, url)
			require.Eventually(t, func() bool {
				_, err := client.SendMessage(ctx, nil, message("hello"))
				return err == nil
			}, patience, tick)
		})
	}
}
