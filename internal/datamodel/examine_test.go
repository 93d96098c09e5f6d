package datamodel

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Strings are read in words of eight bytes and checked without being made:
// whatever stands wherever in one, the verdict is the scanner's.
func TestStringsAreTheScanners(t *testing.T) {
	for _, odd := range []string{"", `\n`, `\"`, `\\`, `\u00e9`, `\u0000`, `\uABCD`, `\ud83d\ude00`, "é", "😀", "\x7f", " ",
		`"`, `\`, `\x`, `\u12`, `\u12G4`, `\ud800`, `\udc00x`, `\ud800\u0041`, "\x00", "\x1f", "\n", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80"} {
		for before := range 20 {
			for _, after := range []string{"", "x", strings.Repeat("x", 9), `é\té`} {
				text := `"` + strings.Repeat("y", before) + odd + after + `"`
				s := strictjson.Scanner{In: []byte(text)}
				want, refused := s.Str()
				if refused == nil {
					refused = s.End()
				}
				m := new(structpb.Value)
				_, err := read(t, []byte(text), m)
				if refused != nil {
					require.ErrorContains(t, err, refused.Error(), text)
					continue
				}
				require.NoError(t, err, text)
				require.Equal(t, string(want), m.GetStringValue())
				out, err := Append(nil, m)
				require.NoError(t, err)
				require.Equal(t, string(strictjson.AppendString(nil, string(want))), string(out))
			}
		}
	}
}

// Base64 is decoded in blocks; what is wrong at their edges is not missed.
func TestBase64InBlocks(t *testing.T) {
	for n := 760; n < 780; n++ {
		raw := []byte(strings.Repeat("\xfb\xff\xbf", n)[:n])
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			m, text := new(pb.Part), enc.EncodeToString(raw)
			_, err := read(t, []byte(`{"raw":"`+text+`"}`), m)
			require.NoError(t, err)
			require.Equal(t, raw, m.GetRaw())
		}
	}
	good := strings.Repeat("AAAA", 300)
	for _, wrong := range []string{"=", "==", "A", "A===", "AA=", "*", `\n`, `\r`, "-+", "AA==AAAA"} {
		for _, before := range []int{0, 4, 1016, 1020, 1021, 1022, 1023, 1024, 1028} {
			text := good[:before] + wrong + good[before:]
			std, url := base64.StdEncoding, base64.URLEncoding
			if len(text)%4 != 0 {
				std, url = base64.RawStdEncoding, base64.RawURLEncoding
			}
			_, noStd := std.DecodeString(text)
			_, noURL := url.DecodeString(text)
			_, err := read(t, []byte(`{"raw":"`+text+`"}`), new(pb.Part))
			require.Equal(t, noStd != nil && noURL != nil, err != nil, text)
		}
	}
}

// Names are told apart, however many there are, known and not.
func TestNamesInOneObject(t *testing.T) {
	for n := range 30 {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(`"name%d":%d`, i, i))
		}
		for _, m := range []proto.Message{new(structpb.Struct), new(pb.Task), new(pb.SecurityRequirement)} {
			all := slices.Clone(names)
			if _, ok := m.(*pb.SecurityRequirement); ok {
				for i := range all {
					all[i] = fmt.Sprintf(`"name%d":{}`, i)
				}
			}
			wrap := func(all []string) []byte {
				if _, ok := m.(*pb.SecurityRequirement); ok {
					return []byte(`{"schemes":{` + strings.Join(all, ",") + `}}`)
				}
				return []byte(`{` + strings.Join(all, ",") + `}`)
			}
			_, err := read(t, wrap(all), TypeOf(m).New())
			require.NoError(t, err)
			for i := range all {
				_, err := read(t, wrap(append(slices.Clone(all), all[i])), TypeOf(m).New())
				require.ErrorContains(t, err, fmt.Sprintf("name%d: is there twice", i))
			}
		}
	}
}

// Members come in any order, by either name, with any space between them.
func TestMembersInAnyOrder(t *testing.T) {
	members := []string{`"taskId" : "t"`, `"context_id":"c"`, `"append":true`, `"vendor":1`, "\"metadata\"\t:\n{}", `"artifact":{"artifact_id":"a","parts":[{"text":"x"}]}`}
	want := &pb.TaskArtifactUpdateEvent{TaskId: "t", ContextId: "c", Append: true, Metadata: &structpb.Struct{},
		Artifact: &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: "x"}}}}}
	for range members {
		members = append(members[1:], members[0])
		for range 2 {
			slices.Reverse(members)
			m := new(pb.TaskArtifactUpdateEvent)
			v, err := read(t, []byte("{ "+strings.Join(members, " , ")+" }"), m)
			require.NoError(t, err)
			assert.True(t, proto.Equal(want, m), "%v", m)
			assert.False(t, v.Missing)
		}
	}
}

func TestWhatIsMissingInText(t *testing.T) { // spec 5.7
	for in, missing := range map[string]bool{
		`{"task":{"id":"t","status":{"state":1}}}`:                                     false,
		`{"task":{"id":"","status":{"state":1}}}`:                                      true,
		`{"task":{"id":null,"status":{"state":1}}}`:                                    true,
		`{"task":{"id":"t","status":{"state":0}}}`:                                     true,
		`{"task":{"id":"t","status":{}}}`:                                              true,
		`{"task":{"id":"t"}}`:                                                          true,
		`{"message":{"messageId":"m","role":1,"parts":[{"text":""}]}}`:                 false,
		`{"message":{"messageId":"m","role":1,"parts":[{"data":null}]}}`:               false,
		`{"message":{"messageId":"m","role":1,"parts":[{"raw":""}]}}`:                  false,
		`{"message":{"messageId":"m","role":1,"parts":[{"text":null}]}}`:               true,
		`{"message":{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[{"url":""}]}}`: true,
		`{"message":{"messageId":"m","role":1,"parts":[]}}`:                            true,
		`{}`:            true,
		`{"task":null}`: true,
	} {
		m := new(pb.StreamResponse)
		v, err := read(t, []byte(in), m)
		require.NoError(t, err, in)
		assert.Equal(t, missing, v.Missing, in)
		assert.Equal(t, missing, TypeOf(m).Missing(m) != nil, in)
	}
}

func TestEventInText(t *testing.T) {
	for in, want := range map[string]string{
		`{"task":{"id":"t","history":[{"taskId":"x","messageId":"m"}]}}`:                   "task t",
		`{"message":{"taskId":"x"}}`:                                                       "message ",
		`{"task":null,"statusUpdate":{"taskId":"\u0074","status":{"message":{"id":"x"}}}}`: "statusUpdate t",
		`{"artifactUpdate":{"artifact":{"parts":[{"text":"x"}]},"task_id":"t"}}`:           "artifactUpdate t",
		`{"x":{"task":{"id":"t"}}}`:                                                        " ",
	} {
		v, err := read(t, []byte(in), new(pb.StreamResponse))
		require.NoError(t, err, in)
		ev := eventOf(v)
		assert.Equal(t, want, ev.Member+" "+string(ev.Task), in)
	}
}

// A decoder that is used again knows nothing of what it read before.
func TestVerdictsAreTheirOwn(t *testing.T) {
	typ := TypeOf(new(pb.StreamResponse))
	for range 3 {
		_, err := typ.ExamineJSON([]byte(`{"task":{"id":"t","metadata":{"a":[[[[`))
		require.Error(t, err)
		v, err := typ.ExamineJSON([]byte(`{"task":{"id":"t"}}`))
		require.NoError(t, err)
		assert.True(t, v.Missing)
		deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
		v, err = typ.ExamineJSON([]byte(`{"message":{"messageId":"m","role":1,"parts":[{"data":` + deep + `}]}}`))
		require.NoError(t, err)
		assert.False(t, v.Missing)
		assert.Equal(t, &Event{Member: "message"}, v.Event)
	}
}

func TestExamineJSONMakesNothing(t *testing.T) {
	event := func(text string) *pb.StreamResponse {
		return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
			TaskId: "task-1", ContextId: "ctx-1", Artifact: &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{{Content: &pb.Part_Text{Text: text}}}}}}}
	}
	task := sampleTask()
	task.History = []*pb.Message{sampleRequest().GetMessage()}
	for name, m := range map[string]proto.Message{
		"ASCII":     event(strings.Repeat("x", 64)),
		"lines":     event(strings.Repeat("a line\n\"", 100)),
		"not ASCII": event(strings.Repeat("héllo ", 100)),
		"status": &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: "t", ContextId: "c",
			Status: &pb.TaskStatus{State: 2, Timestamp: &timestamppb.Timestamp{Seconds: 1764504000, Nanos: 120000000}}}}},
		"request": sampleRequest(),
		"task":    &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: task}},
		"card":    sampleCard(),
		"bytes":   &pb.Part{Content: &pb.Part_Raw{Raw: make([]byte, 10000)}},
	} {
		typ := TypeOf(m)
		for how, write := range map[string]func(proto.Message) ([]byte, error){
			"ours": func(m proto.Message) ([]byte, error) { return Append(nil, m) }, "the library's": protojson.Marshal,
		} {
			text, err := write(m)
			require.NoError(t, err)
			// The Event where there is one; and the pool of decoders may be
			// emptied meanwhile, so not quite none.
			v, err := typ.ExamineJSON(text)
			most := 1.0
			if v.Event != nil {
				most++
			}
			assert.Less(t, testing.AllocsPerRun(100, func() { _, err = typ.ExamineJSON(text) }), most, "%s, %s", name, how)
			require.NoError(t, err, name)
		}
	}
}

// What is small as JSON may be large as protobuf: the bound is never below it.
func TestBoundOfText(t *testing.T) {
	for n := range 100 {
		for _, one := range []string{`1`, `[]`, `{}`, `""`, `null`, `{"":1}`} {
			m := new(structpb.Value)
			v, err := read(t, []byte(`[`+strings.Repeat(one+`,`, n)+one+`]`), m)
			require.NoError(t, err)
			require.LessOrEqual(t, proto.Size(m), v.Bound, one)
		}
	}
}

// eventOf is the event of a verdict, an empty one for none.
func eventOf(v Verdict) Event {
	if v.Event == nil {
		return Event{}
	}
	return *v.Event
}
