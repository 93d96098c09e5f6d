package a2asdk

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// filled sets every field, those of messages within too, to values that all
// differ; lists and maps have an element for each member of a oneof.
func filled[M proto.Message](m M) M {
	n := 0
	turn := map[protoreflect.FullName]int{}
	var message func(protoreflect.Message)
	scalar := func(fd protoreflect.FieldDescriptor) protoreflect.Value {
		n++
		switch fd.Kind() {
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(true)
		case protoreflect.Int32Kind:
			return protoreflect.ValueOfInt32(int32(n))
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes([]byte{0, byte(n), 0xff})
		case protoreflect.EnumKind:
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(1 + n%(fd.Enum().Values().Len()-1)))
		}
		return protoreflect.ValueOfString(fmt.Sprintf("%s %d", fd.Name(), n))
	}
	set := func(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
		switch {
		case fd.IsMap():
			for range members(fd.MapValue()) {
				key := protoreflect.ValueOfString(fmt.Sprintf("key %d", n)).MapKey()
				if n++; fd.MapValue().Message() != nil {
					message(m.Mutable(fd).Map().Mutable(key).Message())
				} else {
					m.Mutable(fd).Map().Set(key, scalar(fd.MapValue()))
				}
			}
		case fd.IsList():
			for range members(fd) {
				if fd.Message() != nil {
					message(m.Mutable(fd).List().AppendMutable().Message())
				} else {
					m.Mutable(fd).List().Append(scalar(fd))
				}
			}
		case fd.Message() != nil:
			message(m.Mutable(fd).Message())
		default:
			m.Set(fd, scalar(fd))
		}
	}
	message = func(m protoreflect.Message) {
		n++
		switch x := m.Interface().(type) {
		case *structpb.Struct:
			x.Fields = map[string]*structpb.Value{"n": structpb.NewNumberValue(float64(n)), "null": structpb.NewNullValue()}
			return
		case *structpb.Value:
			x.Kind = structpb.NewStringValue(fmt.Sprint("data ", n)).Kind
			return
		case *timestamppb.Timestamp:
			x.Seconds, x.Nanos = 1_700_000_000+int64(n), 123_456_789
			return
		}
		fds := m.Descriptor().Fields()
		for i := range fds.Len() {
			if o := fds.Get(i).ContainingOneof(); o == nil || o.IsSynthetic() {
				set(m, fds.Get(i))
			}
		}
		for i := range m.Descriptor().Oneofs().Len() {
			if o := m.Descriptor().Oneofs().Get(i); !o.IsSynthetic() {
				set(m, o.Fields().Get(turn[o.FullName()]%o.Fields().Len()))
				turn[o.FullName()]++
			}
		}
	}
	message(m.ProtoReflect())
	return m
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
