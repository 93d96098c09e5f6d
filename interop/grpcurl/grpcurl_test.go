//go:build interop

package grpcurl_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/interop/leg"
	"github.com/a2awire/a2awire/interop/matrix"
	"github.com/a2awire/a2awire/interop/sdk"
)

func TestGrpcurl(t *testing.T) {
	m := matrix.New("grpcurl", program, version)
	sdk.EachWay(t, "grpc", func(t *testing.T, way string, card *pb.AgentCard) {
		k := &conversation{caller: caller{t, card.GetSupportedInterfaces()[0].GetUrl()}, m: m, way: way}
		k.reflection()
		k.sending()
		k.streaming()
		k.tasks()
		k.pushing()
		k.card()
	})
	m.Compare(t, "matrix.json")
}

// conversation is one with an agent that can do everything.
type conversation struct {
	caller
	m   *matrix.Matrix
	way string
}

// step runs one step, and takes it down for the matrix.
func (k *conversation) step(method, name string, is func(t *testing.T)) {
	k.t.Run(strings.ReplaceAll(name, " ", "-"), is)
	k.m.Add(matrix.Route{Role: matrix.Client, Transport: "grpc", Way: k.way}, method, name, "")
}

func (k *conversation) reflection() {
	k.t.Run("reflection", func(t *testing.T) {
		services, _, err := k.run("", k.address, "list")
		require.NoError(t, err)
		assert.Contains(t, services, service+"\n")
		assert.Contains(t, services, "grpc.health.v1.Health\n")
		methods, _, err := k.run("", k.address, "list", service)
		require.NoError(t, err)
		assert.Len(t, strings.Fields(methods), 11)
		message, _, err := k.run("", k.address, "describe", "lf.a2a.v1.SendMessageRequest")
		require.NoError(t, err)
		assert.Contains(t, message, "SendMessageConfiguration configuration")
		health, _, err := k.run(`{"service":"`+service+`"}`, "-d", "@", k.address, "grpc.health.v1.Health/Check")
		require.NoError(t, err)
		assert.JSONEq(t, `{"status":"SERVING"}`, health)
	})
}

// only is the one message of an answer.
func only[M proto.Message](t *testing.T, a answer, m M) M {
	t.Helper()
	require.Nil(t, a.err)
	require.Len(t, a.messages, 1)
	return leg.As(t, a.messages[0], m)
}

// say is a request with a text, and what its message and the request have more.
func say(text, message, request string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":%q}]%s}%s}`, text, message, request)
}

// fails is an error of a gRPC code with an A2A reason.
func fails(t *testing.T, a answer, code int, reason string) {
	t.Helper()
	require.NotNil(t, a.err)
	assert.Equal(t, code, a.err.Code)
	assert.Equal(t, reason, leg.ErrorInfo(a.err.Details)["reason"], "%+v", a.err)
}

func (k *conversation) sending() {
	k.step("SendMessage", "send", func(t *testing.T) {
		task := only(t, k.call("SendMessage", say("echo hello", "", "")), new(pb.SendMessageResponse)).GetTask()
		assert.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, task.GetStatus().GetState())
		assert.Equal(t, "echo: echo hello", leg.Text(task.GetArtifacts()[0].GetParts()))
	})
	k.step("SendMessage", "extensions", func(t *testing.T) {
		a := k.call("SendMessage", say("mirror", "", ""), "A2A-Extensions: "+leg.ExtensionGeo)
		task := only(t, a, new(pb.SendMessageResponse)).GetTask()
		got := task.GetArtifacts()[0].GetParts()[0].GetData().GetStructValue().GetFields()["serviceParameters"]
		assert.Equal(t, leg.ExtensionGeo, got.GetStructValue().GetFields()["a2a-extensions"].GetStringValue())
	})
	k.step("SendMessage", "missing message", func(t *testing.T) {
		a := k.call("SendMessage", `{}`)
		fails(t, a, 3, "INVALID_PARAMS")
		assert.Contains(t, a.err.Message, "message")
	})
	k.step("SendMessage", "other version", func(t *testing.T) {
		fails(t, k.call("SendMessage", say("echo", "", ""), "A2A-Version: 9.9"), 9, "VERSION_NOT_SUPPORTED")
	})
	for _, e := range sdk.Errors() {
		k.step("SendMessage", "error "+e.Name, func(t *testing.T) {
			a := k.call("SendMessage", say("error "+e.Name, "", ""))
			require.NotNil(t, a.err)
			assert.Equal(t, string(e.Code), leg.ErrorInfo(a.err.Details)["reason"])
			assert.Subset(t, leg.Kinds(a.err.Details), append([]string{"ErrorInfo", "LocalizedMessage", "Help"}, e.Details...))
		})
	}
}

