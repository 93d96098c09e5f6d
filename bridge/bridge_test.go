package bridge_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/jsonrpc"
)

// upstream is a Conn that says what it was asked with, and answers as told.
type upstream struct {
	call  *binding.Call
	reply binding.Params
	err   error
	resp  proto.Message
}

func (u *upstream) Invoke(_ context.Context, op *binding.Op, call *binding.Call, _ binding.Payload) (binding.Payload, error) {
	u.call = call
	call.Reply = u.reply
	if u.err != nil {
		return binding.Payload{}, u.err
	}
	if u.resp != nil {
		return binding.MessagePayload(u.resp), nil
	}
	return binding.MessagePayload(op.NewResponse()), nil
}

func (u *upstream) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) { yield(u.Invoke(ctx, op, call, p)) }
}

func (u *upstream) Close() error { return nil }

func securedCard() *pb.AgentCard {
	return &pb.AgentCard{Name: "n", SecuritySchemes: map[string]*pb.SecurityScheme{"k": {Scheme: &pb.SecurityScheme_ApiKeySecurityScheme{
		ApiKeySecurityScheme: &pb.APIKeySecurityScheme{Location: "header", Name: "X-Acme-Key"}}}},
		SupportedInterfaces: []*pb.AgentInterface{{Url: "http://10.1.2.3:9000", ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}},
		Capabilities:        &pb.AgentCapabilities{ExtendedAgentCard: proto.Bool(true)}}
}

func TestWhatCrossesAHop(t *testing.T) {
	params := binding.Params{"a2a-version": "1.0", "a2a-extensions": "https://x.example/a", "traceparent": "00-ab", "x-tenant-hint": "Ab",
		"x-api-key": "s3cr3t", "x-acme-key": "s3cr3t"}
	for name, c := range map[string]struct {
		o          *bridge.Options
		params     binding.Params
		credential binding.Credential
	}{
		"as it is": {&bridge.Options{Card: binding.StaticCard(securedCard())},
			binding.Params{"a2a-extensions": "https://x.example/a", "traceparent": "00-ab", "x-tenant-hint": "Ab"}, ""},
		"its own credential": {&bridge.Options{Card: binding.StaticCard(securedCard()), Credential: "Bearer bridge"},
			binding.Params{"a2a-extensions": "https://x.example/a", "traceparent": "00-ab", "x-tenant-hint": "Ab"}, "Bearer bridge"},
		"told to forward": {&bridge.Options{Card: binding.StaticCard(securedCard()), ForwardCredentials: true},
			binding.Params{"a2a-extensions": "https://x.example/a", "traceparent": "00-ab", "x-tenant-hint": "Ab", "x-api-key": "s3cr3t", "x-acme-key": "s3cr3t"}, "Bearer caller"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &upstream{reply: binding.Params{"a2a-extensions": "https://x.example/a", "a2a-version": "9", "x-api-key": "s3cr3t"}}
			r := bridge.Relay(binding.Remote(u), c.o)
			call := &binding.Call{Params: params.Clone(), Credential: "Bearer caller"}
			_, err := r.ListTasks(t.Context(), call, &pb.ListTasksRequest{})
			require.NoError(t, err)
			assert.Equal(t, c.params, u.call.Params)
			assert.Equal(t, c.credential.Reveal(), u.call.Credential.Reveal())
			assert.Equal(t, "https://x.example/a", call.Reply.Get("a2a-extensions"))
			assert.Empty(t, call.Reply.Get("a2a-version"))
			for _, err := range r.SubscribeToTask(t.Context(), call, &pb.SubscribeToTaskRequest{Id: "t"}) {
				require.NoError(t, err)
			}
			assert.Equal(t, c.params, u.call.Params)
		})
	}
}

func TestErrorsOfTheUpstream(t *testing.T) {
	said := binding.Errorf(binding.TaskNotFound, "no task at 10.1.2.3").WithInfo("taskId", "t")
	said.Remote = true
	dial := binding.Errorf(binding.Unavailable, "jsonrpc: dial tcp 10.1.2.3:9000: connection refused")
	garbage := binding.InvalidField("task.status.state", "must be one of …").WithCode(binding.InvalidAgentResponse)
	for name, c := range map[string]struct {
		err  error
		code binding.Code
		text string
	}{
		"what the agent says":    {said, binding.TaskNotFound, "no task at 10.1.2.3"},
		"not reached":            {dial, binding.Unavailable, "the agent behind this bridge cannot be reached"},
		"anything else":          {errors.New("open /etc/secret"), binding.Unavailable, "the agent behind this bridge cannot be reached"},
		"garbage":                {garbage, binding.InvalidAgentResponse, "task.status.state: must be one of …"},
		"the caller's own limit": {context.DeadlineExceeded, binding.DeadlineExceeded, "context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			r := bridge.Relay(binding.Remote(&upstream{err: c.err}), &bridge.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := r.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t"})
			require.EqualError(t, err, c.text)
			assert.Equal(t, c.code, binding.CodeOf(err))
			for _, err := range r.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
				require.EqualError(t, err, c.text)
			}
			if c.text == "the agent behind this bridge cannot be reached" {
				assert.Contains(t, log.String(), c.err.Error(), "the log is told")
			}
		})
	}
}

