package mqtt_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// counting counts what it executes, and waits until it may answer.
type counting struct {
	binding.Unimplemented
	n      atomic.Int64
	begun  chan struct{}
	answer chan struct{}
}

func (c *counting) GetTask(ctx context.Context, _ *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
	c.n.Add(1)
	c.begun <- struct{}{}
	select {
	case <-c.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return task(), nil
}

// A request that comes twice is executed once, and answered twice.
func TestRepetitions(t *testing.T) {
	url := broker(t).URL()
	agent := &counting{begun: make(chan struct{}, 10), answer: make(chan struct{})}
	s := serve(t, url, agent, nil)
	r := newRequester(t, url, s)
	id := []string{"a2a-request-id", "one"}
	r.ask(t, "a", getTask, id...)
	<-agent.begun
	r.ask(t, "b", getTask, id...) // while the first is in flight
	r.ask(t, "x", `{"jsonrpc":"2.0","id":1,"method":"Nope"}`)
	r.answers(t, "x", "-32601") // "b" has been taken by now, or is soon
	close(agent.answer)
	seen := map[string]bool{}
	for range 2 {
		p := r.next(within(t), t)
		seen[string(p.Properties.CorrelationData)] = true
		assert.Contains(t, string(p.Payload), `"id":7,"result":`)
	}
	assert.Equal(t, map[string]bool{"a": true, "b": true}, seen)
	r.ask(t, "c", getTask, id...) // when it is done
	r.answers(t, "c", `"id":7,"result":`)
	assert.Equal(t, int64(1), agent.n.Load())

	// Another requester with the same id is another request.
	other := newRequester(t, url, s)
	other.ask(t, "d", getTask, id...)
	other.answers(t, "d", `"result"`)
	assert.Equal(t, int64(2), agent.n.Load())
	// As is one without an id.
	r.ask(t, "e", getTask)
	r.ask(t, "f", getTask)
	r.next(within(t), t)
	r.next(within(t), t)
	assert.Equal(t, int64(4), agent.n.Load())
}

// That a server is full does not change what a request was answered with.
func TestRepetitionAtAFullServer(t *testing.T) {
	url := broker(t).URL()
	agent := &counting{begun: make(chan struct{}, 10), answer: make(chan struct{})}
	s := serve(t, url, agent, &mqtt.Options{MaxCalls: 1})
	r := newRequester(t, url, s)
	id := []string{"a2a-request-id", "one"}
	r.ask(t, "a", getTask, id...)
	<-agent.begun
	agent.answer <- struct{}{}
	r.answers(t, "a", `"result"`)
	// A call has ended only a little after its answer is there.
	for began := false; !began; {
		r.ask(t, "busy", getTask)
		select {
		case <-agent.begun:
			began = true
		case p := <-r.got:
			assert.Contains(t, string(p.Payload), `"code":-32000`)
		}
	}
	r.ask(t, "b", strings.Replace(getTask, `"id":7`, `"id":8`, 1), id...)
	r.answers(t, "b", `"id":8,"error":{"code":-32000`)
	close(agent.answer)
	r.answers(t, "busy", `"result"`)
	for full := true; full; {
		r.ask(t, "c", getTask, id...)
		p := r.next(within(t), t)
		require.Contains(t, string(p.Payload), `"id":7`, "not what the repetition got")
		full = strings.Contains(string(p.Payload), `"code":-32000`)
	}
	assert.Equal(t, int64(2), agent.n.Load())
}

const subscribe = `{"jsonrpc":"2.0","id":7,"method":"SubscribeToTask","params":{"id":"t-1"}}`

// A request of a stream that the broker delivers twice leaves the stream to who
// reads it: the credits of the one correlation are the first one's.
func TestDuplicateOfAStream(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(8)
	close(agent.goOn)
	r := newRequester(t, url, serve(t, url, agent, nil))
	again := []string{"a2a-request-id", "one", "a2a-stream-window", "4"}
	r.ask(t, "c", subscribe, again...)
	for range 4 {
		r.item(t)
	}
	r.control(t, "c", "a2a-requester-agent-id", "bare", "a2a-control", "credit", "a2a-stream-ack", "2")
	for range 2 {
		r.item(t)
	}
	r.ask(t, "c", subscribe, again...)
	r.ask(t, "x", `{"jsonrpc":"2.0","id":1,"method":"Nope"}`)
	r.answers(t, "x", "-32601") // the duplicate has been taken
	r.control(t, "c", "a2a-requester-agent-id", "bare", "a2a-control", "credit", "a2a-stream-ack", "6")
	for range 2 {
		r.item(t)
	}
	assert.Equal(t, int64(1), agent.n.Load())
}

// A control packet that names no requester is of who knows the correlation, if
// one call alone has that.
func TestControlWithoutARequester(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(6)
	close(agent.goOn)
	s := serve(t, url, agent, nil)
	r := newRequester(t, url, s)
	r.ask(t, "c", subscribe, "a2a-request-id", "one", "a2a-stream-window", "4")
	for range 4 {
		r.item(t)
	}
	r.control(t, "c", "a2a-control", "credit", "a2a-stream-ack", "1")
	r.item(t)
	other := newRequester(t, url, s)
	other.send(t, &paho.Publish{Topic: other.to, Payload: []byte(subscribe), Properties: &paho.PublishProperties{
		ResponseTopic: other.replies, CorrelationData: []byte("c"),
		User: paho.UserProperties{{Key: "a2a-request-id", Value: "two"}, {Key: "a2a-stream-window", Value: "1"}},
	}})
	other.item(t)
	r.control(t, "c", "a2a-control", "credit", "a2a-stream-ack", "2") // whose?
	r.ask(t, "x", `{"jsonrpc":"2.0","id":1,"method":"Nope"}`)
	r.answers(t, "x", "-32601")
}

// item asserts that the next packet of a stream is an item, not a heartbeat.
func (r *requester) item(t testing.TB) {
	t.Helper()
	require.NotEmpty(t, r.next(within(t), t).Payload, "nothing but a heartbeat")
}

// control sends a control packet, with user properties in pairs.
func (r *requester) control(t testing.TB, correlation string, user ...string) {
	t.Helper()
	p := &paho.Publish{Topic: r.to, Properties: &paho.PublishProperties{CorrelationData: []byte(correlation)}}
	for i := 0; i < len(user); i += 2 {
		p.Properties.User.Add(user[i], user[i+1])
	}
	r.send(t, p)
}

// The correlation counts for the size of a reply.
func TestReplyWithALongCorrelation(t *testing.T) {
	url := broker(t).URL()
	r := newRequester(t, url, serve(t, url, scripted{}, nil))
	for _, n := range []int{20, 4000} {
		correlation := strings.Repeat("c", n)
		r.ask(t, correlation, getTask, "a2a-max-reply-bytes", "4000")
		p := r.answers(t, correlation, `"id":7`)
		assert.Equal(t, n > 1000, strings.Contains(string(p.Payload), "payload_too_large"), "%d bytes", n)
	}
}
