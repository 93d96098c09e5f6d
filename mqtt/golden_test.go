package mqtt_test

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
	"github.com/a2awire/a2awire/mqtt"
)

// spy sees every packet of the agents and clients at a broker.
type spy struct {
	*bareClient
	broker string
	names  map[string]string // random values, by what stands for them
	counts map[string]int
}

func newSpy(t *testing.T, url string) *spy {
	s := &spy{bareClient: bare(t, url), broker: strings.TrimPrefix(url, "mqtt://"), names: map[string]string{}, counts: map[string]int{}}
	s.subscribe(t, "$a2a/v1/#")
	return s
}

// name stands for a value that is another in each run.
func (s *spy) name(kind, value string) string {
	if value == "" {
		return ""
	}
	if s.names[value] == "" {
		s.counts[kind]++
		s.names[value] = fmt.Sprintf("<%s %d>", kind, s.counts[kind])
	}
	return s.names[value]
}

// random are the user properties whose values are another in each run.
var random = map[string]string{"a2a-request-id": "request", "a2a-instance-id": "instance"}

// text is a packet to read.
func (s *spy) text(p *paho.Publish) string {
	session := func(topic string) string {
		if i := strings.LastIndexByte(topic, '/'); strings.HasPrefix(topic, "$a2a/v1/reply/") {
			return topic[:i+1] + s.name("session", topic[i+1:])
		}
		return topic
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PUBLISH %s\n", session(p.Topic))
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	if p.Retain {
		line("Retain", "1")
	}
	line("Response Topic", session(p.Properties.ResponseTopic))
	line("Correlation Data", s.name("correlation", string(p.Properties.CorrelationData)))
	line("Content Type", p.Properties.ContentType)
	if e := p.Properties.MessageExpiry; e != nil {
		line("Message Expiry Interval", fmt.Sprint((*e+4)/5*5)) // it ticks
	}
	if f := p.Properties.PayloadFormat; f != nil {
		line("Payload Format Indicator", fmt.Sprint(*f))
	}
	user := slices.Clone(p.Properties.User)
	slices.SortStableFunc(user, func(a, b paho.UserProperty) int { return cmp.Compare(a.Key, b.Key) })
	for _, u := range user {
		if kind, ok := random[u.Key]; ok {
			u.Value = s.name(kind, u.Value)
		}
		fmt.Fprintf(&b, "  %s: %s\n", u.Key, u.Value)
	}
	fmt.Fprintf(&b, "\n%s", bytes.ReplaceAll(p.Payload, []byte(s.broker), []byte("broker.example:1883")))
	return b.String()
}

// side orders the packets of one step: the request, the replies, control packets.
func side(p *paho.Publish) int {
	switch {
	case strings.HasPrefix(p.Topic, "$a2a/v1/reply/"):
		return 1
	case p.Properties.User.Get("a2a-control") != "":
		return 2
	}
	return 0
}

// collect adds the next n packets to the golden file.
func (s *spy) collect(t *testing.T, wire *golden.Wire, name string, n int) {
	t.Helper()
	ctx := within(t)
	var all []*paho.Publish
	for range n {
		all = append(all, s.next(ctx, t))
	}
	slices.SortStableFunc(all, func(a, b *paho.Publish) int { return cmp.Compare(side(a), side(b)) })
	for i, p := range all {
		wire.Add(fmt.Sprintf("%s %d", name, i+1), s.text(p))
	}
}

// What goes over the wire for every class of operation, both ways.
func TestGoldens(t *testing.T) {
	url := broker(t).URL()
	wire := new(golden.Wire)
	s := newSpy(t, url)
	c := card("Scripted")
	c.Capabilities = &pb.AgentCapabilities{Streaming: proto.Bool(true), PushNotifications: proto.Bool(true), ExtendedAgentCard: proto.Bool(true)}
	server, err := mqtt.Binding{Options: mqtt.Options{Options: binding.Options{Card: binding.StaticCard(c)}}}.
		Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/a2"}, scripted{})
	require.NoError(t, err)
	s.collect(t, wire, "the card, online", 1)
	client, err := mqtt.Dial(t.Context(), server.Interface().GetUrl(), &mqtt.Options{ClientID: "c7", Options: binding.Options{Tenant: "acme"}})
	require.NoError(t, err)
	defer client.Close()
	s.collect(t, wire, "the client hears itself", 1)
	ctx := t.Context()
	drain := func(events iter.Seq2[*pb.StreamResponse, error]) {
		for range events {
		}
	}
	call := func() *binding.Call {
		return &binding.Call{Params: binding.Params{"a2a-extensions": "https://x.example/a", "traceparent": "00-1-2-01"}, Credential: "Bearer token"}
	}
	for _, step := range []struct {
		name    string
		packets int
		do      func()
	}{
		{"SendMessage", 2, func() { _, _ = client.SendMessage(ctx, call(), message("m-1")) }},
		{"SendStreamingMessage", 5, func() { drain(client.SendStreamingMessage(ctx, call(), message("m-1"))) }},
		{"SendStreamingMessage, error before the first event", 3, func() { drain(client.SendStreamingMessage(ctx, nil, message("early"))) }},
		{"SendStreamingMessage, error in the stream", 5, func() { drain(client.SendStreamingMessage(ctx, nil, message("late"))) }},
		{"SendStreamingMessage, left early", 3, func() {
			for range client.SendStreamingMessage(ctx, nil, message("left")) {
				break
			}
		}},
		{"GetTask", 2, func() { _, _ = client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t-1", HistoryLength: proto.Int32(0)}) }},
		{"GetTask, not found", 2, func() { _, _ = client.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "nope"}) }},
		{"ListTasks", 2, func() { _, _ = client.ListTasks(ctx, nil, &pb.ListTasksRequest{PageSize: proto.Int32(5)}) }},
		{"CancelTask", 2, func() { _, _ = client.CancelTask(ctx, nil, &pb.CancelTaskRequest{Id: "t-1"}) }},
		{"SubscribeToTask", 4, func() { drain(client.SubscribeToTask(ctx, nil, &pb.SubscribeToTaskRequest{Id: "t-1"})) }},
		{"CreateTaskPushNotificationConfig", 2, func() {
			_, _ = client.CreateTaskPushNotificationConfig(ctx, nil, &pb.TaskPushNotificationConfig{TaskId: "t-1", Url: "https://hooks.example.com/x"})
		}},
		{"GetTaskPushNotificationConfig", 2, func() {
			_, _ = client.GetTaskPushNotificationConfig(ctx, nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"})
		}},
		{"ListTaskPushNotificationConfigs", 2, func() {
			_, _ = client.ListTaskPushNotificationConfigs(ctx, nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "t-1"})
		}},
		{"DeleteTaskPushNotificationConfig", 2, func() {
			_, _ = client.DeleteTaskPushNotificationConfig(ctx, nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t-1", Id: "p-1"})
		}},
		{"GetExtendedAgentCard, without a credential", 2, func() { _, _ = client.GetExtendedAgentCard(ctx, nil, &pb.GetExtendedAgentCardRequest{}) }},
	} {
		step.do()
		s.collect(t, wire, step.name, step.packets)
	}
	require.NoError(t, server.Close())
	s.collect(t, wire, "the card, offline", 1)
	wire.Compare(t, "wire", "The MQTT binding over the wire: the packets of each step, the request first, then the replies, then control packets.")
}
