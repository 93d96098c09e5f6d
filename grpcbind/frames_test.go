package grpcbind

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/a2awire/a2awire/binding"
)

// calls reads both directions of a connection, the client's first.
type calls struct {
	op     *binding.Op // what the client's headers name
	answer bool        // the direction is the server's
	data   []byte      // of a message that is not whole yet
	out    strings.Builder
}

// text is the frames of one direction that belong to a call. Those of the
// connection, and the credit and pings that a library chooses, are left out.
func (c *calls) text(t *testing.T, raw []byte) string {
	c.answer = !bytes.HasPrefix(raw, []byte(http2.ClientPreface))
	c.out.Reset()
	f := http2.NewFramer(nil, bytes.NewReader(bytes.TrimPrefix(raw, []byte(http2.ClientPreface))))
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		if errors.Is(err, io.EOF) {
			return c.out.String()
		}
		require.NoError(t, err)
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			c.headers(t, frame)
		case *http2.DataFrame:
			c.messages(t, frame)
		case *http2.RSTStreamFrame:
			fmt.Fprintf(&c.out, "RST_STREAM %s\n\n", frame.ErrCode)
		}
	}
}

func ended(yes bool) string {
	if yes {
		return " END_STREAM"
	}
	return ""
}

// headers writes header fields, sorted: the library's order is that of a map.
func (c *calls) headers(t *testing.T, f *http2.MetaHeadersFrame) {
	fmt.Fprintf(&c.out, "HEADERS%s\n", ended(f.StreamEnded()))
	slices.SortFunc(f.Fields, func(a, b hpack.HeaderField) int { return strings.Compare(a.Name, b.Name) })
	for _, h := range f.Fields {
		switch h.Name {
		case ":path":
			c.op = binding.Lookup(h.Value[strings.LastIndexByte(h.Value, '/')+1:])
		case "user-agent", ":authority":
			continue
		}
		fmt.Fprintln(&c.out, strings.TrimSpace(h.Name+": "+h.Value))
		if h.Name == "grpc-status-details-bin" {
			b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(h.Value, "="))
			require.NoError(t, err)
			c.fields(t, b, new(statuspb.Status).ProtoReflect().Descriptor(), "  ")
		}
	}
	c.out.WriteByte('\n')
}

// messages writes messages with the five bytes that gRPC puts before each.
func (c *calls) messages(t *testing.T, f *http2.DataFrame) {
	c.data = append(c.data, f.Data()...)
	m := c.op.NewRequest()
	if c.answer {
		m = c.op.NewResponse()
	}
	fmt.Fprintf(&c.out, "DATA%s\n", ended(f.StreamEnded()))
	for len(c.data) >= 5 {
		end := 5 + int(binary.BigEndian.Uint32(c.data[1:]))
		if len(c.data) < end {
			break
		}
		d := m.ProtoReflect().Descriptor()
		fmt.Fprintf(&c.out, "%s  # %x %x\n", d.FullName(), c.data[:1], c.data[1:5])
		c.fields(t, c.data[5:end], d, "  ")
		c.data = c.data[end:]
	}
	c.out.WriteByte('\n')
}

// fields writes a message's fields as the text format does, each with its
// bytes: the tag, the length if it has one, the value.
func (c *calls) fields(t *testing.T, b []byte, d protoreflect.MessageDescriptor, indent string) {
	url := ""
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		require.NoError(t, protowire.ParseError(n))
		tag, rest := b[:n], b[n:]
		size := protowire.ConsumeFieldValue(num, typ, rest)
		require.NoError(t, protowire.ParseError(size))
		value := rest[:size]
		b = rest[size:]
		fd := d.Fields().ByNumber(num)
		require.NotNil(t, fd, "%s has no field %d", d.FullName(), num)
		if typ != protowire.BytesType {
			fmt.Fprintf(&c.out, "%s%s: %s  # %x %x\n", indent, fd.Name(), scalar(fd, typ, value), tag, value)
			continue
		}
		inner, _ := protowire.ConsumeBytes(value)
		length := value[:len(value)-len(inner)]
		below := fd.Message()
		if d.FullName() == "google.protobuf.Any" {
			if url == "" {
				url = string(inner)
			} else if mt, err := protoregistry.GlobalTypes.FindMessageByURL(url); err == nil {
				below = mt.Descriptor()
			}
		}
		if below == nil {
			fmt.Fprintf(&c.out, "%s%s: %q  # %x %x %x\n", indent, fd.Name(), inner, tag, length, inner)
			continue
		}
		fmt.Fprintf(&c.out, "%s%s {  # %x %x\n", indent, fd.Name(), tag, length)
		c.fields(t, inner, below, indent+"  ")
		fmt.Fprintf(&c.out, "%s}\n", indent)
	}
}

// scalar is a number as its field means it.
func scalar(fd protoreflect.FieldDescriptor, typ protowire.Type, b []byte) string {
	if typ == protowire.Fixed64Type { // the data model has none but doubles
		v, _ := protowire.ConsumeFixed64(b)
		return fmt.Sprint(math.Float64frombits(v))
	}
	v, _ := protowire.ConsumeVarint(b)
	if fd.Enum() != nil {
		if e := fd.Enum().Values().ByNumber(protoreflect.EnumNumber(v)); e != nil {
			return string(e.Name())
		}
	}
	if fd.Kind() == protoreflect.BoolKind {
		return fmt.Sprint(v != 0)
	}
	return fmt.Sprint(v)
}
