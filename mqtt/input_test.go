package mqtt_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// requester is a bare client with a topic for replies.
type requester struct {
	*bareClient
	to, replies string
}

// serve serves an agent at a fresh address of a broker.
func serve(t testing.TB, url string, agent binding.Agent, o *mqtt.Options) binding.Server {
	t.Helper()
	if o == nil {
		o = new(mqtt.Options)
	}
	s, err := mqtt.Binding{Options: *o}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/" + freshPath()}, agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// path is the address of a server.
func path(s binding.Server) string {
	return strings.SplitN(s.Interface().GetUrl(), "/", 4)[3]
}

func newRequester(t testing.TB, url string, s binding.Server) *requester {
	t.Helper()
	r := &requester{bareClient: bare(t, url), to: "$a2a/v1/request/" + path(s), replies: "$a2a/v1/reply/" + freshPath() + "/s"}
	r.subscribe(t, r.replies)
	return r
}

const getTask = `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t-1"}}`

// ask sends a request, with user properties in pairs.
func (r *requester) ask(t testing.TB, correlation, payload string, user ...string) {
	t.Helper()
	p := &paho.Publish{Topic: r.to, Payload: []byte(payload), Properties: &paho.PublishProperties{
		ResponseTopic: r.replies, CorrelationData: []byte(correlation), User: paho.UserProperties{{Key: "a2a-requester-agent-id", Value: "bare"}},
	}}
	for i := 0; i < len(user); i += 2 {
		p.Properties.User.Add(user[i], user[i+1])
	}
	r.send(t, p)
}

// answers asserts that the next reply is to a correlation and contains a text.
func (r *requester) answers(t testing.TB, correlation, want string) *paho.Publish {
	t.Helper()
	p := r.next(within(t), t)
	assert.Equal(t, correlation, string(p.Properties.CorrelationData))
	assert.Contains(t, string(p.Payload), want)
	return p
}

// What cannot be answered is passed over, and the agent goes on.
func TestRequestsWithoutAnAnswer(t *testing.T) {
	url := broker(t).URL()
	s := serve(t, url, scripted{}, nil)
	r := newRequester(t, url, s)
	props := func(topic, correlation string) *paho.PublishProperties {
		p := &paho.PublishProperties{ResponseTopic: topic}
		if correlation != "" {
			p.CorrelationData = []byte(correlation)
		}
		return p
	}
	spy := bare(t, url)
	spy.subscribe(t, "elsewhere/#")
	spy.subscribe(t, "$a2a/v1/discovery/#")
	for name, p := range map[string]*paho.Publish{
		"nothing":                     {Payload: []byte(getTask)},
		"no correlation":              {Payload: []byte(getTask), Properties: props(r.replies, "")},
		"wildcard in Response Topic":  {Payload: []byte(getTask), Properties: props("$a2a/v1/reply/#", "1")},
		"plus in Response Topic":      {Payload: []byte(getTask), Properties: props("$a2a/v1/reply/a/+/c/d", "1")},
		"foreign topic":               {Payload: []byte(getTask), Properties: props("elsewhere/here", "1")},
		"the topic of cards":          {Payload: []byte(getTask), Properties: props("$a2a/v1/discovery/a/b/c", "1")},
		"the topic of requests":       {Payload: []byte(getTask), Properties: props("$a2a/v1/request/a/b/c", "1")},
		"a long Response Topic":       {Payload: []byte(getTask), Properties: props("$a2a/v1/reply/"+strings.Repeat("a/", 600), "1")},
		"no payload":                  {Properties: props(r.replies, "1")},
		"a notification":              {Payload: []byte(`{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}`), Properties: props(r.replies, "1")},
		"control of no call":          {Properties: &paho.PublishProperties{CorrelationData: []byte("1"), User: paho.UserProperties{{Key: "a2a-control", Value: "credit"}}}},
		"control without correlation": {Properties: &paho.PublishProperties{User: paho.UserProperties{{Key: "a2a-control", Value: "cancel-stream"}}}},
		"control that nobody knows":   {Properties: &paho.PublishProperties{User: paho.UserProperties{{Key: "a2a-control", Value: "explode"}}}},
	} {
		p.Topic = r.to
		r.send(t, p)
		r.ask(t, "after "+name, getTask)
		r.answers(t, "after "+name, `"id":7,"result":{"id":"t-1"`)
	}
	r.ask(t, "last", getTask)
	r.answers(t, "last", `"id":7,"result":{"id":"t-1"`)
	// What the agent published elsewhere is there by now, and before this.
	spy.publish(t, "elsewhere/fence", nil, false)
	for {
		p := spy.next(within(t), t)
		if p.Topic == "elsewhere/fence" {
			break
		}
		assert.NotEqual(t, "elsewhere/here", p.Topic)
		assert.NotContains(t, string(p.Payload), "jsonrpc", p.Topic)
	}
}

// A retained request is delivered when it is sent, as any: that it is retained
// shows with a later subscription alone.
func TestRetainedRequestIsNew(t *testing.T) {
	url := broker(t).URL()
	r := newRequester(t, url, serve(t, url, scripted{}, nil))
	r.send(t, &paho.Publish{Topic: r.to, Retain: true, Payload: []byte(getTask), Properties: &paho.PublishProperties{
		ResponseTopic: r.replies, CorrelationData: []byte("1")}})
	r.answers(t, "1", `"result"`)
}

// A request that was retained before the agent came is nobody's.
func TestRetainedRequestIsStale(t *testing.T) {
	url := broker(t).URL()
	b := bare(t, url)
	b.subscribe(t, "$a2a/v1/reply/x/y/z/1")
	first := bare(t, url)
	first.subscribe(t, "$a2a/v1/request/acme/edge/late")
	b.send(t, &paho.Publish{Topic: "$a2a/v1/request/acme/edge/late", Retain: true, Payload: []byte(getTask), Properties: &paho.PublishProperties{
		ResponseTopic: "$a2a/v1/reply/x/y/z/1", CorrelationData: []byte("stale")}})
	first.next(within(t), t) // so it is delivered to who was there
	s, err := mqtt.Binding{}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/late"}, scripted{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	r := newRequester(t, url, s)
	r.replies = "$a2a/v1/reply/x/y/z/1"
	r.ask(t, "fresh", getTask)
	p := b.next(within(t), t)
	assert.Equal(t, "fresh", string(p.Properties.CorrelationData))
}

// What can be answered is, with the correlation as it came.
func TestBadRequests(t *testing.T) {
	url := broker(t).URL()
	r := newRequester(t, url, serve(t, url, scripted{}, nil))
	var many []string
	for i := range 100_000 {
		many = append(many, fmt.Sprint("k", i), "v")
	}
	for _, c := range []struct {
		name, correlation, payload, want string
		user                             []string
	}{
		{"binary correlation", "\x00\xff\x00", getTask, `"result"`, nil},
		{"a long correlation", strings.Repeat("c", 60_000), getTask, `"result"`, nil},
		{"not JSON", "1", `{`, `"id":null,"error":{"code":-32700`, nil},
		{"bad UTF-8", "1", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"\xff\"}}", `"code":-32700`, nil},
		{"a batch", "1", `[` + getTask + `]`, `"id":null,"error":{"code":-32600`, nil},
		{"no method", "1", `{"jsonrpc":"2.0","id":1}`, `"id":1,"error":{"code":-32600`, nil},
		{"an unknown method", "1", `{"jsonrpc":"2.0","id":"x","method":"Explode"}`, `"id":"x","error":{"code":-32601`, nil},
		{"an old method", "1", `{"jsonrpc":"2.0","id":"x","method":"message/send","params":{}}`, `"code":-32601`, nil},
		{"a notification that changes something", "1", `{"jsonrpc":"2.0","method":"CancelTask","params":{"id":"t"}}`, `"id":null,"error":{"code":-32600`, nil},
		{"a missing field", "1", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, `"code":-32602`, nil},
		{"another version", "1", getTask, `"code":-32009`, []string{"a2a-version", "0.3"}},
		{"an empty version", "1", getTask, `"code":-32009`, []string{"a2a-version", ""}},
		{"100,000 user properties", "1", getTask, `"result"`, many},
		{"a small reply wanted", "1", getTask, `"data":{"a2a_error":"payload_too_large","details":[{"@type":`, []string{"a2a-max-reply-bytes", "100"}},
		{"numbers that are none", "1", getTask, `"result"`, []string{"a2a-max-reply-bytes", "-1", "a2a-stream-window", "x", "a2a-timeout-ms", "1e9"}},
		{"huge numbers", "1", getTask, `"result"`, []string{"a2a-max-reply-bytes", "9223372036854775807", "a2a-stream-window", "9223372036854775807", "a2a-timeout-ms", "9223372036854775807"}},
		{"a key in another case", "1", getTask, `"code":-32009`, []string{"A2A-Version", "2.0"}},
		{"the transport's key in another case", "1", getTask, `"a2a_error":"payload_too_large"`, []string{"A2A-Max-Reply-Bytes", "100"}},
		{"authorization as a parameter", "1", getTask, `"result"`, []string{"authorization", "x", "a2a-authorization", "Bearer x"}},
	} {
		r.ask(t, c.correlation, c.payload, c.user...)
		p := r.next(within(t), t)
		assert.Equal(t, c.correlation, string(p.Properties.CorrelationData), c.name)
		assert.Contains(t, string(p.Payload), c.want, c.name)
		assert.NotEmpty(t, p.Properties.User.Get("a2a-responder-agent-id"), c.name)
		assert.Empty(t, p.Properties.User.Get("a2a-authorization"), c.name)
	}
}

// A server that is full says so.
func TestMaxCalls(t *testing.T) {
	url := broker(t).URL()
	agent := newPatient(0)
	r := newRequester(t, url, serve(t, url, agent, &mqtt.Options{MaxCalls: 1}))
	r.ask(t, "1", getTask)
	<-agent.begun
	r.ask(t, "2", getTask)
	r.answers(t, "2", `"code":-32000`)
	r.send(t, &paho.Publish{Topic: r.to, Properties: &paho.PublishProperties{CorrelationData: []byte("1"), User: paho.UserProperties{
		{Key: "a2a-control", Value: "cancel-stream"}, {Key: "a2a-requester-agent-id", Value: "another"}}}})
	r.ask(t, "3", getTask)
	r.answers(t, "3", `"code":-32000`)
	// Another's control does nothing: the first call has its answer yet.
	close(agent.goOn)
	r.answers(t, "1", `"result"`)
}
