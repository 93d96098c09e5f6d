package datamodel

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Unmarshal reads ProtoJSON into an empty message of the type. An error is an
// [*Error]. missing is as in [Examine], which what was read need not be put
// through.
func (t *Type) Unmarshal(b []byte, m proto.Message) (missing bool, err error) {
	d := decoder{Scanner: strictjson.Scanner{In: b}}
	err = d.message(t, m.ProtoReflect())
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return false, at(err, "")
	}
	return d.missing, nil
}

type decoder struct {
	strictjson.Scanner
	missing bool
}

func (d *decoder) message(t *Type, m protoreflect.Message) error {
	switch t.known {
	case structType:
		s := m.Interface().(*structpb.Struct)
		fields, err := d.structFields()
		s.Fields = fields
		return err
	case valueType:
		return d.value(m.Interface().(*structpb.Value))
	case listType:
		values, err := d.values()
		m.Interface().(*structpb.ListValue).Values = values
		return err
	case timestampType:
		return d.timestamp(m.Interface().(*timestamppb.Timestamp))
	}
	if d.Peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.Open('{'); err != nil {
		return err
	}
	var seen uint64
	var unknown strictjson.Names
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil {
			return err
		}
		if !more {
			d.complete(t, m)
			return nil
		}
		key, err := d.Key()
		if err != nil {
			return err
		}
		f := t.byName[string(key)]
		if f == nil {
			if err := d.unknown(t, &unknown, string(key)); err != nil {
				return err
			}
			continue
		}
		if seen&(1<<f.index) != 0 {
			return at(problem("is there twice"), f.name)
		}
		seen |= 1 << f.index
		if err := d.field(f, m); err != nil {
			return at(err, f.name)
		}
	}
}

// complete takes note of what the specification requires and the message lacks.
func (d *decoder) complete(t *Type, m protoreflect.Message) {
	if t.oneof != nil && m.WhichOneof(t.oneof) == nil {
		d.missing = true
	}
	for _, f := range t.nonEmpty {
		if !m.Has(f.fd) {
			d.missing = true
		}
	}
}

// unknown passes over a member that the data model does not have.
func (d *decoder) unknown(t *Type, names *strictjson.Names, key string) error {
	if f := t.folded[strings.ToLower(key)]; f != nil {
		return at(problem("is not the name of a field; it is spelt %s", f.name), key)
	}
	if !names.Add(key) {
		return at(problem("is there twice"), key)
	}
	_, err := d.Skip()
	return err
}

func (d *decoder) field(f *field, m protoreflect.Message) error {
	if d.Peek() == 'n' && (f.typ == nil || f.typ.known != valueType || f.list || f.isMap) {
		if !d.Literal("null") {
			return d.mismatch("a value")
		}
		return nil
	}
	if f.oneof != nil {
		if other := m.WhichOneof(f.oneof); other != nil {
			return problem("excludes %s, which is set too", other.JSONName())
		}
	}
	switch {
	case f.list:
		return d.list(f, m)
	case f.isMap:
		return d.mapField(f, m)
	case f.typ != nil:
		return d.message(f.typ, m.Mutable(f.fd).Message())
	}
	v, err := d.scalar(f)
	if err != nil {
		return err
	}
	m.Set(f.fd, v)
	return nil
}

func (d *decoder) list(f *field, m protoreflect.Message) error {
	if d.Peek() != '[' {
		return d.mismatch("an array")
	}
	if err := d.Open('['); err != nil {
		return err
	}
	var l protoreflect.List
	for i := 0; ; i++ {
		more, err := d.More(']', i == 0)
		if err != nil || !more {
			return err
		}
		if l == nil {
			l = m.Mutable(f.fd).List()
		}
		if f.typ != nil {
			if d.Peek() == 'n' && f.typ.known != valueType {
				return atIndex(d.mismatch("an object"), i)
			}
			if err := d.message(f.typ, l.AppendMutable().Message()); err != nil {
				return atIndex(err, i)
			}
			continue
		}
		v, err := d.scalar(f)
		if err != nil {
			return atIndex(err, i)
		}
		l.Append(v)
	}
}

