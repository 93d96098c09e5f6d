package a2asdk

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// The conversions of this package are total: what the data model has no form
// for becomes what the shared layer of every binding refuses, naming the
// field; schemes and flows of cards apart, which may be of no kind. So a value
// that is not JSON is one without a kind, an unknown name of an enum is
// unknownEnum, and a part without content stays so.

// unknownEnum is the number of no value of any enum.
const unknownEnum = -1

// maxDepth bounds the nesting of a value. The data model allows less.
const maxDepth = 128

// toMap is nil for nil, and not for an empty object.
func toMap(s *structpb.Struct) map[string]any {
	if s == nil {
		return nil
	}
	return s.AsMap()
}

func fromMap(m map[string]any) *structpb.Struct {
	if m == nil {
		return nil
	}
	return fromObject(m, 0)
}

func fromObject(m map[string]any, depth int) *structpb.Struct {
	s := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(m))}
	for k, v := range m {
		s.Fields[k] = fromValue(v, depth+1)
	}
	return s
}

// fromValue is a JSON value of what an agent's author put into metadata or a
// data part: of a type that only encoding/json knows, what that makes of it.
func fromValue(v any, depth int) *structpb.Value {
	if depth > maxDepth {
		return &structpb.Value{}
	}
	switch v := v.(type) {
	case string: // text that is not UTF-8 is refused, not replaced
		return structpb.NewStringValue(v)
	case map[string]any:
		if v == nil {
			return structpb.NewNullValue()
		}
		return structpb.NewStructValue(fromObject(v, depth))
	case []any:
		if v == nil {
			return structpb.NewNullValue()
		}
		list := &structpb.ListValue{Values: make([]*structpb.Value, len(v))}
		for i, e := range v {
			list.Values[i] = fromValue(e, depth+1)
		}
		return structpb.NewListValue(list)
	}
	if out, err := structpb.NewValue(v); err == nil {
		return out
	}
	out := new(structpb.Value)
	b, err := json.Marshal(v)
	if err != nil || out.UnmarshalJSON(b) != nil {
		return &structpb.Value{}
	}
	// What an author wrote as JSON has the escapes that it was given.
	if _, raw := v.(json.RawMessage); !raw && replaced(b) {
		return fromValue(spoiled(json.NewDecoder(bytes.NewReader(b)), b), depth)
	}
	return out
}

func toTime(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	out := t.AsTime()
	return &out
}

func fromTime(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

func toInt(n *int32) *int {
	if n == nil {
		return nil
	}
	out := int(*n)
	return &out
}

func fromInt(n *int) *int32 {
	if n == nil {
		return nil
	}
	out := int32Of(*n)
	return &out
}

// int32Of is the nearest number that the data model has.
func int32Of(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// list converts a list. It is never nil: the SDK's JSON would have null.
func list[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}

// stringsOf converts a list of strings of any two types.
func stringsOf[B, A ~string](in []A) []B { return list(in, func(s A) B { return B(s) }) }
