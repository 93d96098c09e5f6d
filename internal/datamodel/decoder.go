package datamodel

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// decoder reads text: into messages, or only to check it. Its methods take
// where to put what they read, nil for nowhere, and report whether it is
// something, not the field's default. That nothing is built changes neither
// what is taken nor what is said of it.
type decoder struct {
	strictjson.Scanner
	found Verdict
	event Event
}

// open steps into an object or array, of which c is the bracket.
func (d *decoder) open(c byte, want string) error {
	if d.Peek() != c {
		return d.mismatch(want)
	}
	return d.Open(c)
}

// array reads an array, element by element.
func (d *decoder) array(element func() error) (bool, error) {
	if err := d.open('[', "an array"); err != nil {
		return false, err
	}
	for i := 0; ; i++ {
		more, err := d.More(']', i == 0)
		if err != nil || !more {
			return i > 0, err
		}
		d.found.Bound += perField
		if err := element(); err != nil {
			return false, atIndex(err, i)
		}
	}
}

// readMap reads an object with any names, value by value.
func readMap[V any](d *decoder, to *map[string]V, value func() (V, error)) (bool, error) {
	if err := d.open('{', "an object"); err != nil {
		return false, err
	}
	var names keys
	for first := true; ; first = false {
		more, err := d.More('}', first)
		if err != nil || !more {
			return !first, err
		}
		key, err := d.key()
		if err != nil {
			return false, err
		}
		d.found.Bound += 2 * perField
		if !names.add(key) {
			return false, at(problem("is there twice"), string(key))
		}
		v, err := value()
		if err != nil {
			return false, at(err, string(key))
		}
		if to == nil {
			continue
		}
		if *to == nil {
			*to = map[string]V{}
		}
		(*to)[string(key)] = v
	}
}

func (d *decoder) text(to *string) (bool, error) {
	if d.Peek() != '"' {
		return false, d.mismatch("a string")
	}
	if to == nil {
		return d.pass()
	}
	s, err := d.str()
	*to = string(s)
	return len(s) > 0, err
}

// string is a text, "" if it is not to be kept.
func (d *decoder) string(keep bool) (s string, err error) {
	if keep {
		_, err = d.text(&s)
	} else {
		_, err = d.text(nil)
	}
	return s, err
}

// taskID is a text that the verdict has, too.
func (d *decoder) taskID(to *string) (bool, error) {
	if d.Peek() != '"' {
		return false, d.mismatch("a string")
	}
	s, err := d.str()
	d.event.Task = s
	if to != nil {
		*to = string(s)
	}
	return len(s) > 0, err
}

func (d *decoder) flag(to *bool) (bool, error) {
	yes := d.Literal("true")
	if !yes && !d.Literal("false") {
		return false, d.mismatch("true or false")
	}
	if to != nil {
		*to = yes
	}
	return yes, nil
}

func (d *decoder) number(to *int32) (bool, error) {
	n, err := d.int32()
	if to != nil {
		*to = n
	}
	return n != 0, err
}

// int32 reads a number or a string with one; ProtoJSON takes both, and 1.0 and
// 1e2 for whole numbers, too.
func (d *decoder) int32() (int32, error) {
	var text []byte
	var err error
	switch c := d.Peek(); {
	case c == '"':
		text, err = d.Str()
	case c != '-' && (c < '0' || c > '9'):
		err = d.mismatch("a number")
	default:
		text, err = d.Number()
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

func (d *decoder) enum(values names) (int32, error) {
	if d.Peek() == '"' {
		s, err := d.str()
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

// bytes reads base64, of either alphabet, padded or not.
func (d *decoder) bytes(keep bool) ([]byte, error) {
	if d.Peek() != '"' {
		return nil, d.mismatch("a string")
	}
	s, err := d.str()
	if err != nil {
		return nil, err
	}
	enc, unpadded := base64.StdEncoding, base64.RawStdEncoding
	if bytes.IndexByte(s, '-') >= 0 || bytes.IndexByte(s, '_') >= 0 {
		enc, unpadded = base64.URLEncoding, base64.RawURLEncoding
	}
	if len(s)%4 != 0 {
		enc = unpadded
	}
	var out []byte
	if keep {
		out = make([]byte, 0, enc.DecodedLen(len(s)))
	}
	// The library passes over line breaks, and takes padding where text ends.
	var space [3 << 8]byte
	for len(s) > 0 {
		block := s[:min(len(s), 4<<8)]
		s = s[len(block):]
		n, err := enc.Decode(space[:], block)
		if err != nil || bytes.IndexByte(block, '\n') >= 0 || bytes.IndexByte(block, '\r') >= 0 || len(s) > 0 && n < len(space) {
			return nil, problem("must be base64")
		}
		if keep {
			out = append(out, space[:n]...)
		}
	}
	return out, nil
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