func (d *decoder) mapField(f *field, m protoreflect.Message) error {
	if d.Peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.Open('{'); err != nil {
		return err
	}
	var mm protoreflect.Map
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil || !more {
			return err
		}
		key, err := d.Key()
		if err != nil {
			return err
		}
		if mm == nil {
			mm = m.Mutable(f.fd).Map()
		}
		name := string(key)
		k := protoreflect.ValueOfString(name).MapKey()
		if mm.Has(k) {
			return at(problem("is there twice"), name)
		}
		if f.typ != nil {
			if err := d.message(f.typ, mm.Mutable(k).Message()); err != nil {
				return at(err, name)
			}
			continue
		}
		v, err := d.scalar(f)
		if err != nil {
			return at(err, name)
		}
		mm.Set(k, v)
	}
}

// scalar reads a value of the kinds that the data model has.
func (d *decoder) scalar(f *field) (protoreflect.Value, error) {
	switch f.kind {
	case protoreflect.StringKind:
		s, err := d.str()
		return protoreflect.ValueOfString(string(s)), err
	case protoreflect.BoolKind:
		switch {
		case d.Literal("true"):
			return protoreflect.ValueOfBool(true), nil
		case d.Literal("false"):
			return protoreflect.ValueOfBool(false), nil
		}
		return protoreflect.Value{}, d.mismatch("true or false")
	case protoreflect.Int32Kind:
		n, err := d.int32()
		return protoreflect.ValueOfInt32(n), err
	case protoreflect.BytesKind:
		b, err := d.bytes()
		return protoreflect.ValueOfBytes(b), err
	case protoreflect.EnumKind:
		n, err := d.enumValue(f)
		return protoreflect.ValueOfEnum(n), err
	}
	return protoreflect.Value{}, problem("has a type that is not read: %v", f.kind)
}

func (d *decoder) str() ([]byte, error) {
	if d.Peek() != '"' {
		return nil, d.mismatch("a string")
	}
	return d.Str()
}

func (d *decoder) int32() (int32, error) {
	var text []byte
	var err error
	if d.Peek() == '"' {
		if text, err = d.Str(); err != nil {
			return 0, err
		}
	} else if text, err = d.number(); err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(text), 10, 32); err == nil && strictjson.IsNumber(text) {
		return int32(n), nil
	}
	// ProtoJSON takes 1.0 and 1e2 for whole numbers, too.
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !strictjson.IsNumber(text) || x != math.Trunc(x) || x < math.MinInt32 || x > math.MaxInt32 {
		return 0, problem("must be a whole number of 32 bits, got %s", clip(text))
	}
	return int32(x), nil
}

func (d *decoder) number() ([]byte, error) {
	if c := d.Peek(); c != '-' && (c < '0' || c > '9') {
		return nil, d.mismatch("a number")
	}
	return d.Number()
}

func (d *decoder) bytes() ([]byte, error) {
	s, err := d.str()
	if err != nil {
		return nil, err
	}
	enc := base64.StdEncoding
	if slices.Contains(s, '-') || slices.Contains(s, '_') {
		enc = base64.URLEncoding
	}
	if len(s)%4 != 0 {
		enc = enc.WithPadding(base64.NoPadding)
	}
	out := make([]byte, enc.DecodedLen(len(s)))
	n, err := enc.Decode(out, s)
	if err != nil || slices.Contains(s, '\n') || slices.Contains(s, '\r') {
		return nil, problem("must be base64")
	}
	return out[:n], nil
}

func (d *decoder) enumValue(f *field) (protoreflect.EnumNumber, error) {
	if d.Peek() == '"' {
		s, err := d.Str()
		if err != nil {
			return 0, err
		}
		if v := f.enum.ByName(protoreflect.Name(s)); v != nil {
			return v.Number(), nil
		}
		return 0, unknownEnum(f.enum, string(strictjson.AppendString(nil, clip(s))))
	}
	n, err := d.int32()
	if err != nil {
		return 0, err
	}
	if f.enum.ByNumber(protoreflect.EnumNumber(n)) == nil {
		return 0, unknownEnum(f.enum, strconv.Itoa(int(n)))
	}
	return protoreflect.EnumNumber(n), nil
}

