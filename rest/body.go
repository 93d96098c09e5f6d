package rest

import (
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// value is what a path says of a field, and whether it does.
func (m *match) value(f *field) (string, bool) {
	if f == m.route.tenant {
		return m.tenant, m.tenant != ""
	}
	for i, p := range m.route.params {
		if p == f {
			return m.params[i], true
		}
	}
	return "", false
}

// appendPathMembers opens a JSON object with the fields of a path as members.
func (m *match) appendPathMembers(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	var err error
	if m.tenant != "" {
		if dst, err = m.route.tenant.appendMember(dst, m.tenant); err != nil {
			return dst, err
		}
	}
	for i, f := range m.route.params {
		if dst, err = f.appendMember(dst, m.params[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// fromQuery is a request without a body, as ProtoJSON.
func (m *match) fromQuery(query string) ([]byte, error) {
	out, err := m.appendPathMembers(make([]byte, 0, len(query)+128))
	if err == nil && query != "" {
		out, err = m.route.appendMembers(out, m, query)
	}
	return append(out, '}'), err
}

// fromBody is a request with a body, as ProtoJSON: the body's own bytes, with
// the path's fields in front. A member that says otherwise than the path is
// refused. A body that is no object is left to the shared layer.
func (m *match) fromBody(body []byte) ([]byte, error) {
	if m.tenant == "" && len(m.route.params) == 0 {
		return body, nil
	}
	out, err := m.appendPathMembers(make([]byte, 0, len(body)+128))
	if err != nil {
		return nil, err
	}
	var seen uint64
	out, ok, err := m.route.filter(out, body, func(f *field, value []byte) (drop bool, err error) {
		in, ok := m.value(f)
		if !ok {
			return false, nil
		}
		if seen&(1<<f.index) != 0 {
			return false, binding.InvalidField(f.name, "is there twice")
		}
		seen |= 1 << f.index
		said, ok := text(value)
		switch {
		case !ok:
			return false, binding.InvalidField(f.name, "must be a string")
		case said != "" && said != in:
			return false, contradiction(f)
		}
		return true, nil
	})
	if !ok {
		return body, nil
	}
	return out, err
}

// withoutPath is a request's ProtoJSON without the fields that its path has.
func (rt *route) withoutPath(body []byte, tenant string) []byte {
	if tenant == "" && len(rt.params) == 0 {
		return body
	}
	out, ok, _ := rt.filter(append(make([]byte, 0, len(body)), '{'), body, func(f *field, _ []byte) (bool, error) {
		if f == rt.tenant {
			return true, nil
		}
		for _, p := range rt.params {
			if p == f {
				return true, nil
			}
		}
		return false, nil
	})
	if !ok {
		return body
	}
	return out
}

// filter appends the members of an object and its end, but those that drop
// says are known fields to leave out. ok is false for text that is no object.
func (rt *route) filter(dst, body []byte, drop func(f *field, value []byte) (bool, error)) (out []byte, ok bool, err error) {
	s := strictjson.Scanner{In: body}
	if s.Open('{') != nil {
		return dst, false, nil
	}
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil {
			return dst, false, nil
		}
		if !more {
			return append(dst, '}'), s.End() == nil, nil
		}
		s.Peek()
		start := s.Pos
		key, err := s.Key()
		if err != nil {
			return dst, false, nil
		}
		value, err := s.Span()
		if err != nil {
			return dst, false, nil
		}
		if f := rt.byName[string(key)]; f != nil {
			leave, err := drop(f, value)
			if err != nil {
				return dst, true, err
			}
			if leave {
				continue
			}
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, body[start:s.Pos]...)
	}
}

// text is a JSON string's value, "" of null. ok is false for all else.
func text(value []byte) (string, bool) {
	if string(value) == "null" {
		return "", true
	}
	s := strictjson.Scanner{In: value}
	b, err := s.Str()
	return string(b), err == nil
}

func appendText(dst []byte, f *field, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return dst, binding.InvalidField(f.name, "is not valid UTF-8")
	}
	return strictjson.AppendString(dst, v), nil
}

func contradiction(f *field) error {
	return binding.InvalidField(f.name, "is not what the path says")
}

// pathValues are the fields of a request that its path has.
func (rt *route) pathValues(m protoreflect.Message) (tenant string, params [maxParams]string) {
	for i, f := range rt.params {
		params[i] = m.Get(f.fd).String()
	}
	return m.Get(rt.tenant.fd).String(), params
}
