package datamodel

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// The values of metadata and of data parts, and timestamps, which ProtoJSON
// writes as plain JSON.

func (d *decoder) structure(s *structpb.Struct) error {
	var to *map[string]*structpb.Value
	if s != nil {
		s.Fields = map[string]*structpb.Value{}
		to = &s.Fields
	}
	_, err := readMap(d, to, func() (*structpb.Value, error) {
		var v *structpb.Value
		if s != nil {
			v = new(structpb.Value)
		}
		return v, d.value(v)
	})
	return err
}

func (d *decoder) list(l *structpb.ListValue) error {
	_, err := d.array(func() error {
		var v *structpb.Value
		if l != nil {
			v = new(structpb.Value)
			l.Values = append(l.Values, v)
		}
		return d.value(v)
	})
	return err
}

func (d *decoder) value(v *structpb.Value) error {
	switch c := d.Peek(); {
	case c == '{':
		var s *structpb.Struct
		if v != nil {
			s = new(structpb.Struct)
			v.Kind = &structpb.Value_StructValue{StructValue: s}
		}
		return d.structure(s)
	case c == '[':
		var l *structpb.ListValue
		if v != nil {
			l = new(structpb.ListValue)
			v.Kind = &structpb.Value_ListValue{ListValue: l}
		}
		return d.list(l)
	case c == '"':
		s, err := d.string(v != nil)
		if v != nil {
			v.Kind = &structpb.Value_StringValue{StringValue: s}
		}
		return err
	case c == 't' && d.Literal("true"), c == 'f' && d.Literal("false"):
		if v != nil {
			v.Kind = &structpb.Value_BoolValue{BoolValue: c == 't'}
		}
	case c == 'n' && d.Literal("null"):
		if v != nil {
			v.Kind = &structpb.Value_NullValue{}
		}
	default:
		text, err := d.Number()
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return problem("is a number out of the range of doubles: %s", clip(text))
		}
		if v != nil {
			v.Kind = &structpb.Value_NumberValue{NumberValue: x}
		}
	}
	return nil
}

func (e *encoder) structure(dst []byte, s *structpb.Struct) ([]byte, error) {
	return appendMap(e, dst, s.GetFields(), e.value)
}

func (e *encoder) list(dst []byte, l *structpb.ListValue) ([]byte, error) {
	return appendArray(e, dst, l.GetValues(), e.value)
}

func (e *encoder) value(dst []byte, v *structpb.Value) ([]byte, error) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_NullValue:
		return append(dst, "null"...), nil
	case *structpb.Value_BoolValue:
		return strconv.AppendBool(dst, k.BoolValue), nil
	case *structpb.Value_NumberValue:
		return appendNumber(dst, k.NumberValue)
	case *structpb.Value_StringValue:
		return appendText(dst, k.StringValue)
	case *structpb.Value_StructValue:
		return e.structure(dst, k.StructValue)
	case *structpb.Value_ListValue:
		return e.list(dst, k.ListValue)
	}
	return dst, problem("has no value")
}

func (c *checker) structure(s *structpb.Struct) error { return checkMap(c, s.GetFields(), c.value) }

func (c *checker) list(l *structpb.ListValue) error { return checkArray(c, l.GetValues(), c.value) }

func (c *checker) value(v *structpb.Value) error {
	c.Bound += perField
	switch k := v.GetKind().(type) {
	case nil:
		return problem("has no value")
	case *structpb.Value_NumberValue:
		return finite(k.NumberValue)
	case *structpb.Value_StringValue:
		return c.text(k.StringValue)
	case *structpb.Value_StructValue:
		return c.structure(k.StructValue)
	case *structpb.Value_ListValue:
		return c.list(k.ListValue)
	}
	return nil
}

func cloneStruct(s *structpb.Struct) *structpb.Struct {
	if s == nil {
		return nil
	}
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(s.GetFields()))}
	for k, v := range s.GetFields() {
		out.Fields[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v *structpb.Value) *structpb.Value {
	if v == nil {
		return nil
	}
	out := new(structpb.Value)
	switch k := v.GetKind().(type) {
	case *structpb.Value_NullValue:
		out.Kind = &structpb.Value_NullValue{NullValue: k.NullValue}
	case *structpb.Value_BoolValue:
		out.Kind = &structpb.Value_BoolValue{BoolValue: k.BoolValue}
	case *structpb.Value_NumberValue:
		out.Kind = &structpb.Value_NumberValue{NumberValue: k.NumberValue}
	case *structpb.Value_StringValue:
		out.Kind = &structpb.Value_StringValue{StringValue: k.StringValue}
	case *structpb.Value_StructValue:
		out.Kind = &structpb.Value_StructValue{StructValue: cloneStruct(k.StructValue)}
	case *structpb.Value_ListValue:
		l := &structpb.ListValue{Values: make([]*structpb.Value, len(k.ListValue.GetValues()))}
		for i, x := range k.ListValue.GetValues() {
			l.Values[i] = cloneValue(x)
		}
		out.Kind = &structpb.Value_ListValue{ListValue: l}
	}
	return out
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

func (d *decoder) timestamp(ts *timestamppb.Timestamp) error {
	if d.Peek() != '"' {
		return d.mismatch("a string")
	}
	s, err := d.str()
	if err != nil {
		return err
	}
	t, ok := ParseTime(string(s))
	if !ok {
		return problem("must be a timestamp such as 2026-01-02T15:04:05.000Z, got %s", strictjson.AppendString(nil, clip(s)))
	}
	if ts != nil {
		ts.Seconds, ts.Nanos = t.Unix(), int32(t.Nanosecond())
	}
	return nil
}

func appendTimestamp(dst []byte, ts *timestamppb.Timestamp) ([]byte, error) {
	if err := checkTimestamp(ts); err != nil {
		return dst, err
	}
	format := "2006-01-02T15:04:05.000000000Z"
	switch n := ts.GetNanos(); {
	case n%1e6 == 0:
		format = "2006-01-02T15:04:05.000Z"
	case n%1e3 == 0:
		format = "2006-01-02T15:04:05.000000Z"
	}
	dst = append(dst, '"')
	dst = ts.AsTime().AppendFormat(dst, format)
	return append(dst, '"'), nil
}

func checkTimestamp(ts *timestamppb.Timestamp) error {
	if ts.CheckValid() != nil {
		return problem("is a timestamp out of range")
	}
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
