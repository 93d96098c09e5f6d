package datamodel

import (
	"reflect"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// field is one field of a message type M.
type field[M any] struct {
	name  string
	label []byte // `"name":`
	index int

	required bool // refused when it is not there
	always   bool // written when it is not there
	oneof    bool // a member of the type's oneof
	nullable bool // null is a value
	list     bool

	has   func(*M) bool
	read  func(*decoder, *M) error
	write func(*encoder, []byte, *M) ([]byte, error)
	check func(*checker, *M) error // nil where nothing can be wrong
	copy  func(to, from *M)        // of what is there
}

// req is a field that must be there, and not empty (spec 5.7).
func (f field[M]) req() field[M] { f.required = true; return f.kept() }

// kept is a required field whose default is a value, not an absence.
func (f field[M]) kept() field[M] { f.always = true; return f }

// must is a required message, which is never written when it is not there.
func (f field[M]) must() field[M] { f.required = true; return f }

// object is a message type M as a table of its fields.
type object[M any] struct {
	fields []field[M]
	byName map[string]*field[M]
	folded map[string]string // lower case to the name as it is spelt
	// oneof names the oneof that the type has, "" if none.
	oneof string
	// content says that a member of the oneof must be there.
	content bool
}

// of makes a type of its fields.
func of[M any](fields ...field[M]) *object[M] {
	t := &object[M]{fields: fields, byName: map[string]*field[M]{}, folded: map[string]string{}}
	for i := range fields {
		f := &fields[i]
		f.index = i
		f.label = append(strictjson.AppendString(nil, f.name), ':')
		for _, name := range []string{f.name, snake(f.name)} {
			t.byName[name] = f
			t.folded[strings.ToLower(name)] = f.name
		}
	}
	return t
}

// with gives a type its oneof; content says that a member must be there.
func (t *object[M]) with(oneof string, content bool) *object[M] {
	t.oneof, t.content = oneof, content
	return t
}

// snake is a ProtoJSON name as the proto file has it.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// member is the member of the oneof that is there, nil if none is.
func (t *object[M]) member(m *M) *field[M] {
	for i := range t.fields {
		if f := &t.fields[i]; f.oneof && f.has(m) {
			return f
		}
	}
	return nil
}

func (t *object[M]) noContent() error {
	var names []string
	for i := range t.fields {
		if t.fields[i].oneof {
			names = append(names, t.fields[i].name)
		}
	}
	return problem("has no %s: one of %s is required", t.oneof, strings.Join(names, ", "))
}

func (t *object[M]) read(d *decoder, m *M) error {
	if d.Peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.Open('{'); err != nil {
		return err
	}
	var seen uint64
	var unknown strictjson.Names
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, err := d.Key()
		if err != nil {
			return err
		}
		f := t.byName[string(key)]
		if f == nil {
			if err := t.unknown(d, &unknown, string(key)); err != nil {
				return err
			}
			continue
		}
		if seen&(1<<f.index) != 0 {
			return at(problem("is there twice"), f.name)
		}
		seen |= 1 << f.index
		if err := t.readField(d, f, m); err != nil {
			return at(err, f.name)
		}
	}
	if t.content && t.member(m) == nil {
		d.missing = true
	}
	for i := range t.fields {
		if f := &t.fields[i]; f.required && !f.has(m) {
			d.missing = true
		}
	}
	return nil
}

func (t *object[M]) readField(d *decoder, f *field[M], m *M) error {
	if d.Peek() == 'n' && !f.nullable {
		if !d.Literal("null") {
			return d.mismatch("a value")
		}
		return nil // null is absence
	}
	if f.oneof {
		if other := t.member(m); other != nil {
			return problem("excludes %s, which is set too", other.name)
		}
	}
	return f.read(d, m)
}

// unknown passes over a member that the type does not have.
func (t *object[M]) unknown(d *decoder, names *strictjson.Names, key string) error {
	if name, ok := t.folded[strings.ToLower(key)]; ok {
		return at(problem("is not the name of a field; it is spelt %s", name), key)
	}
	if !names.Add(key) {
		return at(problem("is there twice"), key)
	}
	_, err := d.Skip()
	return err
}

func (t *object[M]) write(e *encoder, dst []byte, m *M) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	if t.content && t.member(m) == nil {
		e.missing = true
	}
	dst = append(dst, '{')
	empty := true
	var err error
	for i := range t.fields {
		f := &t.fields[i]
		if !f.has(m) {
			e.missing = e.missing || f.required
			if !f.always {
				continue
			}
		}
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		dst = append(dst, f.label...)
		if dst, err = f.write(e, dst, m); err != nil {
			return dst, at(err, f.name)
		}
	}
	e.depth--
	return append(dst, '}'), nil
}

func (t *object[M]) check(c *checker, m *M) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += perField * len(t.fields)
	if t.content && t.member(m) == nil {
		if c.Missing = true; c.strict {
			return t.noContent()
		}
	}
	for i := range t.fields {
		f := &t.fields[i]
		if f.check == nil && !f.required {
			continue
		}
		if !f.has(m) {
			if f.required {
				if c.Missing = true; c.strict {
					return at(f.absent(), f.name)
				}
			}
			continue
		}
		if f.check != nil {
			if err := f.check(c, m); err != nil {
				return at(err, f.name)
			}
		}
	}
	c.depth--
	return nil
}

// clone is a message that shares nothing with the one it is of, nil for nil.
func (t *object[M]) clone(m *M) *M {
	if m == nil {
		return nil
	}
	out := new(M)
	for i := range t.fields {
		if f := &t.fields[i]; f.has(m) {
			f.copy(out, m)
		}
	}
	return out
}

func (f *field[M]) absent() error {
	if f.list {
		return problem("needs at least one element")
	}
	return problem("is required")
}

// message is what a pointer to M must be to be a message.
type message[M any] interface {
	*M
	proto.Message
}

// root is a type whose messages stand alone.
func root[M any, P message[M]](t *object[M]) (reflect.Type, *Type) {
	return reflect.TypeFor[P](), &Type{
		create: func() proto.Message { return P(new(M)) },
		read:   func(d *decoder, m proto.Message) error { return t.read(d, (*M)(m.(P))) },
		write: func(e *encoder, dst []byte, m proto.Message) ([]byte, error) {
			return t.write(e, dst, sound((*M)(m.(P))))
		},
		check: func(c *checker, m proto.Message) error { return t.check(c, sound((*M)(m.(P)))) },
		clone: func(m proto.Message) proto.Message { return P(t.clone(sound((*M)(m.(P))))) },
	}
}

// sound is a message, an empty one for a nil pointer.
func sound[M any](m *M) *M {
	if m == nil {
		return new(M)
	}
	return m
}
