package equivalence

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// filled sets every field of a message, those of messages within too, to
// values that all differ: lists and maps of a oneof have an element for each of
// its members. What it makes keeps the data model's rules.
func filled[M proto.Message](m M) M {
	f := filler{turn: map[protoreflect.FullName]int{}}
	f.message(m.ProtoReflect())
	return m
}

type filler struct {
	n    int
	turn map[protoreflect.FullName]int
}

func (f *filler) message(m protoreflect.Message) {
	switch x := m.Interface().(type) {
	case *structpb.Struct:
		x.Fields = richStruct().Fields
		return
	case *structpb.Value:
		x.Kind = &structpb.Value_StructValue{StructValue: richStruct()}
		return
	case *timestamppb.Timestamp:
		f.n++
		x.Seconds, x.Nanos = 1_700_000_000+int64(f.n), 123_456_789
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); memberOf(fd) == nil {
			f.field(m, fd)
		}
	}
	oneofs := m.Descriptor().Oneofs()
	for i := range oneofs.Len() {
		if o := oneofs.Get(i); !o.IsSynthetic() {
			f.field(m, o.Fields().Get(f.turn[o.FullName()]%o.Fields().Len()))
			f.turn[o.FullName()]++
		}
	}
}

// memberOf is the oneof of a field, nil for optional ones.
func memberOf(fd protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o
	}
	return nil
}

func (f *filler) field(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
	switch {
	case fd.IsMap():
		mm := m.Mutable(fd).Map()
		for range members(fd.MapValue()) {
			f.n++
			key := protoreflect.ValueOfString(fmt.Sprintf("key %d", f.n)).MapKey()
			if fd.MapValue().Message() != nil {
				f.message(mm.Mutable(key).Message())
			} else {
				mm.Set(key, f.scalar(fd.MapValue()))
			}
		}
	case fd.IsList():
		l := m.Mutable(fd).List()
		for range members(fd) {
			if fd.Message() != nil {
				f.message(l.AppendMutable().Message())
			} else {
				l.Append(f.scalar(fd))
			}
		}
	case fd.Message() != nil:
		f.message(m.Mutable(fd).Message())
	default:
		m.Set(fd, f.scalar(fd))
	}
}

// members is how many elements show all members of a message's oneof.
func members(fd protoreflect.FieldDescriptor) int {
	n := 2
	if md := fd.Message(); md != nil {
		for i := range md.Oneofs().Len() {
			if o := md.Oneofs().Get(i); !o.IsSynthetic() {
				n = max(n, o.Fields().Len())
			}
		}
	}
	return n
}

func (f *filler) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	f.n++
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(f.n%50 + 1))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{0, byte(f.n), 0xff})
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(1 + f.n%(values.Len()-1)).Number())
	}
	return protoreflect.ValueOfString(fmt.Sprintf("%s %d é", fd.JSONName(), f.n))
}

// richStruct has a value of every kind.
func richStruct() *structpb.Struct {
	return must(structpb.NewStruct(map[string]any{
		"null": nil, "bool": true, "no": false, "int": 7, "float": 0.1, "text": "a \"b\" \\ ü\n",
		"list": []any{nil, 1.5, "x", []any{}, map[string]any{}}, "object": map[string]any{"": "empty key", "a.b": map[string]any{"c": -1}},
	}))
}

// must is for values that are constant.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
