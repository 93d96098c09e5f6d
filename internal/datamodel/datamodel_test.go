package datamodel

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func sampleRequest() *pb.SendMessageRequest {
	meta, _ := structpb.NewStruct(map[string]any{"a": 1.5, "b": []any{nil, true, "x"}, "": map[string]any{}})
	return &pb.SendMessageRequest{
		Tenant: "t",
		Message: &pb.Message{
			MessageId: "m-1", ContextId: "c", TaskId: "t", Role: pb.Role_ROLE_USER, Metadata: meta,
			Extensions: []string{"https://e.example/x"}, ReferenceTaskIds: []string{"r"},
			Parts: []*pb.Part{
				{Content: &pb.Part_Text{Text: strings.Repeat("héllo \"\\\n\u2028 ", 20)}, MediaType: "text/plain"},
				{Content: &pb.Part_Text{}},
				{Content: &pb.Part_Raw{Raw: []byte{0, 1, 254, 255}}, Filename: "f"},
				{Content: &pb.Part_Url{Url: "https://files.example/x"}, Metadata: &structpb.Struct{}},
				{Content: &pb.Part_Data{Data: structpb.NewNullValue()}},
				{Content: &pb.Part_Data{Data: structpb.NewNumberValue(1e21)}},
			},
		},
		Configuration: &pb.SendMessageConfiguration{HistoryLength: proto.Int32(0), AcceptedOutputModes: []string{"text/plain"},
			TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: "https://h.example", Authentication: &pb.AuthenticationInfo{Scheme: "Bearer"}}},
	}
}

func sampleCard() *pb.AgentCard {
	return &pb.AgentCard{
		Name: "n", SupportedInterfaces: []*pb.AgentInterface{{Url: "u", ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}},
		Capabilities:      &pb.AgentCapabilities{Streaming: proto.Bool(false)},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		IconUrl: proto.String(""),
		SecuritySchemes: map[string]*pb.SecurityScheme{
			"z": {Scheme: &pb.SecurityScheme_HttpAuthSecurityScheme{HttpAuthSecurityScheme: &pb.HTTPAuthSecurityScheme{Scheme: "Bearer"}}},
			"a": {Scheme: &pb.SecurityScheme_Oauth2SecurityScheme{Oauth2SecurityScheme: &pb.OAuth2SecurityScheme{
				Flows: &pb.OAuthFlows{Flow: &pb.OAuthFlows_ClientCredentials{ClientCredentials: &pb.ClientCredentialsOAuthFlow{
					TokenUrl: "t", Scopes: map[string]string{"s": "d", "r": ""}}}}}}},
		},
		SecurityRequirements: []*pb.SecurityRequirement{{Schemes: map[string]*pb.StringList{"z": {List: []string{"s"}}}}},
	}
}

func sampleTask() *pb.Task {
	return &pb.Task{Id: "t", ContextId: "c", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING,
		Timestamp: &timestamppb.Timestamp{Seconds: 1764504000, Nanos: 120000000}},
		Artifacts: []*pb.Artifact{{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "x"}}}}}}
}

// What this package writes, the protobuf library reads as the same message, and the other way round.
func TestAgreesWithProtobufLibrary(t *testing.T) {
	for _, m := range []proto.Message{sampleRequest(), sampleCard(), sampleTask(),
		&pb.ListTasksRequest{PageSize: proto.Int32(1), IncludeArtifacts: proto.Bool(false), Status: pb.TaskState_TASK_STATE_COMPLETED,
			StatusTimestampAfter: &timestamppb.Timestamp{Seconds: 1, Nanos: 1}},
		&pb.ListTasksResponse{Tasks: []*pb.Task{sampleTask()}, TotalSize: 3},
		&pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{TaskId: "t", Append: true}}},
	} {
		t.Run(string(m.ProtoReflect().Descriptor().Name()), func(t *testing.T) {
			ours, err := Append(nil, m)
			require.NoError(t, err)
			libraryAgrees(t, m, ours)
			theirs, err := protojson.Marshal(m)
			require.NoError(t, err)
			back := TypeOf(m).New()
			_, err = read(t, theirs, back)
			require.NoError(t, err)
			assert.True(t, proto.Equal(m, back), "%s", theirs)
		})
	}
}

