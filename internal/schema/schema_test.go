package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the schema takes and refuses, a rule of ProtoJSON or of a definition each.
func TestSchema(t *testing.T) {
	s, err := schema.Model().JSONRPC(schema.Wire{
		Answer: map[string]any{"streamEnd": map[string]any{"const": true}}, Ends: []string{"streamEnd"},
		Signals: map[string]any{"cancelStream": map[string]any{"const": true}},
	}).Compile()
	require.NoError(t, err)
	for _, c := range []struct {
		def, text, why string // why it is refused, "" if it is not
	}{
		{"Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.678Z"},"metadata":{"any":[1,null]}}`, ""},
		{"Task", `{"id":"t","status":{"state":2}}`, "the number of an enum"},
		{"Task", `{"id":"t","status":{"state":"working"}}`, "no name of it"},
		{"Task", `{"id":"t","status":{}}`, "a required field within"},
		{"Task", `{"status":{"state":"TASK_STATE_WORKING"}}`, "a required field"},
		{"Task", `{"id":"t","context_id":"c","status":{"state":"TASK_STATE_WORKING"}}`, "not camelCase"},
		{"Task", `{"id":"t","contextId":null,"status":{"state":"TASK_STATE_WORKING"}}`, "null"},
		{"Task", `{"id":"t","kind":"task","status":{"state":"TASK_STATE_WORKING"}}`, "an unknown member"},
		{"Task", `{"id":"t","metadata":[],"status":{"state":"TASK_STATE_WORKING"}}`, "no Struct"},
		{"Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05+01:00"}}`, "not UTC"},
		{"Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"yesterdayZ"}}`, "no time"},
		{"Part", `{"raw":"+/8A"}`, ""},
		{"Part", `{"raw":"-_8A"}`, "the alphabet of URLs"},
		{"Part", `{"raw":"+/8"}`, "no padding"},
		{"Part", `{"data":null}`, ""},
		{"Part", `{"mediaType":"text/plain"}`, "none of a oneof"},
		{"Part", `{"text":"a","url":"https://files.example"}`, "two of a oneof"},
		{"GetTaskRequest", `{"id":"t","historyLength":2147483647}`, ""},
		{"GetTaskRequest", `{"id":"t","historyLength":2147483648}`, "over 32 bits"},
		{"GetTaskRequest", `{"id":"t","historyLength":"1"}`, "a number as text"},
		{"ListTasksResponse", `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`, ""},
		{"ListTasksResponse", `{}`, "required, though the default"},
		{"SecurityRequirement", `{"schemes":{"a":{"list":["b"]}}}`, ""},
		{"SecurityRequirement", `{"schemes":{"a":["b"]}}`, "a list in the place of a message"},
		{"GetTask.call", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`, ""},
		{"GetTask.call", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["t"]}`, "parameters by position"},
		{"GetTask.call", `{"id":1,"method":"GetTask","params":{"id":"t"}}`, "no version"},
		{"cancelStream", `{"jsonrpc":"2.0","id":"1","cancelStream":true}`, ""},
		{"cancelStream", `{"jsonrpc":"2.0","id":"1","cancelStream":false}`, "another value"},
		{"DeleteTaskPushNotificationConfig.answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"DeleteTaskPushNotificationConfig.answer", `{"jsonrpc":"2.0","id":1}`, "neither"},
		{"DeleteTaskPushNotificationConfig.answer", `{"jsonrpc":"2.0","id":1,"result":{},"streamEnd":true}`, "both"},
		{"DeleteTaskPushNotificationConfig.answer", `{"jsonrpc":"2.0","id":1,"streamEnd":true}`, ""},
		{"answer", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":[` + info + `]}}`, ""},
		{"answer", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":` + info + `}}`, "no array"},
		{"answer", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":[]}}`, "no ErrorInfo"},
		{"answer", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":[` + info + `,{}]}}`, "no @type"},
		{"HTTPError", `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + info + `]}}`, ""},
		{"HTTPError", `{"error":{"code":404,"status":"Not Found","message":"m","details":[` + info + `]}}`, "no name of google.rpc.Code"},
		{"HTTPError", `{"code":404,"status":"NOT_FOUND","message":"m","details":[` + info + `]}`, "no wrapper"},
		{"Empty", `{}`, ""},
		{"Empty", `null`, "null"},
		{"no such definition", `{}`, "no such definition"},
		{"Task", `{"id":"t","status":{"state":"`, "no JSON"},
	} {
		err := s.Check(c.def, []byte(c.text))
		assert.Equal(t, c.why != "", err != nil, "%s %s: %s: %v", c.def, c.text, c.why, err)
	}
}

const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"X","domain":"a2a-protocol.org"}`

func TestEvents(t *testing.T) {
	var got []string
	schema.Events("data: 1\n\n:\n\nevent: error\ndata: {\ndata: }\n\ndata: cut", func(data []byte) { got = append(got, string(data)) })
	assert.Equal(t, []string{"1", "{\n}"}, got)
}
