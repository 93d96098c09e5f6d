package refagent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
)

// receiver is a webhook that tells what it gets.
type receiver struct {
	*httptest.Server
	headers chan http.Header
	events  chan *pb.StreamResponse
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{headers: make(chan http.Header, 100), events: make(chan *pb.StreamResponse, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		b, err := io.ReadAll(req.Body)
		ev := new(pb.StreamResponse)
		if err == nil && req.Method == http.MethodPost && assert.NoError(t, protojson.Unmarshal(b, ev)) {
			r.headers <- req.Header
			r.events <- ev
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) next(n int) []*pb.StreamResponse {
	out := make([]*pb.StreamResponse, n)
	for i := range out {
		out[i] = <-r.events
	}
	return out
}

func TestWebhook_4_3_3_GetsTheEventsInOrder(t *testing.T) {
	hook := newReceiver(t)
	a := newAgent(t, &Options{AllowPrivateWebhooks: true})
	r := say("stream 5")
	r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{
		Url: hook.URL + "/n?q=1", Token: "tok-1",
		Authentication: &pb.AuthenticationInfo{Scheme: "bearer", Credentials: "s3cr3t"},
	}}
	task := send(t, a, r)
	got := hook.next(7)
	assert.Equal(t, []string{
		"WORKING", "artifact chunk 1", "artifact chunk 2", "artifact chunk 3", "artifact chunk 4", "artifact chunk 5", "COMPLETED",
	}, brief(got))
	assert.Equal(t, task.GetId(), got[0].GetStatusUpdate().GetTaskId())
	h := <-hook.headers
	assert.Equal(t, "application/a2a+json", h.Get("Content-Type"))
	assert.Equal(t, "bearer s3cr3t", h.Get("Authorization"), "the scheme's text is kept")
	assert.Equal(t, "tok-1", h.Get("X-A2A-Notification-Token"))
}

func TestWebhook_4_3_3_NoCredentialsNoHeader(t *testing.T) {
	hook := newReceiver(t)
	a := newAgent(t, &Options{AllowPrivateWebhooks: true})
	task := send(t, a, say("input"))
	create(t, a, &pb.TaskPushNotificationConfig{
		TaskId: task.GetId(), Url: hook.URL, Authentication: &pb.AuthenticationInfo{Scheme: "Bearer"},
	})
	cancel(t, a, task.GetId())
	assert.Equal(t, []string{"CANCELED"}, brief(hook.next(1)))
	h := <-hook.headers
	assert.NotContains(t, h, "Authorization")
	assert.NotContains(t, h, "X-A2a-Notification-Token")
}

func TestWebhook_4_3_3_SlowOneBlocksNobody(t *testing.T) {
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(release) })
	quick := newReceiver(t)
	a := newAgent(t, &Options{AllowPrivateWebhooks: true})
	task := send(t, a, say("input"))
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Url: slow.URL})
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Url: quick.URL})
	assert.Equal(t, "COMPLETED", stateOf(send(t, a, reply(task, "x"))))
	assert.Equal(t, []string{"WORKING", "artifact got: x", "COMPLETED"}, brief(quick.next(3)))
}

func TestWebhook_13_2_PrivateAddressesAreRefusedWhenDialed(t *testing.T) {
	hook := newReceiver(t)
	s := newSender(&Options{})
	t.Cleanup(s.close)
	// The check at creation is passed by: a name could lead here later.
	err := s.send(t.Context(), &pb.TaskPushNotificationConfig{Url: hook.URL}, &pb.StreamResponse{})
	require.ErrorIs(t, err, errNotPublic)
	require.ErrorIs(t, err, errRefused)
	assert.Empty(t, hook.events)
}

func TestWebhook_13_2_PublicAddresses(t *testing.T) {
	for s, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "::": false,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "fd00::1": false,
		"169.254.169.254": false, "fe80::1": false, "224.0.0.1": false, "ff02::1": false, "255.255.255.255": false,
		"100.64.0.1": false, "0.1.2.3": false, "198.18.0.1": false, "240.0.0.1": false,
		"::ffff:127.0.0.1": false, "::ffff:100.64.0.1": false, "fec0::1%eth0": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001::1": false,
		"172.32.0.1": true, "100.128.0.1": true,
	} {
		assert.Equal(t, want, public(netip.MustParseAddr(s)), s)
	}
	require.ErrorIs(t, controlPublic("tcp6", "[fe80::1%eth0]:80", nil), errNotPublic)
	require.ErrorIs(t, controlPublic("tcp", "nonsense", nil), errNotPublic)
	require.NoError(t, controlPublic("tcp4", "8.8.8.8:443", nil))
}

