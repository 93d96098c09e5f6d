package rest

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

func TestRoutesCoverTheOperations(t *testing.T) {
	require.Len(t, byOp, len(binding.Ops()))
	for _, op := range binding.Ops() {
		require.NotNil(t, byOp[op], op.Name)
		assert.LessOrEqual(t, len(byOp[op].params), maxParams)
	}
}

// What has no body has fields that a query can hold.
func TestRoutesQueryKinds(t *testing.T) {
	for _, rt := range routes {
		for _, f := range rt.others {
			assert.False(t, f.fd.IsList() || f.fd.IsMap(), "%s.%s", rt.op, f.name)
			switch f.fd.Kind() {
			case protoreflect.StringKind, protoreflect.BoolKind, protoreflect.Int32Kind, protoreflect.EnumKind:
			case protoreflect.MessageKind:
				assert.Equal(t, protoreflect.FullName("google.protobuf.Timestamp"), f.fd.Message().FullName())
			default:
				t.Errorf("%s.%s is a %v", rt.op, f.name, f.fd.Kind())
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, tc := range []struct {
		method, path string
		op           *binding.Op
		tenant       string
		params       [maxParams]string
	}{
		{"POST", "/message:send", binding.OpSendMessage, "", [2]string{}},
		{"POST", "/message:send/", binding.OpSendMessage, "", [2]string{}},
		{"POST", "message:send", binding.OpSendMessage, "", [2]string{}},
		{"POST", "/acme/message:stream", binding.OpSendStreamingMessage, "acme", [2]string{}},
		{"GET", "/tasks", binding.OpListTasks, "", [2]string{}},
		{"GET", "/tasks/", binding.OpGetTask, "", [2]string{}},
		{"GET", "/tasks/t1", binding.OpGetTask, "", [2]string{"t1"}},
		{"GET", "/tasks/t1/", binding.OpGetTask, "", [2]string{"t1"}},
		{"GET", "/tasks/a%2Fb%3F%23%25", binding.OpGetTask, "", [2]string{"a/b?#%"}},
		{"GET", "/tasks/urn:uuid:1", binding.OpGetTask, "", [2]string{"urn:uuid:1"}},
		{"GET", "/tasks/t1%3Acancel", binding.OpGetTask, "", [2]string{"t1:cancel"}},
		{"GET", "/tasks/tasks", binding.OpGetTask, "", [2]string{"tasks"}},
		{"GET", "/%74asks/tasks", binding.OpListTasks, "tasks", [2]string{}},
		{"GET", "/tasks/tasks/t1", binding.OpGetTask, "tasks", [2]string{"t1"}},
		{"GET", "/tasks/extendedAgentCard", binding.OpGetTask, "", [2]string{"extendedAgentCard"}},
		{"GET", "/%74asks/extendedAgentCard", binding.OpGetExtendedAgentCard, "tasks", [2]string{}},
		{"GET", "/a%2Fb/tasks", binding.OpListTasks, "a/b", [2]string{}},
		{"POST", "/tasks/message:send", binding.OpSendMessage, "tasks", [2]string{}},
		{"POST", "/tasks/t1:cancel", binding.OpCancelTask, "", [2]string{"t1"}},
		{"POST", "/tasks/t1%3Acancel:cancel", binding.OpCancelTask, "", [2]string{"t1:cancel"}},
		{"POST", "/tasks/:cancel", binding.OpCancelTask, "", [2]string{}},
		{"POST", "/tasks/t1:subscribe", binding.OpSubscribeToTask, "", [2]string{"t1"}},
		{"GET", "/acme/tasks/t1:subscribe", binding.OpSubscribeToTask, "acme", [2]string{"t1"}},
		{"POST", "/tasks/t1/pushNotificationConfigs", binding.OpCreateTaskPushNotificationConfig, "", [2]string{"t1"}},
		{"POST", "/tasks/t1/pushNotificationConfigs/", binding.OpCreateTaskPushNotificationConfig, "", [2]string{"t1"}},
		{"GET", "/tasks/t1/pushNotificationConfigs", binding.OpListTaskPushNotificationConfigs, "", [2]string{"t1"}},
		{"GET", "/tasks/t1/pushNotificationConfigs/c1", binding.OpGetTaskPushNotificationConfig, "", [2]string{"t1", "c1"}},
		{"DELETE", "/acme/tasks/t1/pushNotificationConfigs/c1", binding.OpDeleteTaskPushNotificationConfig, "acme", [2]string{"t1", "c1"}},
		{"GET", "/extendedAgentCard", binding.OpGetExtendedAgentCard, "", [2]string{}},
	} {
		m, _ := find(tc.method, tc.path)
		if assert.NotNil(t, m.route, "%s %s", tc.method, tc.path) {
			assert.Equal(t, tc.op.Name, m.route.op.Name, "%s %s", tc.method, tc.path)
			assert.Equal(t, tc.tenant, m.tenant, "%s %s", tc.method, tc.path)
			assert.Equal(t, tc.params, m.params, "%s %s", tc.method, tc.path)
		}
	}
}

func TestFindNothing(t *testing.T) {
	for _, tc := range []struct{ method, path, allow string }{
		{"GET", "", ""},
		{"GET", "/", ""},
		{"GET", "*", ""},
		{"POST", "/acme/", ""},
		{"POST", "//message:send", ""},
		{"GET", "/a/b/c/d/e/f/g/h/i", ""},
		{"GET", "/v1/card", ""},
		{"GET", "/a/b/tasks", ""},
		{"POST", "/tasks/t1:unknown/pushNotificationConfigs/c1", "DELETE GET"},
		{"GET", "/tasks/t1:cancel", "POST"},
		{"DELETE", "/tasks/t1:subscribe", "GET POST"},
		{"PUT", "/tasks/t1", "GET"},
		{"GET", "/message:send", "POST"},
		{"GET", "/acme/message:send", "POST"},
		{"PATCH", "/tasks/t1/pushNotificationConfigs", "GET POST"},
	} {
		m, allow := find(tc.method, tc.path)
		assert.Nil(t, m.route, "%s %s", tc.method, tc.path)
		assert.Equal(t, tc.allow, strings.Join(allow, " "), "%s %s", tc.method, tc.path)
	}
}

// odd are values that other software lost.
var odd = []string{
	"t1", "a/b", "a?b", "a%2Fb", "a#b", "a:cancel", ":subscribe", "a:send", "message:send", "tasks", "extendedAgentCard",
	"pushNotificationConfigs", ".", "..", "...", " ", "a b", "a+b", "ünï/çödé", "日本", "%", "%zz", "a;b", "a&b=c", "~", "\n", "\\",
}

func TestPathRoundTrip(t *testing.T) {
	for _, rt := range routes {
		for _, tenant := range append([]string{""}, odd...) {
			for _, a := range odd {
				for _, b := range odd {
					roundTrip(t, rt, tenant, a, b)
					if len(rt.params) < 2 {
						break
					}
				}
				if len(rt.params) < 1 {
					break
				}
			}
		}
	}
}

func roundTrip(t *testing.T, rt *route, tenant, a, b string) {
	t.Helper()
	var params [maxParams]string
	copy(params[:], []string{a, b}[:len(rt.params)])
	path := string(rt.appendPath(nil, tenant, params))
	for _, method := range rt.methods {
		m, _ := find(method, path)
		require.NotNil(t, m.route, path)
		require.Equal(t, rt.op.Name, m.route.op.Name, path)
		require.Equal(t, tenant, m.tenant, path)
		require.Equal(t, params, m.params, path)
	}
}

func FuzzRoute(f *testing.F) {
	for _, s := range odd {
		f.Add(s, s, "/"+s)
	}
	f.Add("", "", "/tasks/%zz")
	f.Fuzz(func(t *testing.T, tenant, id, path string) {
		if utf8.ValidString(id) && id != "" {
			for _, rt := range routes {
				roundTrip(t, rt, tenant, id, id)
			}
		}
		if m, allow := find(http.MethodGet, path); m.route != nil {
			assert.Empty(t, allow)
			assert.Contains(t, m.route.methods, http.MethodGet)
		}
	})
}