func (k *conversation) streaming() {
	k.step("SendStreamingMessage", "stream", func(t *testing.T) {
		a := k.call("SendStreamingMessage", say("stream 3", "", ""))
		require.Nil(t, a.err)
		var shapes []string
		for _, m := range a.messages {
			shapes = append(shapes, leg.Shape(leg.As(t, m, new(pb.StreamResponse))))
		}
		assert.Equal(t, []string{
			"task TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "chunk 1 append=false last=false",
			"chunk 2 append=true last=false", "chunk 3 append=true last=true", "TASK_STATE_COMPLETED",
		}, shapes)
	})
	k.step("SendStreamingMessage", "stream breaks", func(t *testing.T) {
		a := k.call("SendStreamingMessage", say("error-after 2 UnsupportedOperationError", "", ""))
		assert.Len(t, a.messages, 2)
		fails(t, a, 9, "UNSUPPORTED_OPERATION")
	})
	k.step("SubscribeToTask", "subscribe", func(t *testing.T) {
		long := only(t, k.call("SendMessage", say("long 0.5", "", `,"configuration":{"returnImmediately":true}`)), new(pb.SendMessageResponse))
		a := k.call("SubscribeToTask", `{"id":"`+long.GetTask().GetId()+`"}`)
		require.Nil(t, a.err)
		require.NotEmpty(t, a.messages)
		assert.Equal(t, "task TASK_STATE_WORKING", leg.Shape(leg.As(t, a.messages[0], new(pb.StreamResponse))))
		last := leg.As(t, a.messages[len(a.messages)-1], new(pb.StreamResponse))
		assert.Equal(t, "TASK_STATE_COMPLETED", leg.Shape(last))
	})
	k.step("SubscribeToTask", "subscribe unknown", func(t *testing.T) {
		fails(t, k.call("SubscribeToTask", `{"id":"no such task"}`), 5, "TASK_NOT_FOUND")
	})
}

func (k *conversation) tasks() {
	var task *pb.Task
	k.step("SendMessage", "input", func(t *testing.T) {
		task = only(t, k.call("SendMessage", say("input", `,"contextId":"ctx"`, "")), new(pb.SendMessageResponse)).GetTask()
		assert.Equal(t, pb.TaskState_TASK_STATE_INPUT_REQUIRED, task.GetStatus().GetState())
	})
	k.step("GetTask", "get", func(t *testing.T) {
		got := only(t, k.call("GetTask", `{"id":"`+task.GetId()+`","historyLength":0}`), new(pb.Task))
		assert.Equal(t, task.GetId(), got.GetId())
		assert.Empty(t, got.GetHistory())
	})
	k.step("GetTask", "get unknown", func(t *testing.T) {
		fails(t, k.call("GetTask", `{"id":"no such task"}`), 5, "TASK_NOT_FOUND")
	})
	k.step("ListTasks", "list", func(t *testing.T) {
		page := only(t, k.call("ListTasks", `{"contextId":"ctx"}`), new(pb.ListTasksResponse))
		assert.EqualValues(t, 1, page.GetTotalSize())
		assert.EqualValues(t, 50, page.GetPageSize())
	})
	k.step("CancelTask", "cancel", func(t *testing.T) {
		got := only(t, k.call("CancelTask", `{"id":"`+task.GetId()+`"}`), new(pb.Task))
		assert.Equal(t, pb.TaskState_TASK_STATE_CANCELED, got.GetStatus().GetState())
	})
	k.step("CancelTask", "cancel again", func(t *testing.T) {
		fails(t, k.call("CancelTask", `{"id":"`+task.GetId()+`"}`), 9, "TASK_NOT_CANCELABLE")
	})
}

func (k *conversation) pushing() {
	task := only(k.t, k.call("SendMessage", say("input", "", "")), new(pb.SendMessageResponse)).GetTask().GetId()
	one := `{"taskId":"` + task + `","id":"p"}`
	k.step("CreateTaskPushNotificationConfig", "push create", func(t *testing.T) {
		c := only(t, k.call("CreateTaskPushNotificationConfig", `{"taskId":"`+task+`","id":"p","url":"http://hooks.example/a2a"}`), new(pb.TaskPushNotificationConfig))
		assert.Equal(t, "p", c.GetId())
	})
	k.step("GetTaskPushNotificationConfig", "push get", func(t *testing.T) {
		c := only(t, k.call("GetTaskPushNotificationConfig", one), new(pb.TaskPushNotificationConfig))
		assert.Equal(t, "http://hooks.example/a2a", c.GetUrl())
	})
	k.step("ListTaskPushNotificationConfigs", "push list", func(t *testing.T) {
		l := only(t, k.call("ListTaskPushNotificationConfigs", `{"taskId":"`+task+`"}`), new(pb.ListTaskPushNotificationConfigsResponse))
		assert.Len(t, l.GetConfigs(), 1)
	})
	k.step("DeleteTaskPushNotificationConfig", "push delete", func(t *testing.T) {
		for range 2 {
			a := k.call("DeleteTaskPushNotificationConfig", one)
			require.Nil(t, a.err)
			require.Len(t, a.messages, 1)
			assert.JSONEq(t, `{}`, string(a.messages[0]))
		}
	})
	k.step("GetTaskPushNotificationConfig", "push get deleted", func(t *testing.T) {
		fails(t, k.call("GetTaskPushNotificationConfig", one), 5, "TASK_NOT_FOUND")
	})
}

func (k *conversation) card() {
	k.step("GetExtendedAgentCard", "card", func(t *testing.T) {
		c := only(t, k.call("GetExtendedAgentCard", `{}`), new(pb.AgentCard))
		assert.NotEmpty(t, c.GetSkills())
	})
}