func TestWebhook_13_2_RedirectsAreNotFollowed(t *testing.T) {
	hook := newReceiver(t)
	redirect := httptest.NewServer(http.RedirectHandler(hook.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	s := newSender(&Options{AllowPrivateWebhooks: true})
	t.Cleanup(s.close)
	err := s.send(t.Context(), &pb.TaskPushNotificationConfig{Url: redirect.URL}, &pb.StreamResponse{})
	require.ErrorIs(t, err, errRefused)
	assert.Empty(t, hook.events)
}

// transport answers in the place of a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(code int) (*http.Response, error) {
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// calls is a webhook that answers the nth call, from 1, with f, and keeps when each came.
type calls struct {
	mu    sync.Mutex
	times []time.Duration
	start time.Time
}

func (c *calls) client(f func(n int, r *http.Request) (*http.Response, error)) *http.Client {
	c.start = time.Now()
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		c.mu.Lock()
		c.times = append(c.times, time.Since(c.start))
		n := len(c.times)
		c.mu.Unlock()
		return f(n, r)
	})}
}

func (c *calls) at() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.times
}

func TestWebhook_13_2_TriesAgainWithBackoff(t *testing.T) {
	event := &pb.StreamResponse{}
	config := &pb.TaskPushNotificationConfig{Url: hookURL}
	for name, c := range map[string]struct {
		answer func(n int, r *http.Request) (*http.Response, error)
		at     []time.Duration
		ok     bool
	}{
		"taken":             {func(int, *http.Request) (*http.Response, error) { return answer(204) }, []time.Duration{0}, true},
		"refused":           {func(int, *http.Request) (*http.Response, error) { return answer(404) }, []time.Duration{0}, false},
		"always down":       {func(int, *http.Request) (*http.Response, error) { return answer(503) }, []time.Duration{0, 1, 3}, false},
		"too many":          {func(n int, _ *http.Request) (*http.Response, error) { return answer([]int{429, 200}[n-1]) }, []time.Duration{0, 1}, true},
		"not to be reached": {func(int, *http.Request) (*http.Response, error) { return nil, errors.New("no route") }, []time.Duration{0, 1, 3}, false},
		"hangs": {func(n int, r *http.Request) (*http.Response, error) {
			if n == 3 {
				return answer(200)
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, []time.Duration{0, 16, 33}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log calls
				s := newSender(&Options{WebhookClient: log.client(c.answer)})
				err := s.send(t.Context(), config, event)
				assert.Equal(t, c.ok, err == nil, err)
				var at []time.Duration
				for _, d := range log.at() {
					at = append(at, d/time.Second)
				}
				assert.Equal(t, c.at, at)
			})
		})
	}
}

func TestWebhook_3_1_10_NothingIsSentAfterDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log calls
		a := newAgent(t, &Options{WebhookClient: log.client(func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})})
		task := send(t, a, say("input"))
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Id: "p", Url: hookURL})
		send(t, a, reply(task, "x"))
		synctest.Wait()
		require.Len(t, log.at(), 1)
		_, err := a.DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: task.GetId(), Id: "p"})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		assert.Len(t, log.at(), 1)
	})
}

func TestWebhook_3_1_7_ReplacementGoesOnWhereTheOldOneWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		a := newAgent(t, &Options{WebhookClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/old" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			b, _ := io.ReadAll(r.Body)
			ev := new(pb.StreamResponse)
			_ = protojson.Unmarshal(b, ev)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, brief([]*pb.StreamResponse{ev})...)
			return answer(200)
		})}})
		task := send(t, a, say("input"))
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Id: "p", Url: "https://hook.example/old"})
		send(t, a, reply(task, "x"))
		synctest.Wait()
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Id: "p", Url: "https://hook.example/new"})
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, []string{"WORKING", "artifact got: x", "COMPLETED"}, got)
	})
}

func TestWebhook_4_3_3_GivesUpAndSaysSoWithoutSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log calls
		var out bytes.Buffer
		a := New(&Options{
			Logger:        slog.New(slog.NewTextHandler(&out, nil)),
			WebhookClient: log.client(func(int, *http.Request) (*http.Response, error) { return nil, errors.New("no route") }),
		})
		r := say("stream 20")
		r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{
			Url: "https://hook.example/path-secret?q=query-secret", Token: "token-secret",
			Authentication: &pb.AuthenticationInfo{Scheme: "Bearer", Credentials: "credential-secret"},
		}}
		send(t, a, r)
		a.wg.Wait()
		require.NoError(t, a.Close())
		assert.Len(t, log.at(), maxFailures*webhookTries)
		assert.Contains(t, out.String(), "webhook given up")
		assert.Contains(t, out.String(), "no route")
		assert.NotContains(t, out.String(), "secret")
	})
}

func TestWebhook_CloseEndsDeliveriesAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false // written by the delivery, read after Close: the race detector watches, too
		a := New(&Options{WebhookClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			time.Sleep(time.Second) // it takes its time to stop
			ended = true
			return nil, context.Cause(r.Context())
		})}})
		task := send(t, a, say("input"))
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Url: hookURL})
		cancel(t, a, task.GetId())
		synctest.Wait()
		start := time.Now()
		require.NoError(t, a.Close())
		assert.True(t, ended)
		assert.Equal(t, time.Second, time.Since(start))
	})
}
