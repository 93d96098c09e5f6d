// Package datamodel reads, writes and checks the A2A data model: ProtoJSON
// with the strictness that makes every binding give the same verdict. It
// refuses, and names the field: unknown enum values, duplicate or
// differently-cased members, two members of one oneof, text that is not UTF-8,
// numbers JSON does not have, depth over 64 levels. It ignores unknown members
// (spec 5.7), and writes required members even when they hold their default
// (spec 3.1.4).
//
// model.go is the data model as a table, a line a field; a test holds it
// against the protobuf descriptors. The rest walks that table.
package datamodel

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// Error is what the data model refuses, and where.
type Error struct {
	// Path is the field's, in ProtoJSON names: message.parts[0].text. It is
	// empty for the message itself.
	Path string
	// Problem says what is wrong with it.
	Problem string
	// Syntax is set for text that is not JSON at all.
	Syntax bool
}

// Error is path and problem.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

func problem(format string, args ...any) error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

// at puts a field in front of an error's path, on the way out.
func at(err error, name string) error {
	e, ok := err.(*Error) //nolint:errorlint // errors of this package are not wrapped
	if !ok {
		return &Error{Problem: err.Error(), Syntax: true}
	}
	switch {
	case e.Syntax || name == "":
	case e.Path == "":
		e.Path = name
	case e.Path[0] == '[':
		e.Path = name + e.Path
	default:
		e.Path = name + "." + e.Path
	}
	return e
}

// atIndex puts an element's place in front of an error's path.
func atIndex(err error, i int) error { return at(err, "["+strconv.Itoa(i)+"]") }

func errDepth() error { return problem("nests deeper than %d levels", strictjson.MaxDepth) }

func errUTF8() error { return problem("is not valid UTF-8") }

// Type is one message type of the data model.
type Type struct {
	create func() proto.Message
	read   func(*decoder, proto.Message) error // into nil, to check
	write  func(*encoder, []byte, proto.Message) ([]byte, error)
	check  func(*checker, proto.Message) error
	clone  func(proto.Message) proto.Message

	decoders sync.Pool
}

// TypeOf is the type of a message, which may be a nil pointer. A message that
// is not of the data model panics.
func TypeOf(m proto.Message) *Type {
	t := types[reflect.TypeOf(m)]
	if t == nil {
		panic(fmt.Sprintf("datamodel: %T is not of the A2A data model", m))
	}
	return t
}

// New is an empty message of the type.
func (t *Type) New() proto.Message { return t.create() }

// Verdict is what an examination finds beside faults.
type Verdict struct {
	// Missing says that something the specification requires is not there;
	// [Type.Missing] names it.
	Missing bool
	strict  bool // what is missing is an error
	depth   int32
	// Bound is at least the size of the message in protobuf, and cheaper to
	// have than the size; 0 if it was not looked at.
	Bound int
	// Event is what text that was examined without a message says of the event
	// that it is, nil if it is none.
	Event *Event
}

// Event is what a stream must know of an event.
type Event struct {
	// Member is the name of the member of the message's oneof that is there,
	// "" if none is.
	Member string
	// Task is the id of the task, or of the task that the event is of. It may be
	// part of the text.
	Task []byte
}

// Clone is a message that shares nothing with the one it is of. Fields that
// the data model does not have stay behind.
func (t *Type) Clone(m proto.Message) proto.Message { return t.clone(m) }

// Unmarshal reads ProtoJSON into an empty message of the type. An error is an
// [*Error]. What was read need not be examined.
func (t *Type) Unmarshal(b []byte, m proto.Message) (Verdict, error) { return t.decode(b, m) }

// ExamineJSON is Unmarshal without a message: the same verdict, the same error.
func (t *Type) ExamineJSON(b []byte) (Verdict, error) { return t.decode(b, nil) }

func (t *Type) decode(b []byte, m proto.Message) (Verdict, error) {
	d, _ := t.decoders.Get().(*decoder)
	if d == nil {
		d = new(decoder)
	}
	d.In, d.found.Bound = b, perField+len(b)
	err := t.read(d, m)
	if err == nil {
		err = d.End()
	}
	v := d.found
	if m == nil && d.event.Member != "" {
		v.Event = new(Event)
		*v.Event = d.event
	}
	*d = decoder{}
	t.decoders.Put(d)
	if err != nil {
		return Verdict{}, at(err, "")
	}
	return v, nil
}

// Append appends a message as compact ProtoJSON, members in the order of the
// table and map keys sorted. It fails on what JSON cannot carry; the error is
// an [*Error]. On failure dst holds rubbish behind its old length.
func (t *Type) Append(dst []byte, m proto.Message) ([]byte, error) {
	e := encoder{}
	return t.write(&e, dst, m)
}

// AppendExamined is Examine and Append in one pass.
func (t *Type) AppendExamined(dst []byte, m proto.Message) ([]byte, Verdict, error) {
	e := encoder{bounded: true}
	out, err := t.write(&e, dst, m)
	return out, Verdict{Missing: e.missing}, err
}

// Examine holds a message against what every wire can carry: UTF-8, finite
// numbers, known enum values, depth. The verdict goes where v points. The error
// is an [*Error].
func (t *Type) Examine(m proto.Message, v *Verdict) error {
	*v = Verdict{}
	return t.check(v, m)
}

// Missing names the first thing that the specification requires and the
// message lacks (spec 5.7), nil if it lacks nothing.
func (t *Type) Missing(m proto.Message) error {
	c := checker{strict: true}
	return t.check(&c, m)
}

// Append is [Type.Append] of the message's type.
func Append(dst []byte, m proto.Message) ([]byte, error) { return TypeOf(m).Append(dst, m) }

// Check is [Type.Examine], and [Type.Missing] as an error.
func Check(m proto.Message) error {
	t := TypeOf(m)
	var v Verdict
	err := t.Examine(m, &v)
	if err == nil && v.Missing {
		err = t.Missing(m)
	}
	return err
}

// perField is more than what protobuf spends on a field beside its contents:
// tag and length, or tag and number.
const perField = 16

// clip keeps a caller's text short in an error.
func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}