func libraryAgrees(t *testing.T, m proto.Message, text []byte) {
	t.Helper()
	back := m.ProtoReflect().New().Interface()
	require.NoError(t, protojson.Unmarshal(text, back), "%s", text)
	assert.True(t, proto.Equal(m, back), "%s", text)
}

func TestRequiredMembersAreWritten(t *testing.T) {
	for want, m := range map[string]proto.Message{
		`{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`:                 &pb.ListTasksResponse{PageSize: 50}, // spec 3.1.4
		`{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}`:                        &pb.Task{Id: "t", Status: &pb.TaskStatus{State: 1}},
		`{"id":"t","historyLength":0}`:                                                &pb.GetTaskRequest{Id: "t", HistoryLength: proto.Int32(0)},
		`{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.000Z"}`:       &pb.TaskStatus{State: 2, Timestamp: &timestamppb.Timestamp{Seconds: 1767323045}},
		`{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.000000001Z"}`: &pb.TaskStatus{State: 2, Timestamp: &timestamppb.Timestamp{Seconds: 1767323045, Nanos: 1}},
		`{}`: &pb.GetExtendedAgentCardRequest{},
	} {
		got, err := Append(nil, m)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

func TestReads(t *testing.T) {
	part := func(p *pb.Part) proto.Message { return p }
	for in, want := range map[string]proto.Message{
		`{"text":null,"url":"https://f.example/x"}`: part(&pb.Part{Content: &pb.Part_Url{Url: "https://f.example/x"}}),
		`{"data":null}`:                          part(&pb.Part{Content: &pb.Part_Data{Data: structpb.NewNullValue()}}),
		`{"text":"\u00e9\ud83d\ude00\/\b"}`:      part(&pb.Part{Content: &pb.Part_Text{Text: "é😀/\b"}}),
		`{"raw":"-_8"}`:                          part(&pb.Part{Content: &pb.Part_Raw{Raw: []byte{0xfb, 0xff}}}),
		`{"raw":"+/8="}`:                         part(&pb.Part{Content: &pb.Part_Raw{Raw: []byte{0xfb, 0xff}}}),
		`{"text":"a","media_type":"text/plain"}`: part(&pb.Part{Content: &pb.Part_Text{Text: "a"}, MediaType: "text/plain"}),
		` {"text":"a" , "vendor":{"x":[1,{"y":null}]}, "kind":"text"} `: part(&pb.Part{Content: &pb.Part_Text{Text: "a"}}),
		`{"data":9007199254740993}`:                                     part(&pb.Part{Content: &pb.Part_Data{Data: structpb.NewNumberValue(9007199254740992)}}),
	} {
		m := new(pb.Part)
		_, err := read(t, []byte(in), m)
		require.NoError(t, err, in)
		assert.True(t, proto.Equal(want, m), "%s gave %v", in, m)
	}
	for in, want := range map[string]int32{`1`: 1, `"12"`: 12, `1.0`: 1, `1e2`: 100, `-0`: 0, `2147483647`: math.MaxInt32} {
		m := new(pb.GetTaskRequest)
		_, err := read(t, []byte(`{"id":"x","historyLength":`+in+`}`), m)
		require.NoError(t, err, in)
		assert.Equal(t, want, m.GetHistoryLength())
	}
	for in, want := range map[string]int64{`"2025-11-09T10:30:00Z"`: 1762684200, `"2025-11-09T12:30:00.5+02:00"`: 1762684200} {
		m := new(pb.TaskStatus)
		_, err := read(t, []byte(`{"state":3,"timestamp":`+in+`}`), m)
		require.NoError(t, err, in)
		assert.Equal(t, want, m.GetTimestamp().GetSeconds())
	}
}

func TestRefuses(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat(`}`, 70)
	for _, c := range []struct {
		m              proto.Message
		in, path, text string
	}{
		{new(pb.Task), `{"status":{"state":"completed"}}`, "status.state", "must be one of TASK_STATE_SUBMITTED"},
		{new(pb.Task), `{"status":{"state":99}}`, "status.state", "got 99"},
		{new(pb.Task), `{"status":{"state":"TASK_STATE_PAUSED"}}`, "status.state", `got "TASK_STATE_PAUSED"`},
		{new(pb.Message), `{"parts":[{"text":"","url":"","raw":"","data":{"rows":2}}]}`, "parts[0].url", "excludes text"},
		{new(pb.Message), `{"parts":[null]}`, "parts[0]", "must be an object, got null"},
		{new(pb.Message), `{"parts":{}}`, "parts", "must be an array, got an object"},
		{new(pb.Message), `{"contextId":"a","contextId":"a"}`, "contextId", "twice"},
		{new(pb.Message), `{"contextId":"a","context_id":"a"}`, "contextId", "twice"},
		{new(pb.Message), `{"ContextID":"a"}`, "ContextID", "spelt contextId"},
		{new(pb.Message), `{"x":1,"x":2}`, "x", "twice"},
		{new(pb.Message), `{"metadata":{"k":1,"k":1}}`, "metadata.k", "twice"},
		{new(pb.Message), `{"metadata":{"e":1e400}}`, "metadata.e", "out of the range"},
		{new(pb.Message), `{"metadata":` + deep + `}`, "", "deeper than 64"},
		{new(pb.Message), `{"role":"user"}`, "role", "ROLE_USER"},
		{new(pb.Part), `{"raw":"a b"}`, "raw", "base64"},
		{new(pb.Part), `{"text":1}`, "text", "must be a string, got a number"},
		{new(pb.GetTaskRequest), `{"historyLength":1.5}`, "historyLength", "whole number"},
		{new(pb.GetTaskRequest), `{"historyLength":2147483648}`, "historyLength", "32 bits"},
		{new(pb.TaskStatus), `{"timestamp":"yesterday"}`, "timestamp", "must be a timestamp"},
		{new(pb.TaskStatus), `{"timestamp":"2025-11-09T10:30:00.0000000001Z"}`, "timestamp", "must be a timestamp"},
		{new(pb.TaskArtifactUpdateEvent), `{"append":"true"}`, "append", "must be true or false"},
		{new(pb.Task), `null`, "", "must be an object, got null"},
		{new(pb.Task), `[]`, "", "must be an object, got an array"},
	} {
		_, err := read(t, []byte(c.in), c.m)
		var e *Error
		require.ErrorAs(t, err, &e, c.in)
		assert.Equal(t, c.path, e.Path, c.in)
		assert.Contains(t, e.Problem, c.text, c.in)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, in := range []string{``, ` `, `{`, `{"id"`, `{"id":}`, `{"id":"a",}`, `{"id":"a"} x`, `{'id':1}`, "{\"id\":\"\xff\"}", "{\"id\":\"a\nb\"}",
		`{"id":"\ud800"}`, `{"id":"\x"}`, `{"x":01}`, `{"x":NaN}`, `{"x":tru}`, `{"x":[1,]}`, `{"status":nope}`, "\ufeff{}"} {
		_, err := read(t, []byte(in), new(pb.Task))
		var e *Error
		require.ErrorAs(t, err, &e, in)
		assert.True(t, e.Syntax, "%q: %v", in, err)
	}
}

func TestCheck(t *testing.T) {
	require.NoError(t, Check(sampleRequest()))
	require.NoError(t, Check(sampleTask()))
	require.NoError(t, Check(sampleCard()))
	require.NoError(t, Check(&pb.ListTasksResponse{}))
	for _, m := range []proto.Message{sampleRequest(), sampleTask(), sampleCard()} {
		v, err := examine(m)
		require.NoError(t, err)
		assert.LessOrEqual(t, proto.Size(m), v.Bound)
	}
	edit := func(f func(*pb.SendMessageRequest)) proto.Message {
		r := sampleRequest()
		f(r)
		return r
	}
	deep := structpb.NewNumberValue(1)
	for range 70 {
		deep = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{deep}})
	}
	faulty := map[string]proto.Message{
		"message":               edit(func(r *pb.SendMessageRequest) { r.Message = nil }),
		"message.messageId":     edit(func(r *pb.SendMessageRequest) { r.Message.MessageId = "" }),
		"message.role":          edit(func(r *pb.SendMessageRequest) { r.Message.Role = 0 }),
		"message.parts":         edit(func(r *pb.SendMessageRequest) { r.Message.Parts = nil }),
		"message.parts[1]":      edit(func(r *pb.SendMessageRequest) { r.Message.Parts[1].Content = nil }),
		"message.parts[4].data": edit(func(r *pb.SendMessageRequest) { r.Message.Parts[4].GetData().Kind = nil }),
		"message.parts[5].data": edit(func(r *pb.SendMessageRequest) {
			r.Message.Parts[5].GetData().Kind = &structpb.Value_NumberValue{NumberValue: math.NaN()}
		}),
		"message.extensions[0]": edit(func(r *pb.SendMessageRequest) { r.Message.Extensions[0] = "\xff" }),
		"message.metadata.deep": edit(func(r *pb.SendMessageRequest) { r.Message.Metadata.Fields = map[string]*structpb.Value{"deep": deep} }),
		"configuration.taskPushNotificationConfig.authentication.scheme": edit(func(r *pb.SendMessageRequest) {
			r.Configuration.TaskPushNotificationConfig.Authentication.Scheme = ""
		}),
		"state":     &pb.TaskStatus{State: 99},
		"timestamp": &pb.TaskStatus{State: 1, Timestamp: &timestamppb.Timestamp{Seconds: math.MaxInt64}},
		"":          &pb.StreamResponse{},
	}
	for path, m := range faulty {
		err := Check(m)
		var e *Error
		require.ErrorAs(t, err, &e, path)
		assert.Contains(t, e.Path, path)
		if path != "message.metadata.deep" {
			assert.Equal(t, path, e.Path)
		}
	}
	for path, m := range faulty { // three ways, one verdict
		v, want := examine(m)
		_, whileWriting, err := TypeOf(m).AppendExamined(nil, m)
		assert.Equal(t, want, err, path)
		text, terr := protojson.Marshal(m)
		if want != nil {
			continue
		}
		assert.True(t, v.Missing && whileWriting.Missing, path)
		require.NoError(t, terr)
		whileReading, err := read(t, text, TypeOf(m).New())
		require.NoError(t, err)
		assert.True(t, whileReading.Missing, path)
	}
	v, err := examine(&pb.SendMessageRequest{})
	assert.NoError(t, err, "what is missing can be carried")
	assert.True(t, v.Missing)
	_, err = examine(&pb.Message{TaskId: "\xff"})
	assert.Error(t, err, "and what cannot be carried comes before what is missing")
}

// Depth counts the same in text and in messages, so that every wire gives the same verdict.
func TestDepthIsOneVerdict(t *testing.T) {
	for n := 55; n < 70; n++ {
		text := fmt.Sprintf(`{"parts":[{"data":%s1%s}]}`, strings.Repeat("[", n), strings.Repeat("]", n))
		m := new(pb.Message)
		_, refused := read(t, []byte(text), m)
		loose := new(pb.Message)
		require.NoError(t, protojson.Unmarshal([]byte(text), loose))
		_, examined := examine(loose)
		assert.Equal(t, refused == nil, examined == nil, "%d levels: read %v", n, refused)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, m := range []proto.Message{sampleRequest(), sampleTask(), sampleCard()} {
		b, _ := protojson.Marshal(m)
		f.Add(b)
	}
	for _, in := range []string{
		`{"task":{"status":{"state":1}}}`,
		`{"message":{"role":"ROLE_USER","parts":[{"text":"a\n\u00e9\ud83d\ude00"},{"raw":"AA-_"},{"raw":"AA=="},{"data":{"a":[1,1,{}],"b":1e308}}]}}`,
		`{"artifactUpdate":{"task_id":"t","taskId":null,"artifact":{"parts":[null],"x":{"y":1}}},"x":1,"x":2}`,
		`{"statusUpdate":{"status":{"timestamp":"2026-01-02T03:04:05.123456789+01:00"}},"task":{}}`,
		`{"pageSize":"1e2","includeArtifacts":true,"PageToken":"","status":"TASK_STATE_WORKING"}`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, m := range []proto.Message{new(pb.SendMessageRequest), new(pb.StreamResponse), new(pb.AgentCard), new(pb.ListTasksRequest), new(structpb.Struct), new(structpb.Value)} {
			v, err := read(t, in, m)
			if err != nil {
				continue
			}
			also, err := examine(m)
			if err != nil || also.Missing != v.Missing {
				t.Fatalf("read what cannot be carried, or is missing: %v", err)
			}
			if n := proto.Size(m); n > also.Bound || n > v.Bound {
				t.Fatalf("%d bytes, and the bounds are %d and %d", n, also.Bound, v.Bound)
			}
			loose := m.ProtoReflect().New().Interface()
			if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(in, loose); err == nil && !equal(m, loose) {
				t.Fatalf("read as %v, by the library as %v", m, loose)
			}
			out, err := Append(nil, m)
			if err != nil {
				t.Fatalf("cannot write what was read: %v", err)
			}
			back := m.ProtoReflect().New().Interface()
			if _, err := TypeOf(m).Unmarshal(out, back); err != nil || !equal(m, back) {
				t.Fatalf("%s reads back as %v, %v", out, back, err)
			}
		}
	})
}

func equal(a, b proto.Message) bool { return proto.Equal(a, b) }

func BenchmarkCodec(b *testing.B) {
	m := &pb.SendMessageRequest{Message: &pb.Message{MessageId: "m-1", Role: pb.Role_ROLE_USER,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: strings.Repeat("x", 1024)}}}}}
	ev := &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
		TaskId: "task-1", ContextId: "ctx-1", Append: true,
		Artifact: &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: strings.Repeat("x", 64)}}}}}}}
	for name, m := range map[string]proto.Message{"request": m, "event": ev} {
		typ := TypeOf(m)
		text, _ := Append(nil, m)
		b.Run(name+"/write", func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf, _, _ = typ.AppendExamined(buf[:0], m)
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = typ.Unmarshal(text, typ.New())
			}
		})
		b.Run(name+"/examine", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = examine(m)
			}
		})
		b.Run(name+"/examine-JSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = typ.ExamineJSON(text)
			}
		})
		b.Run(name+"/protojson-write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = protojson.Marshal(m)
			}
		})
		b.Run(name+"/protojson-read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = protojson.Unmarshal(text, TypeOf(m).New())
			}
		})
	}
}

// read is Unmarshal, held against ExamineJSON: they never differ, but that only
// the latter tells of the event.
func read(t testing.TB, in []byte, m proto.Message) (Verdict, error) {
	t.Helper()
	v, err := TypeOf(m).Unmarshal(in, m)
	also, errAlso := TypeOf(m).ExamineJSON(in)
	if v.Event != nil {
		t.Fatalf("%T from %q: an event beside its message", m, in)
	}
	v.Event = also.Event
	if !reflect.DeepEqual(v, also) || !reflect.DeepEqual(err, errAlso) {
		t.Fatalf("%T from %q: read %+v, %v; checked %+v, %v", m, in, v, err, also, errAlso)
	}
	return v, err
}

func examine(m proto.Message) (v Verdict, err error) {
	err = TypeOf(m).Examine(m, &v)
	return v, err
}
