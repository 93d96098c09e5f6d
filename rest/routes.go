package rest

import (
	"net/http"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

// route is where one operation lives (spec 11.3): the client writes requests
// by it and the server reads them. A request's fields are in the path if it
// names them, the others in the body, or in the query where there is no body.
// The tenant is a segment in front of the path if there is one.
type route struct {
	op *binding.Op
	// methods are the HTTP methods served; a client uses the first, and then
	// the second if the server has no such route.
	methods []string
	path    string
	body    bodyRule

	segments []segment
	verb     string // ":cancel", at the end of the path
	tenant   *field
	params   []*field // in the order of the path
	others   []*field // in the query
	byName   map[string]*field
	folded   map[string]*field // by name in lower case
}

// bodyRule says whether a route's requests have a body.
type bodyRule uint8

const (
	noBody bodyRule = iota
	optionalBody
	wholeBody
)

// segment of a path is a literal, or a parameter if it is empty.
type segment string

// field is a field of a request.
type field struct {
	fd    protoreflect.FieldDescriptor
	name  string // of ProtoJSON
	index int    // among the request's fields
}

// routes are all routes. Where two match a path, the first counts.
var routes = compile([]route{
	{op: binding.OpSendMessage, methods: []string{http.MethodPost}, path: "/message:send", body: wholeBody},
	{op: binding.OpSendStreamingMessage, methods: []string{http.MethodPost}, path: "/message:stream", body: wholeBody},
	{op: binding.OpGetTask, methods: []string{http.MethodGet}, path: "/tasks/{id}"},
	{op: binding.OpListTasks, methods: []string{http.MethodGet}, path: "/tasks"},
	{op: binding.OpCancelTask, methods: []string{http.MethodPost}, path: "/tasks/{id}:cancel", body: optionalBody},
	// The text of 11.3.2 says POST, the protobuf service GET.
	{op: binding.OpSubscribeToTask, methods: []string{http.MethodPost, http.MethodGet}, path: "/tasks/{id}:subscribe", body: optionalBody},
	{op: binding.OpCreateTaskPushNotificationConfig, methods: []string{http.MethodPost}, path: "/tasks/{taskId}/pushNotificationConfigs", body: wholeBody},
	{op: binding.OpGetTaskPushNotificationConfig, methods: []string{http.MethodGet}, path: "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	{op: binding.OpListTaskPushNotificationConfigs, methods: []string{http.MethodGet}, path: "/tasks/{taskId}/pushNotificationConfigs"},
	{op: binding.OpDeleteTaskPushNotificationConfig, methods: []string{http.MethodDelete}, path: "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	{op: binding.OpGetExtendedAgentCard, methods: []string{http.MethodGet}, path: "/extendedAgentCard"},
})

// maxSegments is how many segments a path has at most, with a tenant and a
// slash at its end.
const maxSegments = 6

// maxParams is how many parameters a path has at most.
const maxParams = 2

// firstLiterals are the literals that paths begin with.
var firstLiterals = func() map[string]bool {
	out := map[string]bool{}
	for _, rt := range routes {
		out[string(rt.segments[0])] = true
	}
	return out
}()

// verbs are what paths end with behind a parameter.
var verbs = func() (out []string) {
	for _, rt := range routes {
		if rt.verb != "" {
			out = append(out, rt.verb)
		}
	}
	return out
}()

var byOp = func() map[*binding.Op]*route {
	out := make(map[*binding.Op]*route, len(routes))
	for _, rt := range routes {
		out[rt.op] = rt
	}
	return out
}()

func compile(rows []route) []*route {
	out := make([]*route, 0, len(rows))
	for _, rt := range rows {
		rt.describe()
		out = append(out, &rt)
	}
	return out
}

// describe takes the path apart and finds the request's fields.
func (rt *route) describe() {
	fields := rt.op.NewRequest().ProtoReflect().Descriptor().Fields()
	rt.byName, rt.folded = map[string]*field{}, map[string]*field{}
	for i := range fields.Len() {
		fd := fields.Get(i)
		f := &field{fd: fd, name: fd.JSONName(), index: i}
		for _, name := range []string{f.name, string(fd.Name())} {
			rt.byName[name] = f
			rt.folded[strings.ToLower(name)] = f
		}
	}
	rt.tenant = rt.byName["tenant"]
	inPath := map[*field]bool{rt.tenant: true}
	for s := range strings.SplitSeq(strings.TrimPrefix(rt.path, "/"), "/") {
		if s[0] != '{' {
			rt.segments = append(rt.segments, segment(s))
			continue
		}
		name, verb, _ := strings.Cut(s[1:], "}")
		f := rt.byName[name]
		rt.verb = verb
		rt.segments = append(rt.segments, "")
		rt.params = append(rt.params, f)
		inPath[f] = true
	}
	for i := range fields.Len() {
		if f := rt.byName[fields.Get(i).JSONName()]; rt.body == noBody && !inPath[f] {
			rt.others = append(rt.others, f)
		}
	}
}
