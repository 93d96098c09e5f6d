package datamodel

import (
	"encoding/base64"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// The kinds of fields. Each takes the field's name and where it is in a message.

func text[M any](name string, at func(*M) *string) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) != "" },
		read:  func(d *decoder, m *M) (err error) { *at(m), err = d.text(); return err },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return appendText(dst, *at(m)) },
		check: func(c *checker, m *M) error { return c.text(*at(m)) },
		copy:  func(to, from *M) { *at(to) = *at(from) },
	}
}

func optText[M any](name string, at func(*M) **string) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) error {
			s, err := d.text()
			*at(m) = &s
			return err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return appendText(dst, **at(m)) },
		check: func(c *checker, m *M) error { return c.text(**at(m)) },
		copy:  func(to, from *M) { x := **at(from); *at(to) = &x },
	}
}

func flag[M any](name string, at func(*M) *bool) field[M] {
	return field[M]{name: name,
		has:   func(m *M) bool { return *at(m) },
		read:  func(d *decoder, m *M) (err error) { *at(m), err = d.flag(); return err },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return strconv.AppendBool(dst, *at(m)), nil },
		copy:  func(to, from *M) { *at(to) = *at(from) },
	}
}

func optFlag[M any](name string, at func(*M) **bool) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) error {
			b, err := d.flag()
			*at(m) = &b
			return err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { return strconv.AppendBool(dst, **at(m)), nil },
		copy:  func(to, from *M) { x := **at(from); *at(to) = &x },
	}
}

func number[M any](name string, at func(*M) *int32) field[M] {
	return field[M]{name: name,
		has:  func(m *M) bool { return *at(m) != 0 },
		read: func(d *decoder, m *M) (err error) { *at(m), err = d.int32(); return err },
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) {
			return strconv.AppendInt(dst, int64(*at(m)), 10), nil
		},
		copy: func(to, from *M) { *at(to) = *at(from) },
	}
}

func optNumber[M any](name string, at func(*M) **int32) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) error {
			n, err := d.int32()
			*at(m) = &n
			return err
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
		read: func(d *decoder, m *M) error {
			n, err := d.enum(values)
			*at(m) = E(n)
			return err
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
		read: func(d *decoder, m *M) error {
			return d.array(func(int) error {
				s, err := d.text()
				*at(m) = append(*at(m), s)
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
		read: func(d *decoder, m *M) error {
			n := new(N)
			*at(m) = n
			return t.read(d, n)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return t.write(e, dst, *at(m)) },
		check: func(c *checker, m *M) error { return t.check(c, *at(m)) },
		copy:  func(to, from *M) { *at(to) = t.clone(*at(from)) },
	}
}

func many[M, N any](name string, t *object[N], at func(*M) *[]*N) field[M] {
	return field[M]{name: name, list: true,
		has: func(m *M) bool { return len(*at(m)) > 0 },
		read: func(d *decoder, m *M) error {
			return d.array(func(int) error {
				n := new(N)
				*at(m) = append(*at(m), n)
				return t.read(d, n)
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
		read: func(d *decoder, m *M) error {
			return readMap(d, at(m), func() (*N, error) {
				n := new(N)
				return n, t.read(d, n)
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
		read: func(d *decoder, m *M) error {
			return readMap(d, at(m), d.text)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return appendMap(e, dst, *at(m), appendText) },
		check: func(c *checker, m *M) error { return checkMap(c, *at(m), c.text) },
		copy:  func(to, from *M) { *at(to) = maps.Clone(*at(from)) },
	}
}

func structure[M any](name string, at func(*M) **structpb.Struct) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) error {
			s := new(structpb.Struct)
			*at(m) = s
			return d.structure(s)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return e.structure(dst, *at(m)) },
		check: func(c *checker, m *M) error { return c.structure(*at(m)) },
		copy:  func(to, from *M) { *at(to) = cloneStruct(*at(from)) },
	}
}

func moment[M any](name string, at func(*M) **timestamppb.Timestamp) field[M] {
	return field[M]{name: name,
		has: func(m *M) bool { return *at(m) != nil },
		read: func(d *decoder, m *M) error {
			ts := new(timestamppb.Timestamp)
			*at(m) = ts
			return d.timestamp(ts)
		},
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
		read: func(d *decoder, m *M) error {
			s, err := d.text()
			set(m, s)
			return err
		},
		write: func(_ *encoder, dst []byte, m *M) ([]byte, error) { s, _ := get(m); return appendText(dst, s) },
		check: func(c *checker, m *M) error { s, _ := get(m); return c.text(s) },
		copy:  func(to, from *M) { s, _ := get(from); set(to, s) },
	}
}

func ofBytes[M any](name string, get func(*M) ([]byte, bool), set func(*M, []byte)) field[M] {
	return field[M]{name: name, oneof: true,
		has: func(m *M) bool { _, ok := get(m); return ok },
		read: func(d *decoder, m *M) error {
			b, err := d.bytes()
			set(m, b)
			return err
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
		read: func(d *decoder, m *M) error {
			v := new(structpb.Value)
			set(m, v)
			return d.value(v)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return e.value(dst, get(m)) },
		check: func(c *checker, m *M) error { return c.value(get(m)) },
		copy:  func(to, from *M) { set(to, cloneValue(get(from))) },
	}
}

func ofOne[M, N any](name string, t *object[N], get func(*M) *N, set func(*M, *N)) field[M] {
	return field[M]{name: name, oneof: true,
		has: func(m *M) bool { return get(m) != nil },
		read: func(d *decoder, m *M) error {
			n := new(N)
			set(m, n)
			return t.read(d, n)
		},
		write: func(e *encoder, dst []byte, m *M) ([]byte, error) { return t.write(e, dst, get(m)) },
		check: func(c *checker, m *M) error { return t.check(c, get(m)) },
		copy:  func(to, from *M) { set(to, t.clone(get(from))) },
	}
}

// What the kinds share.

func (c *checker) text(s string) error {
	c.Bound += len(s)
	if !utf8.ValidString(s) {
		return errUTF8()
	}
	return nil
}

func appendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, errUTF8()
	}
	return strictjson.AppendString(dst, s), nil
}

func appendArray[E any](e *encoder, dst []byte, all []E, f func([]byte, E) ([]byte, error)) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	var err error
	for i, x := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f(dst, x); err != nil {
			return dst, atIndex(err, i)
		}
	}
	e.depth--
	return append(dst, ']'), nil
}

func checkArray[E any](c *checker, all []E, f func(E) error) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += perField * len(all)
	for i, x := range all {
		if err := f(x); err != nil {
			return atIndex(err, i)
		}
	}
	c.depth--
	return nil
}

func appendMap[V any](e *encoder, dst []byte, all map[string]V, f func([]byte, V) ([]byte, error)) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	var few [8]string
	keys := few[:0]
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendText(dst, k); err != nil {
			return dst, at(err, strings.ToValidUTF8(k, "\uFFFD"))
		}
		dst = append(dst, ':')
		if dst, err = f(dst, all[k]); err != nil {
			return dst, at(err, k)
		}
	}
	e.depth--
	return append(dst, '}'), nil
}

