package datamodel

import (
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Examine holds a message against what every wire can carry: UTF-8, finite
// numbers, known enum values, depth. The error is an [*Error]. missing says
// that something the specification requires is not there; [Missing] names it.
func Examine(m proto.Message) (missing bool, err error) {
	c := checker{}
	err = c.message(TypeOf(m), m.ProtoReflect())
	return c.missing, err
}

// Missing names the first thing that the specification requires and the
// message lacks (spec 5.7), nil if it lacks nothing.
func Missing(m proto.Message) error {
	c := checker{strict: true}
	return c.message(TypeOf(m), m.ProtoReflect())
}

// Check is Examine, and Missing as an error.
func Check(m proto.Message) error {
	missing, err := Examine(m)
	if err == nil && missing {
		err = Missing(m)
	}
	return err
}

type checker struct {
	strict  bool // what is missing is an error
	missing bool
	depth   int
}

func (c *checker) open() error {
	if c.depth++; c.depth > strictjson.MaxDepth {
		return errDepth()
	}
	return nil
}

func (c *checker) message(t *Type, m protoreflect.Message) error {
	switch t.known {
	case structType:
		return c.structValue(m.Interface().(*structpb.Struct))
	case valueType:
		return c.value(m.Interface().(*structpb.Value))
	case listType:
		return c.listValue(m.Interface().(*structpb.ListValue))
	case timestampType:
		if m.Interface().(*timestamppb.Timestamp).CheckValid() != nil {
			return problem("is a timestamp out of range")
		}
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	if t.oneof != nil && m.WhichOneof(t.oneof) == nil {
		if c.missing = true; c.strict {
			return noMember(t.oneof)
		}
	}
	for _, f := range t.fields {
		there := true
		var v protoreflect.Value
		if f.presence {
			if there = m.Has(f.fd); there {
				v = m.Get(f.fd)
			}
		} else {
			v = m.Get(f.fd)
			there = !isDefault(f, v)
		}
		if !there {
			if f.nonEmpty {
				if c.missing = true; c.strict {
					return at(missing(f), f.name)
				}
			}
			continue
		}
		if err := c.field(f, v); err != nil {
			return at(err, f.name)
		}
	}
	c.depth--
	return nil
}

func missing(f *field) error {
	if f.list {
		return problem("needs at least one element")
	}
	return problem("is required")
}

func noMember(o protoreflect.OneofDescriptor) error {
	return problem("has no %s: one of %s is required", o.Name(), memberNames(o))
}

func memberNames(o protoreflect.OneofDescriptor) string {
	var b []byte
	for i := range o.Fields().Len() {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, o.Fields().Get(i).JSONName()...)
	}
	return string(b)
}

func (c *checker) field(f *field, v protoreflect.Value) error {
	switch {
	case f.list:
		if err := c.open(); err != nil {
			return err
		}
		if f.typ == nil && f.kind != protoreflect.StringKind && f.kind != protoreflect.EnumKind {
			c.depth--
			return nil
		}
		l := v.List()
		for i := range l.Len() {
			if err := c.one(f, l.Get(i)); err != nil {
				return atIndex(err, i)
			}
		}
		c.depth--
		return nil
	case f.isMap:
		return c.mapField(f, v.Map())
	}
	return c.one(f, v)
}

func (c *checker) mapField(f *field, m protoreflect.Map) (err error) {
	if err := c.open(); err != nil {
		return err
	}
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		if !utf8.ValidString(k.String()) {
			err = errUTF8()
		} else if err = c.one(f, v); err != nil {
			err = at(err, k.String())
		}
		return err == nil
	})
	c.depth--
	return err
}

func (c *checker) one(f *field, v protoreflect.Value) error {
	if f.typ != nil {
		return c.message(f.typ, v.Message())
	}
	switch f.kind {
	case protoreflect.StringKind:
		if !utf8.ValidString(v.String()) {
			return errUTF8()
		}
	case protoreflect.EnumKind:
		if f.enum.ByNumber(v.Enum()) == nil {
			return unknownEnum(f.enum, strconv.Itoa(int(v.Enum())))
		}
	}
	return nil
}

func (c *checker) structValue(s *structpb.Struct) error {
	if err := c.open(); err != nil {
		return err
	}
	for k, v := range s.GetFields() {
		if !utf8.ValidString(k) {
			return problem("has a key that is not valid UTF-8")
		}
		if err := c.value(v); err != nil {
			return at(err, k)
		}
	}
	c.depth--
	return nil
}

func (c *checker) listValue(l *structpb.ListValue) error {
	if err := c.open(); err != nil {
		return err
	}
	for i, v := range l.GetValues() {
		if err := c.value(v); err != nil {
			return atIndex(err, i)
		}
	}
	c.depth--
	return nil
}

func (c *checker) value(v *structpb.Value) error {
	switch k := v.GetKind().(type) {
	case nil:
		return problem("has no value")
	case *structpb.Value_NumberValue:
		return finite(k.NumberValue)
	case *structpb.Value_StringValue:
		if !utf8.ValidString(k.StringValue) {
			return errUTF8()
		}
	case *structpb.Value_StructValue:
		return c.structValue(k.StructValue)
	case *structpb.Value_ListValue:
		return c.listValue(k.ListValue)
	}
	return nil
}