// agent has an extended card and a list.
type agent struct{ binding.Unimplemented }

func (agent) GetExtendedAgentCard(context.Context, *binding.Call, *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	return securedCard(), nil
}

func TestBridge(t *testing.T) {
	client := inproc.Dial(agent{}, nil)
	b := bridge.New(client, securedCard(), nil)
	front := jsonrpc.Binding{Options: jsonrpc.Options{Options: binding.Options{Card: b.Card}}}
	s, err := b.Listen(t.Context(), front, &pb.AgentInterface{Url: "http://127.0.0.1:0/a2a"}, "")
	require.NoError(t, err)
	_, err = b.Listen(t.Context(), front, &pb.AgentInterface{Url: "http://127.0.0.1:0"}, "https://gw.example/a2a")
	require.NoError(t, err)
	_, err = b.Listen(t.Context(), front, &pb.AgentInterface{Url: "no url"}, "")
	require.Error(t, err)

	f := agentcard.NewFetcher(nil)
	defer f.Close()
	base := strings.TrimSuffix(s.Interface().GetUrl(), "/a2a")
	card, err := f.Fetch(t.Context(), base)
	require.NoError(t, err)
	require.Len(t, card.GetSupportedInterfaces(), 2)
	assert.Equal(t, "https://gw.example/a2a", card.GetSupportedInterfaces()[1].GetUrl())
	assert.NotContains(t, card.String(), "10.1.2.3")
	assert.Empty(t, card.GetSecuritySchemes())

	c, err := binding.NewRegistry(jsonrpc.Binding{}).Dial(t.Context(), card)
	require.NoError(t, err)
	extended, err := c.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
	require.NoError(t, err)
	assert.NotContains(t, extended.String(), "10.1.2.3")
	assert.Len(t, extended.GetSupportedInterfaces(), 2)

	b.SetCard(&pb.AgentCard{Name: "renamed", Capabilities: &pb.AgentCapabilities{}})
	assert.Equal(t, "renamed", b.Card().GetName())
	_, err = c.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
	require.ErrorIs(t, err, binding.ErrUnsupportedOperation, "capabilities are those of the card as it is now")
	require.NoError(t, c.Close())
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
}

// What passes between two JSON wires is the payload's own bytes.
func TestBytesPass(t *testing.T) {
	const params = `{"message": {"role":"ROLE_USER","messageId":"m","vendor":{"b":1,"a":12345678901234567890},"parts":[{"text":"\u0041"}]},"metadata":{"n":9007199254740993}}`
	const result = `{"message":{"parts":[{"text":"x"}], "messageId":"r","role":"ROLE_AGENT","metadata":{"big":123456789012345678901234567890},"unknown":[1.0]}}`
	const event = `{"task":{"status":{"state":"TASK_STATE_COMPLETED"},"id":"t","vendor":1.50}}`
	var got string
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		id := got[strings.Index(got, `"id":`)+5:]
		id = id[:strings.IndexByte(id, ',')]
		if strings.Contains(got, "SendStreamingMessage") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":`+id+`,"result":`+event+"}\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
	}))
	defer back.Close()
	client, err := jsonrpc.Dial(t.Context(), back.URL, nil)
	require.NoError(t, err)
	relay := bridge.Relay(client, nil)
	defer func() { _ = relay.Close() }()
	front := httptest.NewServer(jsonrpc.Handler(relay, nil))
	defer front.Close()
	send := func(method string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, strings.NewReader(`{"jsonrpc":"2.0","id":"a","method":"`+method+`","params":`+params+`}`))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("A2A-Version", "1.0")
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Equal(t, `{"jsonrpc":"2.0","id":"a","result":`+result+`}`, send("SendMessage"))
	assert.Contains(t, got, `"params":`+params+`}`)
	assert.Equal(t, `data: {"jsonrpc":"2.0","id":"a","result":`+event+"}\n\n", send("SendStreamingMessage"))
	http.DefaultClient.CloseIdleConnections()
}
