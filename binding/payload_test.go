package binding

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/internal/datamodel"
)

const (
	taskText   = `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"},"vendor":12345678901234567890}}`
	statusText = `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
	sendText   = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
)

// upstream is a JSON wire's client side that answers with these texts, and
// keeps the payloads that it made of them.
type upstream struct {
	texts []string
	made  []Payload
}

func (u *upstream) payload(op *Op, text string) Payload {
	p := op.ResponseJSON([]byte(text))
	u.made = append(u.made, p)
	return p
}

func (u *upstream) Invoke(_ context.Context, op *Op, _ *Call, _ Payload) (Payload, error) {
	return u.payload(op, u.texts[0]), nil
}

func (u *upstream) Stream(_ context.Context, op *Op, _ *Call, _ Payload) iter.Seq2[Payload, error] {
	return func(yield func(Payload, error) bool) {
		for _, text := range u.texts {
			if !yield(u.payload(op, text), nil) {
				return
			}
		}
	}
}

func (*upstream) Close() error { return nil }

// decoded reports which of the answers were made into messages.
func (u *upstream) decoded() []bool {
	var out []bool
	for _, p := range u.made {
		out = append(out, p.p.msg != nil)
	}
	return out
}

func sendRequest(t *testing.T) *pb.SendMessageRequest {
	t.Helper()
	m, err := OpSendMessage.RequestJSON([]byte(sendText)).Message()
	require.NoError(t, err)
	return m.(*pb.SendMessageRequest)
}

// Who wants JSON gets it as it came, checked and not decoded. Who wants
// messages gets them checked by the decoding alone.
func TestAnswersAreDecodedForWhoWantsMessages(t *testing.T) {
	fromJSON := func(*testing.T) Payload { return OpSendMessage.RequestJSON([]byte(sendText)) }
	fromMessage := func(t *testing.T) Payload { return MessagePayload(sendRequest(t)) }
	server := func(traits ...Trait) func(Conn) Conn {
		return func(c Conn) Conn { return NewInbound(Remote(c), nil, traits...) }
	}
	for name, c := range map[string]struct {
		request func(*testing.T) Payload
		front   func(Conn) Conn
		decoded bool
	}{
		"a client":                           {fromMessage, func(c Conn) Conn { return c }, true},
		"a relay of JSON":                    {fromJSON, func(c Conn) Conn { return c }, false},
		"behind a JSON wire":                 {fromJSON, server(CarriesJSON), false},
		"behind a JSON wire without a body":  {fromMessage, server(CarriesJSON), false},
		"behind a protobuf wire":             {fromMessage, server(), true},
		"behind one that was sent JSON once": {fromJSON, server(), true},
	} {
		t.Run(name, func(t *testing.T) {
			up := &upstream{texts: []string{taskText, statusText}}
			conn := c.front(Outbound(up, nil, CarriesJSON))
			call := func() *Call { return &Call{Params: Params{ParamVersion: Version}} }
			resp, err := conn.Invoke(t.Context(), OpSendMessage, call(), c.request(t))
			require.NoError(t, err)
			got := []Payload{resp}
			for ev, err := range conn.Stream(t.Context(), OpSendStreamingMessage, call(), c.request(t)) {
				require.NoError(t, err)
				got = append(got, ev)
			}
			assert.Equal(t, slices.Repeat([]bool{c.decoded}, 3), up.decoded())
			for i, text := range []string{taskText, taskText, statusText} {
				b, err := got[i].JSON()
				require.NoError(t, err)
				assert.Equal(t, text, string(b), "the bytes as they came")
				m, err := got[i].Message()
				require.NoError(t, err)
				again, _ := got[i].Message()
				assert.Same(t, m, again, "decoded once")
			}
		})
	}
}

func TestRemoteDecodesOnce(t *testing.T) {
	up := &upstream{texts: []string{taskText, statusText}}
	agent := Remote(Outbound(up, nil, CarriesJSON))
	for ev, err := range agent.SendStreamingMessage(t.Context(), nil, sendRequest(t)) {
		require.NoError(t, err)
		last := up.made[len(up.made)-1]
		assert.Same(t, last.p.msg, ev)
	}
	assert.Equal(t, []bool{true, true}, up.decoded())
}

// A stream of JSON is held to the rules that a stream of messages is.
func TestStreamRulesInJSON(t *testing.T) { // spec 3.1.2, 3.1.6
	const messageText = `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`
	for name, c := range map[string]struct {
		op    *Op
		texts []string
		bad   string
	}{
		"task then updates":          {OpSendStreamingMessage, []string{taskText, statusText, taskText}, ""},
		"the same id, escaped":       {OpSendStreamingMessage, []string{taskText, strings.Replace(statusText, `"t"`, `"\u0074"`, 1)}, ""},
		"one message":                {OpSendStreamingMessage, []string{messageText}, ""},
		"status first":               {OpSendStreamingMessage, []string{statusText}, "begin with its task"},
		"another task":               {OpSendStreamingMessage, []string{taskText, strings.Replace(statusText, `"t"`, `"u"`, 1)}, "another task"},
		"another snapshot":           {OpSubscribeToTask, []string{taskText, strings.Replace(taskText, `"t"`, `"u"`, 1)}, "another task"},
		"two messages":               {OpSendStreamingMessage, []string{messageText, messageText}, "after the only message"},
		"an update after a message":  {OpSendStreamingMessage, []string{messageText, statusText}, "after the only message"},
		"message in a task's stream": {OpSendStreamingMessage, []string{taskText, messageText}, "a message in the stream"},
		"message to a subscriber":    {OpSubscribeToTask, []string{messageText}, "a message in the stream"},
		"nothing in it":              {OpSubscribeToTask, []string{`{}`}, "has no payload"},
		"two in it":                  {OpSubscribeToTask, []string{taskText[:len(taskText)-1] + "," + statusText[1:]}, "excludes task"},
		"no text":                    {OpSubscribeToTask, []string{`{`}, "unexpected end"},
		"a field of it":              {OpSubscribeToTask, []string{`{"task":{"id":"t"}}`}, "task.status: is required"},
	} {
		t.Run(name, func(t *testing.T) {
			request := OpSendStreamingMessage.RequestJSON([]byte(sendText))
			if c.op == OpSubscribeToTask {
				request = OpSubscribeToTask.RequestJSON([]byte(`{"id":"t"}`))
			}
			for wire, traits := range map[string][]Trait{"JSON": {CarriesJSON}, "protobuf": nil} {
				in := NewInbound(Remote(&upstream{texts: c.texts}), nil, traits...)
				var failed error
				for _, err := range in.Stream(t.Context(), c.op, &Call{Params: Params{ParamVersion: Version}}, request) {
					failed = err
				}
				if c.bad == "" {
					assert.NoError(t, failed, wire)
					continue
				}
				assert.ErrorIs(t, failed, ErrInvalidAgentResponse, wire)
				assert.ErrorContains(t, failed, c.bad, wire)
			}
		})
	}
}

// An answer of another type than the stream's is no event, though it names a task.
func TestStreamRulesKnowTheirEvents(t *testing.T) {
	p := OpSendMessage.ResponseJSON([]byte(taskText))
	require.NoError(t, p.check(DefaultMaxMessageBytes, true, asJSON))
	order := streamOrder{op: OpSendStreamingMessage}
	assert.ErrorContains(t, order.next(p), "must begin with its task")
	assert.Error(t, order.next(Payload{}))
}

// The limit is one verdict, whether or not JSON is decoded to be checked; and
// text that is far from it is not decoded to be measured.
func TestLimitOfJSON(t *testing.T) {
	const limit = 2000
	numbers := func(n int) string { return `{"data":[` + strings.Repeat("1,", n) + `1]}` }
	for name, c := range map[string]struct {
		part         string
		ok, measured bool
	}{
		"small":                   {`{"text":"x"}`, true, false},
		"half of it":              {`{"text":"` + strings.Repeat("x", limit/2) + `"}`, true, false},
		"over it":                 {`{"text":"` + strings.Repeat("x", limit) + `"}`, false, false},
		"over it as protobuf":     {numbers(400), false, true},
		"perhaps, as protobuf":    {numbers(140), true, true},
		"certainly, as protobuf":  {numbers(50), true, false},
		"over it by its escapes":  {`{"text":"` + strings.Repeat(`\u0041`, limit/6) + `"}`, false, false},
		"under it by its escapes": {`{"text":"` + strings.Repeat(`\u0041`, limit/8) + `"}`, true, false},
	} {
		text := strings.Replace(sendText, `{"text":"x"}`, c.part, 1)
		undecoded, decoded := OpSendMessage.RequestJSON([]byte(text)), OpSendMessage.RequestJSON([]byte(text))
		err := undecoded.check(limit, true, asJSON)
		assert.Equal(t, c.measured, undecoded.p.msg != nil, name)
		assert.Equal(t, c.ok, err == nil, "%s: %v", name, err)
		assert.Equal(t, err, decoded.check(limit, true, asProto), name)
		if m, err := decoded.Message(); err == nil && decoded.p.examined {
			assert.LessOrEqual(t, proto.Size(m), decoded.p.verdict.Bound, name)
		}
	}
}

// What is wrong with JSON is the same to whoever finds it, and named.
func TestFaultsOfJSON(t *testing.T) {
	for _, text := range []string{`{"message":{}}`, `{"message":{"role":"x"}}`, `{`, `[]`, `{}`, `{"message":{"messageId":"m","role":1,"parts":[{}]}}`} {
		for _, required := range []bool{false, true} {
			asText := OpSendMessage.RequestJSON([]byte(text)).check(1000, required, asJSON)
			asMessage := OpSendMessage.RequestJSON([]byte(text)).check(1000, required, asProto)
			assert.Equal(t, asMessage, asText, text)
			if required {
				var e *datamodel.Error
				assert.ErrorAs(t, asText, &e, text)
			}
		}
	}
}
