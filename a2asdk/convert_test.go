package a2asdk

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

// Every field lands where the SDK's own JSON has it, and comes back.
func TestEveryField(t *testing.T) {
	event := func(payload proto.Message) *pb.StreamResponse {
		ev := new(pb.StreamResponse)
		fds := ev.ProtoReflect().Descriptor().Fields()
		for i := range fds.Len() {
			if fds.Get(i).Message().FullName() == payload.ProtoReflect().Descriptor().FullName() {
				ev.ProtoReflect().Set(fds.Get(i), protoreflect.ValueOfMessage(payload.ProtoReflect()))
			}
		}
		return ev
	}
	for _, c := range []conversion{
		field(filled(new(pb.SendMessageRequest)), toSendMessage, fromSendMessage),
		field(filled(new(pb.GetTaskRequest)), toGetTask, fromGetTask),
		field(filled(new(pb.ListTasksRequest)), toListTasks, fromListTasks),
		field(filled(new(pb.ListTasksResponse)), toTasks, fromTasks),
		field(filled(new(pb.CancelTaskRequest)), toCancelTask, fromCancelTask),
		field(filled(new(pb.SubscribeToTaskRequest)), toSubscribe, fromSubscribe),
		field(filled(new(pb.TaskPushNotificationConfig)), toPushConfig, fromPushConfig),
		field(filled(new(pb.GetTaskPushNotificationConfigRequest)), toGetConfig, fromGetConfig),
		field(filled(new(pb.ListTaskPushNotificationConfigsRequest)), toListConfigs, fromListConfigs),
		field(filled(new(pb.ListTaskPushNotificationConfigsResponse)), toConfigs, fromConfigs),
		field(filled(new(pb.DeleteTaskPushNotificationConfigRequest)), toDeleteConfig, fromDeleteConfig),
		field(filled(new(pb.GetExtendedAgentCardRequest)), toGetCard, fromGetCard),
		field(filled(new(pb.AgentCard)), ToCard, FromCard),
		field(event(filled(new(pb.Task))), toStream, fromStream),
		field(event(filled(new(pb.Message))), toStream, fromStream),
		field(event(filled(new(pb.TaskStatusUpdateEvent))), toStream, fromStream),
		field(event(filled(new(pb.TaskArtifactUpdateEvent))), toStream, fromStream),
		field(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: filled(new(pb.Task))}}, toAnswer, fromAnswer),
		field(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: filled(new(pb.Message))}}, toAnswer, fromAnswer),
	} {
		name := c.message.ProtoReflect().Descriptor().Name()
		want, err := protojson.Marshal(c.message)
		require.NoError(t, err)
		sdk := c.sdk(c.message)
		got, err := json.Marshal(sdk)
		require.NoError(t, err)
		assert.Equal(t, bareLists(t, want), bareLists(t, got), name)
		back := c.back(sdk)
		assert.True(t, proto.Equal(c.message, back), "%s\nwant %v\ngot  %v", name, c.message, back)
	}
}

// bareLists is a JSON value in which a StringList is its list. The SDK writes
// the scopes of a card's security requirements so, which is not ProtoJSON.
func bareLists(t *testing.T, b []byte) any {
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	var bare func(any) any
	bare = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			if inner, ok := v["list"].([]any); ok && len(v) == 1 {
				return inner
			}
			for k, e := range v {
				v[k] = bare(e)
			}
		case []any:
			for i, e := range v {
				v[i] = bare(e)
			}
		}
		return v
	}
	return bare(v)
}

type conversion struct {
	message proto.Message
	sdk     func(proto.Message) any
	back    func(any) proto.Message
}

func field[P proto.Message, S any](m P, to func(P) S, from func(S) P) conversion {
	return conversion{m, func(m proto.Message) any { return to(m.(P)) }, func(s any) proto.Message { return from(s.(S)) }}
}

// The SDK's JSON of an event, and of an answer, is that of its wrapper.

func toStream(ev *pb.StreamResponse) a2a.StreamResponse {
	return a2a.StreamResponse{Event: toEvent(ev)}
}
func fromStream(ev a2a.StreamResponse) *pb.StreamResponse { return fromEvent(ev.Event) }
func toAnswer(r *pb.SendMessageResponse) a2a.StreamResponse {
	return a2a.StreamResponse{Event: toResult(r)}
}

