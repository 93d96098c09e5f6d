package schema

import (
	"maps"

	"github.com/a2awire/a2awire/binding"
)

// Wire is what a wire adds to JSON-RPC's envelopes.
type Wire struct {
	// Call and Answer are the schemas of members that those have beside JSON-RPC's.
	Call, Answer map[string]any
	// Signals are members that a client sends with an id and no method.
	Signals map[string]any
	// Ends are members that stand in the place of a result or an error.
	Ends []string
}

// JSONRPC adds, for each operation, GetTask.call and GetTask.answer; for
// answers to what was no call, "answer"; and the client's signals.
func (d Defs) JSONRPC(w Wire) Defs {
	version, id := object{"const": "2.0"}, object{"type": []string{"string", "integer"}}
	failure := closed(object{
		"code": object{"type": "integer"}, "message": object{"type": "string"}, "data": details(),
	}, "code", "message", "data")
	call := func(properties object, required ...string) object {
		properties["jsonrpc"], properties["id"] = version, id
		maps.Copy(properties, w.Call)
		return closed(properties, append(required, "jsonrpc", "id")...)
	}
	answer := func(result object, also ...string) object {
		properties := object{"jsonrpc": version, "id": object{"type": []string{"string", "integer", "null"}}, "error": failure}
		maps.Copy(properties, w.Answer)
		one := []any{}
		for _, name := range append([]string{"error"}, append(also, w.Ends...)...) {
			one = append(one, object{"required": []string{name}})
		}
		if result != nil {
			properties["result"] = result
		}
		out := closed(properties, "jsonrpc", "id")
		out["oneOf"] = one
		return out
	}
	for _, op := range binding.Ops() {
		d[op.Name+".call"] = call(object{
			"method": object{"const": op.Name}, "params": ref(op.NewRequest().ProtoReflect().Descriptor().Name()),
		}, "method", "params")
		d[op.Name+".answer"] = answer(ref(op.NewResponse().ProtoReflect().Descriptor().Name()), "result")
	}
	d["answer"] = answer(nil)
	for name, value := range w.Signals {
		d[name] = closed(object{"jsonrpc": version, "id": id, name: value}, "jsonrpc", "id", name)
	}
	return d
}
