// Package datamodel reads, writes and checks the A2A data model: ProtoJSON
// with the strictness that makes every binding give the same verdict, driven
// by the protobuf descriptors. It refuses, and names the field: unknown enum
// values, duplicate or differently-cased members, two members of one oneof,
// text that is not UTF-8, numbers JSON does not have, depth over 64 levels. It
// ignores unknown members (spec 5.7), and writes required members even when
// they hold their default (spec 3.1.4).
package datamodel

import (
	"fmt"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Error is what the data model refuses, and where.
type Error struct {
	// Path is the field's, in ProtoJSON names: message.parts[0].text. It is
	// empty for the message itself.
	Path string
	// Problem says what is wrong with it.
	Problem string
	// Syntax is set for text that is not JSON at all.
	Syntax bool
}

// Error is path and problem.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

func problem(format string, args ...any) error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

// at puts a field in front of an error's path, on the way out.
func at(err error, name string) error {
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Problem: err.Error(), Syntax: true}
		return e
	}
	switch {
	case e.Syntax || name == "":
	case e.Path == "":
		e.Path = name
	case e.Path[0] == '[':
		e.Path = name + e.Path
	default:
		e.Path = name + "." + e.Path
	}
	return e
}

// atIndex puts an element's place in front of an error's path.
func atIndex(err error, i int) error { return at(err, fmt.Sprintf("[%d]", i)) }

// Type is what reading and writing needs to know of one message type.
type Type struct {
	mt     protoreflect.MessageType
	known  wellKnown
	fields []*field
	byName map[string]*field
	folded map[string]*field
	// What must be there (spec 5.7): a member of the oneof, and these fields.
	oneof    protoreflect.OneofDescriptor
	nonEmpty []*field
}

type wellKnown uint8

const (
	ordinary wellKnown = iota
	structType
	valueType
	listType
	timestampType
)

var wellKnownTypes = map[protoreflect.FullName]wellKnown{
	"google.protobuf.Struct":    structType,
	"google.protobuf.Value":     valueType,
	"google.protobuf.ListValue": listType,
	"google.protobuf.Timestamp": timestampType,
}

// field is one field of a type.
type field struct {
	fd       protoreflect.FieldDescriptor
	index    int
	name     string
	label    []byte // `"name":`
	kind     protoreflect.Kind
	list     bool
	isMap    bool
	presence bool
	typ      *Type // of messages, and of messages in lists and maps
	enum     protoreflect.EnumValueDescriptors
	oneof    protoreflect.OneofDescriptor
	required bool // written even when default
	nonEmpty bool // refused when default or missing
}

// mayBeEmpty holds required fields whose default is a value, not an absence
// (spec 3.1.4, 8.4.1), by message or by field.
var mayBeEmpty = map[protoreflect.FullName]bool{
	"lf.a2a.v1.ListTasksResponse":              true,
	"lf.a2a.v1.AgentCard.name":                 true,
	"lf.a2a.v1.AgentCard.description":          true,
	"lf.a2a.v1.AgentCard.version":              true,
	"lf.a2a.v1.AgentCard.skills":               true,
	"lf.a2a.v1.AgentCard.default_input_modes":  true,
	"lf.a2a.v1.AgentCard.default_output_modes": true,
	"lf.a2a.v1.AgentSkill":                     true,
	"lf.a2a.v1.AgentProvider":                  true,
	"lf.a2a.v1.AgentCardSignature":             true,
	"lf.a2a.v1.APIKeySecurityScheme":           true,
	"lf.a2a.v1.HTTPAuthSecurityScheme":         true,
	"lf.a2a.v1.OAuth2SecurityScheme":           true,
	"lf.a2a.v1.OpenIdConnectSecurityScheme":    true,
	"lf.a2a.v1.AuthorizationCodeOAuthFlow":     true,
	"lf.a2a.v1.ClientCredentialsOAuthFlow":     true,
	"lf.a2a.v1.DeviceCodeOAuthFlow":            true,
}