func checkMap[V any](c *checker, all map[string]V, f func(V) error) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += 2 * perField * len(all)
	for k, v := range all {
		if err := c.text(k); err != nil {
			return at(err, strings.ToValidUTF8(k, "\uFFFD"))
		}
		if err := f(v); err != nil {
			return at(err, k)
		}
	}
	c.depth--
	return nil
}

func readMap[V any](d *decoder, to *map[string]V, value func() (V, error)) error {
	if d.Peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.Open('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil || !more {
			return err
		}
		raw, err := d.Key()
		if err != nil {
			return err
		}
		if *to == nil {
			*to = map[string]V{}
		}
		key := string(raw)
		if _, ok := (*to)[key]; ok {
			return at(problem("is there twice"), key)
		}
		v, err := value()
		if err != nil {
			return at(err, key)
		}
		(*to)[key] = v
	}
}

// array reads an array, element by element.
func (d *decoder) array(element func(i int) error) error {
	if d.Peek() != '[' {
		return d.mismatch("an array")
	}
	if err := d.Open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := d.More(']', i == 0)
		if err != nil || !more {
			return err
		}
		if err := element(i); err != nil {
			return atIndex(err, i)
		}
	}
}

func (d *decoder) text() (string, error) {
	if d.Peek() != '"' {
		return "", d.mismatch("a string")
	}
	b, err := d.Str()
	return string(b), err
}

func (d *decoder) flag() (bool, error) {
	switch {
	case d.Literal("true"):
		return true, nil
	case d.Literal("false"):
		return false, nil
	}
	return false, d.mismatch("true or false")
}

// int32 reads a number or a string with one; ProtoJSON takes both, and 1.0 and
// 1e2 for whole numbers, too.
func (d *decoder) int32() (int32, error) {
	var text []byte
	var err error
	if d.Peek() == '"' {
		text, err = d.Str()
	} else {
		text, err = d.number()
	}
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(text), 10, 32); err == nil && strictjson.IsNumber(text) {
		return int32(n), nil
	}
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

// bytes reads base64, of either alphabet, padded or not.
func (d *decoder) bytes() ([]byte, error) {
	if d.Peek() != '"' {
		return nil, d.mismatch("a string")
	}
	s, err := d.Str()
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

func (d *decoder) enum(values names) (int32, error) {
	if d.Peek() == '"' {
		s, err := d.Str()
		if err != nil {
			return 0, err
		}
		if n, ok := values.value[string(s)]; ok {
			return n, nil
		}
		return 0, values.unknown(string(strictjson.AppendString(nil, clip(s))))
	}
	n, err := d.int32()
	if err != nil {
		return 0, err
	}
	if _, ok := values.name[n]; !ok {
		return 0, values.unknown(strconv.Itoa(int(n)))
	}
	return n, nil
}

// mismatch says that something else was wanted. What is not JSON at all is a
// fault of syntax.
func (d *decoder) mismatch(want string) error {
	c := d.Peek()
	if _, err := d.Skip(); err != nil {
		return err
	}
	got := "a number"
	switch c {
	case '{':
		got = "an object"
	case '[':
		got = "an array"
	case '"':
		got = "a string"
	case 't', 'f':
		got = "a boolean"
	case 'n':
		got = "null"
	}
	return problem("must be %s, got %s", want, got)
}