func fromAnswer(ev a2a.StreamResponse) *pb.SendMessageResponse {
	return fromResult(ev.Event.(a2a.SendMessageResult))
}

// Every OAuth flow, as the value that the SDK's JSON takes and the pointer
// that its gRPC does.
func TestFlows(t *testing.T) {
	flows := []a2a.OAuthFlows{
		a2a.AuthorizationCodeOAuthFlow{AuthorizationURL: "a", TokenURL: "t", RefreshURL: "r", PKCERequired: true},
		a2a.ClientCredentialsOAuthFlow{TokenURL: "t", RefreshURL: "r"},
		a2a.ImplicitOAuthFlow{AuthorizationURL: "a", RefreshURL: "r"},
		a2a.PasswordOAuthFlow{TokenURL: "t", RefreshURL: "r"},
		a2a.DeviceCodeOAuthFlow{DeviceAuthorizationURL: "d", TokenURL: "t", RefreshURL: "r"},
	}
	pointers := []a2a.OAuthFlows{
		new(flows[0].(a2a.AuthorizationCodeOAuthFlow)), new(flows[1].(a2a.ClientCredentialsOAuthFlow)), new(flows[2].(a2a.ImplicitOAuthFlow)),
		new(flows[3].(a2a.PasswordOAuthFlow)), new(flows[4].(a2a.DeviceCodeOAuthFlow)),
	}
	for i, f := range flows {
		assert.Equal(t, f, toFlows(fromFlows(f)))
		assert.Equal(t, f, toFlows(fromFlows(pointers[i])))
	}
	assert.Nil(t, toFlows(fromFlows(nil)))
	assert.Nil(t, toFlows(fromFlows((*a2a.ImplicitOAuthFlow)(nil))))
}

func TestSchemes(t *testing.T) {
	schemes := []a2a.SecurityScheme{
		a2a.APIKeySecurityScheme{Name: "n", Location: "header", Description: "d"},
		a2a.HTTPAuthSecurityScheme{Scheme: "Bearer", BearerFormat: "JWT", Description: "d"},
		a2a.OpenIDConnectSecurityScheme{OpenIDConnectURL: "u", Description: "d"},
		a2a.MutualTLSSecurityScheme{Description: "d"},
		a2a.OAuth2SecurityScheme{Flows: a2a.ImplicitOAuthFlow{AuthorizationURL: "a"}, Oauth2MetadataURL: "m", Description: "d"},
	}
	pointers := []a2a.SecurityScheme{
		new(schemes[0].(a2a.APIKeySecurityScheme)), new(schemes[1].(a2a.HTTPAuthSecurityScheme)), new(schemes[2].(a2a.OpenIDConnectSecurityScheme)),
		new(schemes[3].(a2a.MutualTLSSecurityScheme)), new(schemes[4].(a2a.OAuth2SecurityScheme)),
	}
	for i, s := range schemes {
		assert.Equal(t, s, toScheme(fromScheme(s)))
		assert.Equal(t, s, toScheme(fromScheme(pointers[i])))
	}
	assert.Nil(t, toScheme(fromScheme((*a2a.APIKeySecurityScheme)(nil))))
}

