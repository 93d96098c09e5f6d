package datamodel

import (
	"bytes"
	"math/bits"
	"reflect"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// field is one field of a message type M.
type field[M any] struct {
	name  string
	label []byte // `"name":`

	required bool // refused when it is not there
	always   bool // written when it is not there
	oneof    bool // a member of the type's oneof
	nullable bool // null is a value
	list     bool

	has func(*M) bool
	// read reads the value into a message, or only checks it if that is nil.
	// It reports what has would.
	read  func(*decoder, *M) (bool, error)
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
	names  []string          // of the fields
	snakes map[string]int    // the fields by their names in the proto file
	folded map[string]string // lower case to the name as it is spelt
	// required and members are the fields that must be there, and those of the oneof.
	required, members fieldSet
	// oneof names the oneof that the type has, "" if none.
	oneof string
	// content says that a member of the oneof must be there.
	content bool
}

// fieldSet is a set of fields, by their place in the table.
type fieldSet uint64

// of makes a type of its fields.
func of[M any](fields ...field[M]) *object[M] {
	t := &object[M]{fields: fields, snakes: map[string]int{}, folded: map[string]string{}}
	for i := range fields {
		f := &fields[i]
		f.label = append(strictjson.AppendString(nil, f.name), ':')
		t.names = append(t.names, f.name)
		t.snakes[snake(f.name)] = i
		for _, name := range []string{f.name, snake(f.name)} {
			t.folded[strings.ToLower(name)] = f.name
		}
		if f.required {
			t.required |= 1 << i
		}
		if f.oneof {
			t.members |= 1 << i
		}
	}
	return t
}

// ahead reads the name of a field and its colon, if that is what comes next,
// and is the place of the field; if not, it is -1. It knows the fields from next
// on, written as this package writes them: members mostly come in the table's order.
func (t *object[M]) ahead(d *decoder, next int) int {
	in := d.In[d.Pos:]
	for i := next; i < len(t.fields); i++ {
		if l := t.fields[i].label; len(in) > len(l) && in[1] == l[1] && bytes.Equal(in[:len(l)], l) {
			d.Pos += len(l)
			return i
		}
	}
	return -1
}

// find is the place of the field of that name, -1 if there is none.
func (t *object[M]) find(name []byte) int {
	for i := range t.names {
		if t.names[i] == string(name) {
			return i
		}
	}
	if i, ok := t.snakes[string(name)]; ok {
		return i
	}
	return -1
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

// empty reports whether no member of the oneof is there.
func (t *object[M]) empty(m *M) bool {
	for i := range t.fields {
		if f := &t.fields[i]; f.oneof && f.has(m) {
			return false
		}
	}
	return true
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

// read reads an object into a message, or only checks it if that is nil. The
// fields are those that has would report of the message.
func (t *object[M]) read(d *decoder, m *M) (fieldSet, error) {
	if err := d.open('{', "an object"); err != nil {
		return 0, err
	}
	var seen, there fieldSet
	var unknown keys
	next := 0
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
		i := t.ahead(d, next)
		if i < 0 {
			key, err := d.key()
			if err != nil {
				return 0, err
			}
			if i = t.find(key); i < 0 {
				if err := t.unknown(d, &unknown, key); err != nil {
					return 0, err
				}
				continue
			}
		}
		next = i + 1
		f := &t.fields[i]
		if seen&(1<<i) != 0 {
			return 0, at(problem("is there twice"), f.name)
		}
		seen |= 1 << i
		d.found.Bound += perField
		is, err := t.readField(d, f, m, there&t.members)
		if err != nil {
			return 0, at(err, f.name)
		}
		if is {
			there |= 1 << i
		}
	}
	if t.content && there&t.members == 0 || there&t.required != t.required {
		d.found.Missing = true
	}
	return there, nil
}

// readField reads the value of a field. Of the oneof's members, others are
// there already.
func (t *object[M]) readField(d *decoder, f *field[M], m *M, others fieldSet) (bool, error) {
	if d.Peek() == 'n' && !f.nullable {
		if !d.Literal("null") {
			return false, d.mismatch("a value")
		}
		return false, nil // null is absence
	}
	if f.oneof && others != 0 {
		return false, problem("excludes %s, which is set too", t.name(others))
	}
	return f.read(d, m)
}

// name is the name of the first of some fields, "" if there is none.
func (t *object[M]) name(some fieldSet) string {
	if some == 0 {
		return ""
	}
	return t.names[bits.TrailingZeros64(uint64(some))]
}

// unknown passes over a member that the type does not have.
func (t *object[M]) unknown(d *decoder, names *keys, key []byte) error {
	if name, ok := t.folded[strings.ToLower(string(key))]; ok {
		return at(problem("is not the name of a field; it is spelt %s", name), string(key))
	}
	if !names.add(key) {
		return at(problem("is there twice"), string(key))
	}
	_, err := d.Skip()
	return err
}

func (t *object[M]) write(e *encoder, dst []byte, m *M) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	content := !t.content
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
		content = content || f.oneof
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		dst = append(dst, f.label...)
		if dst, err = f.write(e, dst, m); err != nil {
			return dst, at(err, f.name)
		}
	}
	e.missing = e.missing || !content
	e.depth--
	return append(dst, '}'), nil
}

func (t *object[M]) check(c *checker, m *M) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += perField * len(t.fields)
	if t.content && t.empty(m) {
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
		read: func(d *decoder, m proto.Message) error {
			to, _ := m.(P)
			there, err := t.read(d, to)
			d.event.Member = t.name(there & t.members)
			return err
		},
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
