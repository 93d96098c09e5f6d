package datamodel

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Append appends a message as compact ProtoJSON, members in the order of their
// field numbers and map keys sorted. It fails on what JSON cannot carry; the
// error is an [*Error]. On failure dst holds rubbish behind its old length.
func Append(dst []byte, m proto.Message) ([]byte, error) {
	e := encoder{}
	return e.appendMessage(dst, TypeOf(m), m.ProtoReflect())
}

// AppendExamined is [Examine] and Append in one pass.
func AppendExamined(dst []byte, m proto.Message) (out []byte, missing bool, err error) {
	e := encoder{bounded: true}
	out, err = e.appendMessage(dst, TypeOf(m), m.ProtoReflect())
	return out, e.missing, err
}

type encoder struct {
	bounded bool // depth is
	missing bool
	depth   int
}

// open steps into an object or array.
func (e *encoder) open() error {
	if e.depth++; e.bounded && e.depth > strictjson.MaxDepth {
		return errDepth()
	}
	return nil
}

func (e *encoder) appendMessage(dst []byte, t *Type, m protoreflect.Message) ([]byte, error) {
	switch t.known {
	case structType:
		return e.appendStruct(dst, m.Interface().(*structpb.Struct))
	case valueType:
		return e.appendValue(dst, m.Interface().(*structpb.Value))
	case listType:
		return e.appendList(dst, m.Interface().(*structpb.ListValue))
	case timestampType:
		return appendTimestamp(dst, m.Interface().(*timestamppb.Timestamp))
	}
	if err := e.open(); err != nil {
		return dst, err
	}
	if t.oneof != nil && m.WhichOneof(t.oneof) == nil {
		e.missing = true
	}
	dst = append(dst, '{')
	empty := true
	var err error
	for _, f := range t.fields {
		var v protoreflect.Value
		there := !f.presence || m.Has(f.fd)
		if there {
			v = m.Get(f.fd)
			there = f.presence || !isDefault(f, v)
		}
		if !there {
			e.missing = e.missing || f.nonEmpty
			if f.presence || !f.required {
				continue
			}
		}
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		dst = append(dst, f.label...)
		if dst, err = e.appendField(dst, f, v); err != nil {
			return dst, at(err, f.name)
		}
	}
	e.depth--
	return append(dst, '}'), nil
}

// isDefault reports whether a value of a field without presence is not there.
func isDefault(f *field, v protoreflect.Value) bool {
	switch {
	case f.list:
		return v.List().Len() == 0
	case f.isMap:
		return v.Map().Len() == 0
	}
	switch f.kind {
	case protoreflect.StringKind:
		return v.String() == ""
	case protoreflect.BoolKind:
		return !v.Bool()
	case protoreflect.BytesKind:
		return len(v.Bytes()) == 0
	case protoreflect.EnumKind:
		return v.Enum() == 0
	case protoreflect.Int32Kind:
		return v.Int() == 0
	}
	return false
}

func (e *encoder) appendField(dst []byte, f *field, v protoreflect.Value) ([]byte, error) {
	var err error
	switch {
	case f.list:
		if err := e.open(); err != nil {
			return dst, err
		}
		dst = append(dst, '[')
		l := v.List()
		for i := range l.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = e.appendOne(dst, f, l.Get(i)); err != nil {
				return dst, atIndex(err, i)
			}
		}
		e.depth--
		return append(dst, ']'), nil
	case f.isMap:
		if err := e.open(); err != nil {
			return dst, err
		}
		mm := v.Map()
		keys := make([]string, 0, mm.Len())
		mm.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
			keys = append(keys, k.String())
			return true
		})
		slices.Sort(keys)
		dst = append(dst, '{')
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendString(dst, k); err != nil {
				return dst, at(err, k)
			}
			dst = append(dst, ':')
			if dst, err = e.appendOne(dst, f, mm.Get(protoreflect.ValueOfString(k).MapKey())); err != nil {
				return dst, at(err, k)
			}
		}
		e.depth--
		return append(dst, '}'), nil
	}
	return e.appendOne(dst, f, v)
}

func (e *encoder) appendOne(dst []byte, f *field, v protoreflect.Value) ([]byte, error) {
	if f.typ != nil {
		return e.appendMessage(dst, f.typ, v.Message())
	}
	switch f.kind {
	case protoreflect.StringKind:
		return appendString(dst, v.String())
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, v.Bool()), nil
	case protoreflect.Int32Kind:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case protoreflect.BytesKind:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
		return append(dst, '"'), nil
	case protoreflect.EnumKind:
		name := f.enum.ByNumber(v.Enum())
		if name == nil {
			return dst, unknownEnum(f.enum, strconv.Itoa(int(v.Enum())))
		}
		return strictjson.AppendString(dst, string(name.Name())), nil
	}
	return dst, problem("has a type that is not written: %v", f.kind)
}

func appendString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, errUTF8()
	}
	return strictjson.AppendString(dst, s), nil
}

func (e *encoder) appendStruct(dst []byte, s *structpb.Struct) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	var few [8]string
	keys := few[:0]
	for k := range s.GetFields() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, k); err != nil {
			return dst, at(err, k)
		}
		dst = append(dst, ':')
		if dst, err = e.appendValue(dst, s.GetFields()[k]); err != nil {
			return dst, at(err, k)
		}
	}
	e.depth--
	return append(dst, '}'), nil
}

func (e *encoder) appendList(dst []byte, l *structpb.ListValue) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	var err error
	for i, v := range l.GetValues() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = e.appendValue(dst, v); err != nil {
			return dst, atIndex(err, i)
		}
	}
	e.depth--
	return append(dst, ']'), nil
}

func (e *encoder) appendValue(dst []byte, v *structpb.Value) ([]byte, error) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_NullValue:
		return append(dst, "null"...), nil
	case *structpb.Value_BoolValue:
		return strconv.AppendBool(dst, k.BoolValue), nil
	case *structpb.Value_NumberValue:
		return appendNumber(dst, k.NumberValue)
	case *structpb.Value_StringValue:
		return appendString(dst, k.StringValue)
	case *structpb.Value_StructValue:
		return e.appendStruct(dst, k.StructValue)
	case *structpb.Value_ListValue:
		return e.appendList(dst, k.ListValue)
	}
	return dst, problem("has no value")
}

// appendNumber writes a double as ECMAScript does, which is what ProtoJSON
// libraries and RFC 8785 write.
func appendNumber(dst []byte, x float64) ([]byte, error) {
	if err := finite(x); err != nil {
		return dst, err
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, format, -1, 64)
	// Go writes e-09 where ECMAScript writes e-9.
	if n := len(dst); format == 'e' && n-start > 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

func finite(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return problem("is %v, a number that JSON does not have", x)
	}
	return nil
}

func errDepth() error { return problem("nests deeper than %d levels", strictjson.MaxDepth) }

func errUTF8() error { return problem("is not valid UTF-8") }

func appendTimestamp(dst []byte, ts *timestamppb.Timestamp) ([]byte, error) {
	if err := ts.CheckValid(); err != nil {
		return dst, problem("is a timestamp out of range")
	}
	t := ts.AsTime()
	format := "2006-01-02T15:04:05.000000000Z"
	switch n := ts.GetNanos(); {
	case n%1e6 == 0:
		format = "2006-01-02T15:04:05.000Z"
	case n%1e3 == 0:
		format = "2006-01-02T15:04:05.000000Z"
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, format)
	return append(dst, '"'), nil
}
