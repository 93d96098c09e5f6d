package errmap

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/internal/datamodel"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// typeMember is the member that names a detail's type in ProtoJSON.
const typeMember = "@type"

// appendDetails appends details as a JSON array of ProtoJSON Any.
func appendDetails(dst []byte, details []*anypb.Any) []byte {
	dst = append(dst, '[')
	for i, d := range details {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDetail(dst, d)
	}
	return append(dst, ']')
}

// appendDetail writes one detail. A type that this program does not know has
// its bytes in base64, as "value"; an object that came as JSON and is of no
// type known here (see readDetail) is written as it came.
func appendDetail(dst []byte, d *anypb.Any) []byte {
	if s := bare(d); s != nil {
		if out, err := datamodel.Append(dst, s); err == nil {
			return out
		}
	}
	if text, err := protojson.Marshal(d); err == nil {
		// The library's spaces differ from build to build.
		buf := bytes.NewBuffer(dst)
		if json.Compact(buf, text) == nil {
			return buf.Bytes()
		}
	}
	dst = append(dst, `{"@type":`...)
	dst = strictjson.AppendString(dst, d.GetTypeUrl())
	dst = append(dst, `,"value":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, d.GetValue())
	return append(dst, `"}`...)
}

// bare is a Struct that holds a detail of a type only its sender knows.
func bare(d *anypb.Any) *structpb.Struct {
	if !d.MessageIs((*structpb.Struct)(nil)) {
		return nil
	}
	s := new(structpb.Struct)
	if proto.Unmarshal(d.GetValue(), s) != nil || s.GetFields()[typeMember] == nil {
		return nil
	}
	return s
}

// readDetails reads what stands where details should: an array of Any, one
// Any, or anything else, of which nothing is lost.
func readDetails(raw []byte) []*anypb.Any {
	s := strictjson.Scanner{In: raw}
	switch s.Peek() {
	case 0:
		return nil
	case 'n':
		return nil
	case '[':
		var out []*anypb.Any
		if s.Open('[') != nil {
			return nil
		}
		for first := true; ; first = false {
			more, err := s.More(']', first)
			if err != nil || !more {
				return out
			}
			one, err := s.Skip()
			if err != nil {
				return out
			}
			out = appendAny(out, one)
		}
	}
	return appendAny(nil, raw)
}

func appendAny(out []*anypb.Any, raw []byte) []*anypb.Any {
	if d := readDetail(raw); d != nil {
		out = append(out, d)
	}
	return out
}

// readDetail reads one detail. What has no type known here becomes a Struct
// with its "@type" inside, so that it crosses protobuf wires and comes out of
// appendDetail as it was; what is not an object becomes a Value.
func readDetail(raw []byte) *anypb.Any {
	v := new(structpb.Value)
	if _, err := datamodel.TypeOf(v).Unmarshal(raw, v); err != nil {
		return nil
	}
	object := v.GetStructValue()
	if object == nil {
		return packed(v)
	}
	url := object.GetFields()[typeMember].GetStringValue()
	if url == "" {
		return packed(object)
	}
	if mt, err := protoregistry.GlobalTypes.FindMessageByURL(url); err == nil {
		a := new(anypb.Any)
		if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, a) == nil {
			// Written again, so that equal details have equal bytes.
			m := mt.New().Interface()
			if a.UnmarshalTo(m) == nil {
				if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m); err == nil {
					return &anypb.Any{TypeUrl: url, Value: b}
				}
			}
		}
	} else if b, ok := opaque(object); ok {
		return &anypb.Any{TypeUrl: url, Value: b}
	}
	return packed(object)
}

// opaque is the bytes of a detail that appendDetail did not know the type of.
func opaque(object *structpb.Struct) ([]byte, bool) {
	v, ok := object.GetFields()["value"].GetKind().(*structpb.Value_StringValue)
	if !ok || len(object.GetFields()) != 2 {
		return nil, false
	}
	b, err := base64.StdEncoding.DecodeString(v.StringValue)
	return b, err == nil
}

func packed(m proto.Message) *anypb.Any {
	a := new(anypb.Any)
	if anypb.MarshalFrom(a, m, proto.MarshalOptions{Deterministic: true}) != nil {
		return nil
	}
	return a
}

// detail is the first detail of a type.
func detail[M proto.Message](details []*anypb.Any, m M) (M, bool) {
	for _, d := range details {
		if d.MessageIs(m) && d.UnmarshalTo(m) == nil {
			return m, true
		}
	}
	return m, false
}