func unknownEnum(values protoreflect.EnumValueDescriptors, got string) error {
	names := make([]string, 0, values.Len())
	for i := range values.Len() {
		if v := values.Get(i); v.Number() != 0 {
			names = append(names, string(v.Name()))
		}
	}
	return problem("must be one of %s, got %s", strings.Join(names, ", "), got)
}

// clip keeps a caller's text short in an error.
func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}

func (d *decoder) mismatch(want string) error {
	var got string
	switch c := d.Peek(); {
	case c == 0:
		return d.Fail("unexpected end")
	case c == '{':
		got = "an object"
	case c == '[':
		got = "an array"
	case c == '"':
		got = "a string"
	case c == 't', c == 'f':
		got = "a boolean"
	case c == 'n':
		got = "null"
	case c == '-', c >= '0' && c <= '9':
		got = "a number"
	}
	// What is not JSON at all is a fault of syntax.
	if _, err := d.Skip(); err != nil {
		return err
	}
	return problem("must be %s, got %s", want, got)
}

// The values of metadata and data parts.

func (d *decoder) structFields() (map[string]*structpb.Value, error) {
	if d.Peek() != '{' {
		return nil, d.mismatch("an object")
	}
	if err := d.Open('{'); err != nil {
		return nil, err
	}
	fields := map[string]*structpb.Value{}
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil || !more {
			return fields, err
		}
		key, err := d.Key()
		if err != nil {
			return nil, err
		}
		name := string(key)
		if _, ok := fields[name]; ok {
			return nil, at(problem("is there twice"), name)
		}
		v := new(structpb.Value)
		if err := d.value(v); err != nil {
			return nil, at(err, name)
		}
		fields[name] = v
	}
}

func (d *decoder) values() ([]*structpb.Value, error) {
	if d.Peek() != '[' {
		return nil, d.mismatch("an array")
	}
	if err := d.Open('['); err != nil {
		return nil, err
	}
	var out []*structpb.Value
	for i := 0; ; i++ {
		more, err := d.More(']', i == 0)
		if err != nil || !more {
			return out, err
		}
		v := new(structpb.Value)
		if err := d.value(v); err != nil {
			return nil, atIndex(err, i)
		}
		out = append(out, v)
	}
}

func (d *decoder) value(v *structpb.Value) error {
	switch c := d.Peek(); {
	case c == '{':
		fields, err := d.structFields()
		v.Kind = &structpb.Value_StructValue{StructValue: &structpb.Struct{Fields: fields}}
		return err
	case c == '[':
		values, err := d.values()
		v.Kind = &structpb.Value_ListValue{ListValue: &structpb.ListValue{Values: values}}
		return err
	case c == '"':
		s, err := d.Str()
		v.Kind = &structpb.Value_StringValue{StringValue: string(s)}
		return err
	case c == 't' && d.Literal("true"):
		v.Kind = &structpb.Value_BoolValue{BoolValue: true}
	case c == 'f' && d.Literal("false"):
		v.Kind = &structpb.Value_BoolValue{}
	case c == 'n' && d.Literal("null"):
		v.Kind = &structpb.Value_NullValue{}
	default:
		text, err := d.Number()
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return problem("is a number out of the range of doubles: %s", clip(text))
		}
		v.Kind = &structpb.Value_NumberValue{NumberValue: x}
	}
	return nil
}

func (d *decoder) timestamp(ts *timestamppb.Timestamp) error {
	s, err := d.str()
	if err != nil {
		return err
	}
	t, ok := ParseTime(string(s))
	if !ok {
		return problem("must be a timestamp such as 2026-01-02T15:04:05.000Z, got %s", strictjson.AppendString(nil, clip(s)))
	}
	ts.Seconds, ts.Nanos = t.Unix(), int32(t.Nanosecond())
	return nil
}

// ParseTime reads a timestamp as ProtoJSON does: RFC 3339 with any offset, at
// most nine decimals, years 1 to 9999.
func ParseTime(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || strings.ContainsRune(s, ',') || t.UTC().Year() < 1 || t.UTC().Year() > 9999 {
		return time.Time{}, false
	}
	if i := strings.IndexByte(s, '.'); i >= 0 {
		n := 0
		for _, c := range s[i+1:] {
			if c < '0' || c > '9' {
				break
			}
			n++
		}
		if n > 9 {
			return time.Time{}, false
		}
	}
	return t, true
}
