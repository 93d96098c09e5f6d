package datamodel

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// The kinds of fields. Each takes the field's name and where it is in a message.

// place is where a field is in a message, nil if none is being built.
func place[M, T any](m *M, at func(*M) *T) *T {
	if m == nil {
		return nil
	}
	return at(m)
}

// fresh is a new value in a field of a message, nil if none is being built.
func fresh[M, T any](m *M, at func(*M) **T) *T {
	if m == nil {
		return nil
	}
	x := new(T)
	*at(m) = x
	return x
}

func text[M any](name string, at func(*M) *string) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) != "" },
		read:  func(d *decoder, m *M) (bool, error) { return d.text(place(m, at)) },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return appendText(dst, *at(m)) },
		check: func(c *checker, m *M) error { return c.text(*at(m)) },
		copy:  func(to, from *M) { *at(to) = *at(from) },
	}
}

// taskID is a text: the id of the task that the message is, or is of.
func taskID[M any](name string, at func(*M) *string) field[M] {
	f := text(name, at)
	f.read = func(d *decoder, m *M) (bool, error) { return d.taskID(place(m, at)) }
	return f
}

func optText[M any](name string, at func(*M) **string) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			_, err := d.text(fresh(m, at))
			return true, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return appendText(dst, **at(m)) },
		check: func(c *checker, m *M) error { return c.text(**at(m)) },
		copy:  func(to, from *M) { x := **at(from); *at(to) = &x },
	}
}

func flag[M any](name string, at func(*M) *bool) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) },
		read:  func(d *decoder, m *M) (bool, error) { return d.flag(place(m, at)) },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return strconv.AppendBool(dst, *at(m)), nil },
		copy:  func(to, from *M) { *at(to) = *at(from) },
	}
}

func optFlag[M any](name string, at func(*M) **bool) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			_, err := d.flag(fresh(m, at))
			return true, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return strconv.AppendBool(dst, **at(m)), nil },
		copy:  func(to, from *M) { x := **at(from); *at(to) = &x },
	}
}

func number[M any](name string, at func(*M) *int32) field[M] {
	return field[M]{name: name,
		has:  func(m *M) bool { return *at(m) != 0 },
		read: func(d *decoder, m *M) (bool, error) { return d.number(place(m, at)) },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) {
			return strconv.AppendInt(dst, int64(*at(m)), 10), nil
		},
		copy: func(to, from *M) { *at(to) = *at(from) },
	}
}

func optNumber[M any](name string, at func(*M) **int32) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			_, err := d.number(fresh(m, at))
			return true, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) {
			return strconv.AppendInt(dst, int64(**at(m)), 10), nil
		},
		copy: func(to, from *M) { x := **at(from); *at(to) = &x },
	}
}

// names are the values of an enum, both ways, as protobuf's generated code has them.
type names struct {
	name  map[int32]string
	value map[string]int32
}

func enum[M any, E ~int32](name string, values names, at func(*M) *E) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != 0 },
		read: func(d *decoder, m *M) (bool, error) {
			n, err := d.enum(values)
			if m != nil {
				*at(m) = E(n)
			}
			return n != 0, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) {
			s, ok := values.name[int32(*at(m))]
			if !ok {
				return dst, values.unknown(strconv.Itoa(int(*at(m))))
			}
			return strictjson.AppendString(dst, s), nil
		},
		check: func(_ *checker, m *M) error {
			if _, ok := values.name[int32(*at(m))]; !ok {
				return values.unknown(strconv.Itoa(int(*at(m))))
			}
			return nil
		},
		copy: func(to, from *M) { *at(to) = *at(from) },
	}
}

func (n names) unknown(got string) error {
	var all []string
	for v := int32(1); n.name[v] != ""; v++ {
		all = append(all, n.name[v])
	}
	return problem("must be one of %s, got %s", strings.Join(all, ", "), got)
}

func texts[M any](name string, at func(*M) *[]string) field[M] {
	return field[M]{name: name, list: true,
		has: func(m *M) bool { return len(*at(m)) > 0 },
		read: func(d *decoder, m *M) (bool, error) {
			return d.array(func() error {
				s, err := d.string(m != nil)
				if m != nil {
					*at(m) = append(*at(m), s)
				}
				return err
			})
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) {
			return appendArray(e, dst, *at(m), appendText)
		},
		check: func(c *checker, m *M) error { return checkArray(c, *at(m), c.text) },
		copy:  func(to, from *M) { *at(to) = slices.Clone(*at(from)) },
	}
}

// one is a message in a message.
func one[M, N any](name string, t *object[N], at func(*M) **N) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			_, err := t.read(d, fresh(m, at))
			return true, err
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return t.write(e, dst, *at(m)) },
		check: func(c *checker, m *M) error { return t.check(c, *at(m)) },
		copy:  func(to, from *M) { *at(to) = t.clone(*at(from)) },
	}
}

func many[M, N any](name string, t *object[N], at func(*M) *[]*N) field[M] {
	return field[M]{name: name, list: true,
		has: func(m *M) bool { return len(*at(m)) > 0 },
		read: func(d *decoder, m *M) (bool, error) {
			return d.array(func() error {
				var n *N
				if m != nil {
					n = new(N)
					*at(m) = append(*at(m), n)
				}
				_, err := t.read(d, n)
				return err
			})
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) {
			return appendArray(e, dst, *at(m), func(dst []byte, n *N) ([]byte, error) { return t.write(e, dst, sound(n)) })
		},
		check: func(c *checker, m *M) error {
			return checkArray(c, *at(m), func(n *N) error { return t.check(c, sound(n)) })
		},
		copy: func(to, from *M) {
			all := make([]*N, len(*at(from)))
			for i, n := range *at(from) {
				all[i] = t.clone(n)
			}
			*at(to) = all
		},
	}
}

