package rest

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// appendQuery appends the fields that a request has beside its path (spec
// 11.5). Fields with presence are there when they are set, whatever their value.
func (rt *route) appendQuery(dst []byte, m protoreflect.Message) []byte {
	for _, f := range rt.others {
		if !m.Has(f.fd) {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, '&')
		}
		dst = append(dst, f.name...)
		dst = append(dst, '=')
		dst = f.appendValue(dst, m.Get(f.fd))
	}
	return dst
}

func (f *field) appendValue(dst []byte, v protoreflect.Value) []byte {
	switch f.fd.Kind() {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, v.Bool())
	case protoreflect.Int32Kind:
		return strconv.AppendInt(dst, v.Int(), 10)
	case protoreflect.EnumKind:
		// The shared layer let no number pass that has no name.
		return append(dst, f.fd.Enum().Values().ByNumber(v.Enum()).Name()...)
	case protoreflect.MessageKind:
		ts := v.Message().Interface().(*timestamppb.Timestamp)
		return appendEscaped(dst, ts.AsTime().Format(time.RFC3339Nano))
	}
	return appendEscaped(dst, v.String())
}

// appendMembers appends the parameters of a query as members of a JSON object,
// of which dst holds the path's. Names that are no field's are passed over;
// what is known is given once, in its own case, and agrees with the path.
func (rt *route) appendMembers(dst []byte, m *match, query string) ([]byte, error) {
	var seen uint64
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err != nil {
			continue
		}
		f := rt.byName[name]
		if f == nil {
			if f = rt.folded[strings.ToLower(name)]; f != nil {
				return dst, binding.InvalidField(name, "is not the name of a parameter; it is spelt %s", f.name)
			}
			continue
		}
		if seen&(1<<f.index) != 0 {
			return dst, binding.InvalidField(f.name, "is there twice")
		}
		seen |= 1 << f.index
		if value, err = url.QueryUnescape(value); err != nil {
			return dst, binding.InvalidField(f.name, "is not percent-encoded text")
		}
		if in, ok := m.value(f); ok {
			if in != value {
				return dst, contradiction(f)
			}
			continue
		}
		if dst, err = f.appendMember(dst, value); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendMember appends one parameter as a member. What the data model checks,
// which is enum names, timestamps and UTF-8, is left to it.
func (f *field) appendMember(dst []byte, v string) ([]byte, error) {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst = strictjson.AppendString(dst, f.name)
	dst = append(dst, ':')
	switch f.fd.Kind() {
	case protoreflect.BoolKind:
		if v != "true" && v != "false" {
			return dst, binding.InvalidField(f.name, "must be true or false, got %q", clip(v))
		}
		return append(dst, v...), nil
	case protoreflect.Int32Kind:
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || v[0] == '+' {
			return dst, binding.InvalidField(f.name, "must be a whole number of 32 bits, got %q", clip(v))
		}
		return strconv.AppendInt(dst, n, 10), nil
	case protoreflect.EnumKind:
		if n, err := strconv.ParseInt(v, 10, 32); err == nil {
			return strconv.AppendInt(dst, n, 10), nil
		}
	}
	return appendText(dst, f, v)
}

// clip keeps a caller's text short in an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