// requiredOneofs must have a member set: a message without content says nothing.
var requiredOneofs = map[protoreflect.FullName]bool{
	"lf.a2a.v1.Part.content":                true,
	"lf.a2a.v1.SendMessageResponse.payload": true,
	"lf.a2a.v1.StreamResponse.payload":      true,
}

var types sync.Map // protoreflect.FullName to *Type

// TypeOf is the type of a message; the message may be a nil pointer.
func TypeOf(m proto.Message) *Type { return typeOf(m.ProtoReflect().Type()) }

func typeOf(mt protoreflect.MessageType) *Type {
	name := mt.Descriptor().FullName()
	if t, ok := types.Load(name); ok {
		return t.(*Type)
	}
	building.Lock()
	defer building.Unlock()
	return build(mt, map[protoreflect.FullName]*Type{})
}

// building lets one goroutine build types at a time, as they refer to each other.
var building sync.Mutex

func build(mt protoreflect.MessageType, open map[protoreflect.FullName]*Type) *Type {
	md := mt.Descriptor()
	if t, ok := types.Load(md.FullName()); ok {
		return t.(*Type)
	}
	if t, ok := open[md.FullName()]; ok {
		return t
	}
	t := &Type{
		mt: mt, known: wellKnownTypes[md.FullName()],
		byName: map[string]*field{}, folded: map[string]*field{},
	}
	outermost := len(open) == 0
	open[md.FullName()] = t
	if t.known == ordinary {
		t.describe(mt, open)
	}
	// A type is published when all it refers to is whole.
	if outermost {
		for name, t := range open {
			types.Store(name, t)
		}
	}
	return t
}

func (t *Type) describe(mt protoreflect.MessageType, open map[protoreflect.FullName]*Type) {
	md := mt.Descriptor()
	for i := range md.Oneofs().Len() {
		if o := md.Oneofs().Get(i); requiredOneofs[o.FullName()] {
			t.oneof = o
		}
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		f := &field{
			fd: fd, index: i, name: fd.JSONName(), kind: fd.Kind(),
			label: append(strictjson.AppendString(nil, fd.JSONName()), ':'),
			list:  fd.IsList(), isMap: fd.IsMap(), presence: fd.HasPresence(),
		}
		if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() {
			f.oneof = o
		}
		f.required = isRequired(fd)
		f.nonEmpty = f.required && !mayBeEmpty[fd.FullName()] && !mayBeEmpty[md.FullName()]
		value := fd
		if f.isMap {
			value = fd.MapValue()
			f.kind = value.Kind()
		}
		if m := value.Message(); m != nil {
			f.typ = build(messageType(mt, fd), open)
		}
		if e := value.Enum(); e != nil {
			f.enum = e.Values()
		}
		t.fields = append(t.fields, f)
		if f.nonEmpty {
			t.nonEmpty = append(t.nonEmpty, f)
		}
		t.byName[f.name] = f
		t.byName[string(fd.Name())] = f
		t.folded[strings.ToLower(f.name)] = f
		t.folded[strings.ToLower(string(fd.Name()))] = f
	}
}

// messageType is the Go type of a field's messages.
func messageType(mt protoreflect.MessageType, fd protoreflect.FieldDescriptor) protoreflect.MessageType {
	v := mt.Zero().NewField(fd)
	switch {
	case fd.IsMap():
		return v.Map().NewValue().Message().Type()
	case fd.IsList():
		return v.List().NewElement().Message().Type()
	}
	return v.Message().Type()
}

func isRequired(fd protoreflect.FieldDescriptor) bool {
	behavior, _ := proto.GetExtension(fd.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	for _, b := range behavior {
		if b == annotations.FieldBehavior_REQUIRED {
			return true
		}
	}
	return false
}

// New is an empty message of the type.
func (t *Type) New() proto.Message { return t.mt.New().Interface() }