// mapOf is a map of messages by name.
func mapOf[M, N any](name string, t *object[N], at func(*M) *map[string]*N) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return len(*at(m)) > 0 },
		read: func(d *decoder, m *M) (bool, error) {
			return readMap(d, place(m, at), func() (*N, error) {
				var n *N
				if m != nil {
					n = new(N)
				}
				_, err := t.read(d, n)
				return n, err
			})
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) {
			return appendMap(e, dst, *at(m), func(dst []byte, n *N) ([]byte, error) { return t.write(e, dst, sound(n)) })
		},
		check: func(c *checker, m *M) error {
			return checkMap(c, *at(m), func(n *N) error { return t.check(c, sound(n)) })
		},
		copy: func(to, from *M) {
			all := make(map[string]*N, len(*at(from)))
			for k, n := range *at(from) {
				all[k] = t.clone(n)
			}
			*at(to) = all
		},
	}
}

func textMap[M any](name string, at func(*M) *map[string]string) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return len(*at(m)) > 0 },
		read: func(d *decoder, m *M) (bool, error) {
			return readMap(d, place(m, at), func() (string, error) { return d.string(m != nil) })
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return appendMap(e, dst, *at(m), appendText) },
		check: func(c *checker, m *M) error { return checkMap(c, *at(m), c.text) },
		copy:  func(to, from *M) { *at(to) = maps.Clone(*at(from)) },
	}
}

func structure[M any](name string, at func(*M) **structpb.Struct) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) != nil },
		read:  func(d *decoder, m *M) (bool, error) { return true, d.structure(fresh(m, at)) },
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return e.structure(dst, *at(m)) },
		check: func(c *checker, m *M) error { return c.structure(*at(m)) },
		copy:  func(to, from *M) { *at(to) = cloneStruct(*at(from)) },
	}
}

func moment[M any](name string, at func(*M) **timestamppb.Timestamp) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) != nil },
		read:  func(d *decoder, m *M) (bool, error) { return true, d.timestamp(fresh(m, at)) },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return appendTimestamp(dst, *at(m)) },
		check: func(_ *checker, m *M) error { return checkTimestamp(*at(m)) },
		copy: func(to, from *M) {
			*at(to) = &timestamppb.Timestamp{Seconds: (*at(from)).GetSeconds(), Nanos: (*at(from)).GetNanos()}
		},
	}
}

// The members of oneofs have no place of their own: get is the value if it is
// the one that is there.

func ofText[M any](name string, get func(*M) (string, bool), set func(*M, string)) field[M] {
	return field[M]{name: name, oneof: true,
		has: func(m *M) bool { _, ok := get(m); return ok },
		read: func(d *decoder, m *M) (bool, error) {
			s, err := d.string(m != nil)
			if m != nil {
				set(m, s)
			}
			return true, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { s, _ := get(m); return appendText(dst, s) },
		check: func(c *checker, m *M) error { s, _ := get(m); return c.text(s) },
		copy:  func(to, from *M) { s, _ := get(from); set(to, s) },
	}
}

func ofBytes[M any](name string, get func(*M) ([]byte, bool), set func(*M, []byte)) field[M] {
	return field[M]{name: name, oneof: true,
		has: func(m *M) bool { _, ok := get(m); return ok },
		read: func(d *decoder, m *M) (bool, error) {
			b, err := d.bytes(m != nil)
			if m != nil {
				set(m, b)
			}
			return true, err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) {
			b, _ := get(m)
			dst = append(dst, '"')
			dst = base64.StdEncoding.AppendEncode(dst, b)
			return append(dst, '"'), nil
		},
		check: func(c *checker, m *M) error {
			b, _ := get(m)
			c.Bound += len(b)
			return nil
		},
		copy: func(to, from *M) { b, _ := get(from); set(to, slices.Clone(b)) },
	}
}

func ofValue[M any](name string, get func(*M) *structpb.Value, set func(*M, *structpb.Value)) field[M] {
	return field[M]{name: name, oneof: true, nullable: true,
		has: func(m *M) bool { return get(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			var v *structpb.Value
			if m != nil {
				v = new(structpb.Value)
				set(m, v)
			}
			return true, d.value(v)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return e.value(dst, get(m)) },
		check: func(c *checker, m *M) error { return c.value(get(m)) },
		copy:  func(to, from *M) { set(to, cloneValue(get(from))) },
	}
}

func ofOne[M, N any](name string, t *object[N], get func(*M) *N, set func(*M, *N)) field[M] {
	return field[M]{name: name, oneof: true,
		has: func(m *M) bool { return get(m) != nil },
		read: func(d *decoder, m *M) (bool, error) {
			var n *N
			if m != nil {
				n = new(N)
				set(m, n)
			}
			_, err := t.read(d, n)
			return true, err
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return t.write(e, dst, get(m)) },
		check: func(c *checker, m *M) error { return t.check(c, get(m)) },
		copy:  func(to, from *M) { set(to, t.clone(get(from))) },
	}
}