// Values of an agent's author, who need not know what JSON has.
func TestFromValue(t *testing.T) {
	type point struct{ X, Y int }
	var none map[string]any
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, `null`},
		{true, `true`},
		{"text", `"text"`},
		{7, `7`},
		{uint64(7), `7`},
		{float32(0.5), `0.5`},
		{json.Number("1.25"), `1.25`},
		{[]byte("abc"), `"YWJj"`},
		{[]any{1, "x", nil}, `[1,"x",null]`},
		{[]string{"a", "b"}, `["a","b"]`},
		{map[string]any{"in": []any{map[string]int{"n": 1}}}, `{"in":[{"n":1}]}`},
		{none, `null`},
		{[]any(nil), `null`},
		{map[string]any{}, `{}`},
		{point{1, 2}, `{"X":1,"Y":2}`},
		{&point{1, 2}, `{"X":1,"Y":2}`},
		{time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},
		{json.RawMessage(`{"raw":[1]}`), `{"raw":[1]}`},
		{json.RawMessage(`["\ufffd"]`), `["\ufffd"]`},
		{[]string{"\ufffd", "\ufffd\\ufffd", `\\ufffd`, `\`}, `["\ufffd","\ufffd\\ufffd","\\\\ufffd","\\"]`},
	} {
		got, err := protojson.Marshal(fromValue(c.in, 0))
		require.NoError(t, err, "%T", c.in)
		assert.JSONEq(t, c.want, string(got), "%T", c.in)
	}
}

// odd is of a type that only encoding/json knows.
type odd struct {
	S    string
	In   []odd `json:"in"`
	More any
	Is   bool
}

// What the data model has no form for is refused, and the field is named.
func TestRefused(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	message := func(parts ...*a2a.Part) *a2a.Message {
		return &a2a.Message{ID: "m", Role: a2a.MessageRoleAgent, Parts: parts}
	}
	task := func(state a2a.TaskState) *a2a.Task {
		return &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: state}}
	}
	for _, c := range []struct {
		name, field string
		answer      any
	}{
		{"channel", "message.parts[0].data", message(a2a.NewDataPart(make(chan int)))},
		{"channel within", "message.parts[0].data.a[0]", message(a2a.NewDataPart(map[string]any{"a": []any{func() {}}}))},
		{"not a number", "message.parts[0].data", message(a2a.NewDataPart(math.NaN()))},
		{"without end", "", message(a2a.NewDataPart(loop))},
		{"not UTF-8", "message.parts[0].text", message(a2a.NewTextPart("bad \xff"))},
		{"data not UTF-8", "message.parts[0].data.k", message(a2a.NewDataPart(map[string]any{"k": "bad \xff"}))},
		{"map not UTF-8", "message.parts[0].data.k", message(a2a.NewDataPart(map[string]string{"k": "bad \xff"}))},
		{"list not UTF-8", "message.parts[0].data[1]", message(a2a.NewDataPart([]string{"\ufffd", `\` + "\xff"}))},
		{"struct not UTF-8", "message.parts[0].data.in[0].S", message(a2a.NewDataPart(odd{In: []odd{{S: "bad \xff"}}, More: 1.5, Is: true}))},
		{"key not UTF-8", "message.parts[0].data.bad \ufffd", message(a2a.NewDataPart(map[string]int{"bad \xff": 1}))},
		{"named text not UTF-8", "message.parts[0].data.k", message(a2a.NewDataPart(map[string]any{"k": a2a.TaskID("bad \xff")}))},
		{"metadata not UTF-8", "message.metadata.k.in", &a2a.Message{ID: "m", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart("x")}, Metadata: map[string]any{"k": map[string]string{"in": "\xff"}}}},
		{"JSON not UTF-8", "message.parts[0].data", message(a2a.NewDataPart(json.RawMessage("[\"\xff\"]")))},
		{"no content", "message.parts[0]", message(&a2a.Part{})},
		{"no part", "message.parts[0]", message(nil)},
		{"no parts", "message.parts", message()},
		{"metadata", "message.metadata.k", &a2a.Message{ID: "m", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart("x")}, Metadata: map[string]any{"k": make(chan int)}}},
		{"old role", "message.role", &a2a.Message{ID: "m", Role: "agent", Parts: a2a.ContentParts{a2a.NewTextPart("x")}}},
		{"no role", "message.role", &a2a.Message{ID: "m", Parts: a2a.ContentParts{a2a.NewTextPart("x")}}},
		{"old state", "task.status.state", task("completed")},
		{"no state", "task.status.state", task("")},
		{"state by an unknown number", "task.status.state", task("99")},
		{"no answer", "", nil},
		{"nil task", "", (*a2a.Task)(nil)},
		{"nil message", "", (*a2a.Message)(nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := binding.Remote(binding.NewInbound(FromHandler(answering{c.answer}), &binding.Options{DefaultVersion: binding.Version}))
			_, err := agent.SendMessage(t.Context(), nil, &pb.SendMessageRequest{Message: &pb.Message{
				MessageId: "m", Role: pb.Role_ROLE_USER, Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "x"}}},
			}})
			require.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
			if c.field != "" {
				assert.True(t, strings.HasPrefix(err.Error(), c.field+":"), "%q must name %s", err, c.field)
			}
		})
	}
}
