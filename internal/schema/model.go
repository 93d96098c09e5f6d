package schema

import (
	"maps"
	"math"
	"slices"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

// Defs are definitions by name, for one document.
type Defs map[string]any

type object = map[string]any

func ref(name protoreflect.Name) object { return object{"$ref": "#/$defs/" + string(name)} }

// closed is an object that has these members, and no other.
func closed(properties object, required ...string) object {
	return object{"type": "object", "properties": properties, "required": append([]string{}, required...), "additionalProperties": false}
}

// Model defines every message of the data model under its name, Empty, and the
// body of an HTTP error as HTTPError (spec 11.6).
func Model() Defs {
	defs := Defs{
		"Empty": closed(object{}),
		"HTTPError": closed(object{"error": closed(object{
			"code":    object{"type": "integer", "minimum": 400, "maximum": 599},
			"status":  object{"enum": slices.Sorted(maps.Keys(code.Code_value))},
			"message": object{"type": "string"},
			"details": details(),
		}, "code", "status", "message", "details")}, "error"),
	}
	for i := range pb.File_a2av1_proto.Messages().Len() {
		d := pb.File_a2av1_proto.Messages().Get(i)
		defs[string(d.Name())] = Message(d)
	}
	return defs
}

// details are those of an error: ProtoJSON of google.protobuf.Any. The first
// is always the ErrorInfo with which the code is told.
func details() object {
	info := object{
		"properties": object{
			"@type":    object{"const": "type.googleapis.com/google.rpc.ErrorInfo"},
			"reason":   object{"type": "string", "minLength": 1},
			"domain":   object{"const": binding.Domain},
			"metadata": object{"type": "object", "additionalProperties": object{"type": "string"}},
		},
		"required": []string{"@type", "reason", "domain"}, "additionalProperties": false,
	}
	return object{"type": "array", "contains": info, "items": object{
		"type": "object", "properties": object{"@type": object{"type": "string", "minLength": 1}}, "required": []string{"@type"},
	}}
}

// Message is a message without some of its fields, named as in ProtoJSON.
func Message(d protoreflect.MessageDescriptor, without ...string) object {
	properties, required, oneofs := object{}, []string{}, []any{}
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		if slices.Contains(without, fd.JSONName()) {
			continue
		}
		properties[fd.JSONName()] = field(fd)
		if isRequired(fd) {
			required = append(required, fd.JSONName())
		}
	}
	for i := range d.Oneofs().Len() {
		if o := d.Oneofs().Get(i); !o.IsSynthetic() {
			oneofs = append(oneofs, object{"oneOf": members(o)})
		}
	}
	out := closed(properties, required...)
	if len(oneofs) > 0 {
		out["allOf"] = oneofs
	}
	return out
}

// members are the schemas of which one must hold: a member of the oneof is there.
func members(o protoreflect.OneofDescriptor) (all []any) {
	for i := range o.Fields().Len() {
		all = append(all, object{"required": []string{o.Fields().Get(i).JSONName()}})
	}
	return all
}

// isRequired reports google.api.field_behavior's REQUIRED.
func isRequired(fd protoreflect.FieldDescriptor) bool {
	behavior, _ := proto.GetExtension(fd.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	return slices.Contains(behavior, annotations.FieldBehavior_REQUIRED)
}

func field(fd protoreflect.FieldDescriptor) object {
	switch {
	case fd.IsMap():
		return object{"type": "object", "additionalProperties": value(fd.MapValue())}
	case fd.IsList():
		return object{"type": "array", "items": value(fd)}
	}
	return value(fd)
}

// known are the messages that ProtoJSON writes in a way of their own.
var known = map[protoreflect.FullName]object{
	"google.protobuf.Timestamp": {"type": "string", "format": "date-time", "pattern": "Z$"},
	"google.protobuf.Struct":    {"type": "object"},
	"google.protobuf.Value":     {},
	"google.protobuf.ListValue": {"type": "array"},
}

// scalars are the kinds that the data model has. A new one is not in the table,
// and makes a schema that does not compile.
var scalars = map[protoreflect.Kind]object{
	protoreflect.StringKind: {"type": "string"},
	protoreflect.BoolKind:   {"type": "boolean"},
	protoreflect.Int32Kind:  {"type": "integer", "minimum": math.MinInt32, "maximum": math.MaxInt32},
	protoreflect.BytesKind:  {"type": "string", "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"},
}

func value(fd protoreflect.FieldDescriptor) object {
	switch {
	case fd.Message() != nil:
		if s, ok := known[fd.Message().FullName()]; ok {
			return s
		}
		return ref(fd.Message().Name())
	case fd.Enum() != nil:
		names := []string{}
		for i := range fd.Enum().Values().Len() {
			names = append(names, string(fd.Enum().Values().Get(i).Name()))
		}
		return object{"enum": names}
	}
	if s, ok := scalars[fd.Kind()]; ok {
		return s
	}
	return object{"type": fd.Kind().String() + " is not known"}
}
