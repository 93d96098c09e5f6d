// Package strictjson reads JSON text as RFC 8259 and RFC 7493 write it: valid
// UTF-8, no duplicate member names, a bounded depth. It allocates nothing but
// for strings with escapes. encoding/json is laxer in each of these.
package strictjson

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how many objects and arrays may be open at once.
const MaxDepth = 64

// SyntaxError is text that is not JSON, and where.
type SyntaxError struct {
	Offset  int
	Problem string
}

// Error says what is wrong, and where.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Problem)
}

// Scanner walks over one JSON text. The zero value with In set is ready.
type Scanner struct {
	In    []byte
	Pos   int
	depth int
}

// Fail is a syntax error at the current position.
func (s *Scanner) Fail(format string, args ...any) error {
	return &SyntaxError{s.Pos, fmt.Sprintf(format, args...)}
}

// Peek skips white space and is the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	for s.Pos < len(s.In) {
		switch c := s.In[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return c
		}
	}
	return 0
}

// End says whether only white space is left.
func (s *Scanner) End() error {
	if s.Peek() != 0 || s.Pos < len(s.In) {
		return s.Fail("text after the value")
	}
	return nil
}

// Open steps into an object or array, of which c is the bracket.
func (s *Scanner) Open(c byte) error {
	if s.Peek() != c {
		return s.unexpected()
	}
	if s.depth++; s.depth > MaxDepth {
		return s.Fail("nested deeper than %d levels", MaxDepth)
	}
	s.Pos++
	return nil
}

// More reports whether another element follows before the closing bracket c,
// and steps over comma or bracket. first is set for the first one.
func (s *Scanner) More(c byte, first bool) (bool, error) {
	switch b := s.Peek(); {
	case b == c:
		s.Pos++
		s.depth--
		return false, nil
	case first:
		return true, nil
	case b == ',':
		s.Pos++
		return true, nil
	}
	return false, s.unexpected()
}

// Key reads a member's name and the colon after it. The bytes may be part of In.
func (s *Scanner) Key() ([]byte, error) {
	k, err := s.Str()
	if err != nil {
		return nil, err
	}
	if s.Peek() != ':' {
		return nil, s.unexpected()
	}
	s.Pos++
	return k, nil
}

func (s *Scanner) unexpected() error {
	if s.Pos >= len(s.In) {
		return s.Fail("unexpected end")
	}
	r, _ := utf8.DecodeRune(s.In[s.Pos:])
	return s.Fail("unexpected %q", r)
}

// Str reads a string, unescaped. The bytes are part of In if nothing was escaped.
func (s *Scanner) Str() ([]byte, error) {
	if s.Peek() != '"' {
		return nil, s.unexpected()
	}
	start := s.Pos + 1
	ascii := true
	for i := start; i < len(s.In); i++ {
		if plain[s.In[i]] {
			continue
		}
		switch c := s.In[i]; {
		case c == '"':
			out := s.In[start:i]
			if !ascii && !utf8.Valid(out) {
				return nil, s.Fail("a string is not valid UTF-8")
			}
			s.Pos = i + 1
			return out, nil
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			s.Pos = i
			return nil, s.Fail("control character in a string")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.Pos = len(s.In)
	return nil, s.Fail("unexpected end in a string")
}

// plain holds the ASCII bytes that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// escaped goes on with a string whose first backslash is at i.
func (s *Scanner) escaped(start, i int) ([]byte, error) {
	out := append(make([]byte, 0, 2*(i-start)+16), s.In[start:i]...)
	for i < len(s.In) {
		c := s.In[i]
		switch {
		case c == '"':
			if !utf8.Valid(out) {
				return nil, s.Fail("a string is not valid UTF-8")
			}
			s.Pos = i + 1
			return out, nil
		case c < ' ':
			s.Pos = i
			return nil, s.Fail("control character in a string")
		case c != '\\':
			out = append(out, c)
			i++
			continue
		}
		if i+1 >= len(s.In) {
			break
		}
		if e := unescape[s.In[i+1]]; e != 0 {
			out = append(out, e)
			i += 2
			continue
		}
		r, n := s.unicode(i)
		if n == 0 {
			s.Pos = i
			return nil, s.Fail("invalid escape in a string")
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	s.Pos = len(s.In)
	return nil, s.Fail("unexpected end in a string")
}

var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicode reads \uXXXX, or a surrogate pair of them, at i: the rune and how many bytes it took.
func (s *Scanner) unicode(i int) (rune, int) {
	r, ok := hex4(s.In, i)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(s.In, i+6)
	if !ok {
		return 0, 0
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

func hex4(in []byte, i int) (rune, bool) {
	if i+6 > len(in) || in[i] != '\\' || in[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range in[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// Number reads a number's text.
func (s *Scanner) Number() ([]byte, error) {
	if s.Peek() == 0 {
		return nil, s.unexpected()
	}
	n := numberLen(s.In[s.Pos:])
	if n == 0 {
		return nil, s.unexpected()
	}
	out := s.In[s.Pos : s.Pos+n]
	s.Pos += n
	return out, nil
}

// IsNumber reports whether the text is exactly one JSON number.
func IsNumber(b []byte) bool { return len(b) > 0 && numberLen(b) == len(b) }

// numberLen is the length of the number at the beginning, 0 if there is none.
func numberLen(b []byte) int {
	i := 0
	at := func() byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	digits := func() bool {
		start := i
		for c := at(); c >= '0' && c <= '9'; c = at() {
			i++
		}
		return i > start
	}
	if at() == '-' {
		i++
	}
	if at() == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if at() == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if c := at(); c == 'e' || c == 'E' {
		i++
		if c := at(); c == '+' || c == '-' {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// Literal reads the word if it is next.
func (s *Scanner) Literal(word string) bool {
	s.Peek()
	rest := s.In[s.Pos:]
	if len(rest) < len(word) || string(rest[:len(word)]) != word {
		return false
	}
	s.Pos += len(word)
	return true
}

// Skip reads any value, checking all of it, and is its text.
func (s *Scanner) Skip() ([]byte, error) {
	c := s.Peek()
	start := s.Pos
	var err error
	switch {
	case c == '{':
		err = s.skipObject()
	case c == '[':
		err = s.skipArray()
	case c == '"':
		_, err = s.Str()
	case c == 't' && s.Literal("true"), c == 'f' && s.Literal("false"), c == 'n' && s.Literal("null"):
	default:
		_, err = s.Number()
	}
	if err != nil {
		return nil, err
	}
	return s.In[start:s.Pos], nil
}

func (s *Scanner) skipObject() error {
	if err := s.Open('{'); err != nil {
		return err
	}
	var seen Names
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil || !more {
			return err
		}
		key, err := s.Key()
		if err != nil {
			return err
		}
		if !seen.Add(string(key)) {
			return s.Fail("duplicate member %q", key)
		}
		if _, err := s.Skip(); err != nil {
			return err
		}
	}
}

func (s *Scanner) skipArray() error {
	if err := s.Open('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.More(']', first)
		if err != nil || !more {
			return err
		}
		if _, err := s.Skip(); err != nil {
			return err
		}
	}
}

// Span finds the end of any value without checking what is inside, for values
// that another reader checks. It is the value's text.
func (s *Scanner) Span() ([]byte, error) {
	c := s.Peek()
	if c != '{' && c != '[' {
		return s.Skip()
	}
	start, open := s.Pos, 0
	for s.Pos < len(s.In) {
		switch s.In[s.Pos] {
		case '"':
			if err := s.spanString(); err != nil {
				return nil, err
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				s.Pos++
				return s.In[start:s.Pos], nil
			}
		}
		s.Pos++
	}
	return nil, s.unexpected()
}

// spanString steps over a string, escapes and all.
func (s *Scanner) spanString() error {
	for i := s.Pos + 1; ; {
		n := bytes.IndexByte(s.In[i:], '"')
		if n < 0 {
			s.Pos = len(s.In)
			return s.Fail("unexpected end in a string")
		}
		i += n
		back := 0
		for i-1-back > s.Pos && s.In[i-1-back] == '\\' {
			back++
		}
		i++
		if back%2 == 0 {
			s.Pos = i
			return nil
		}
	}
}

// Names is a set of member names. Few are compared one by one, many hashed.
type Names struct {
	few  []string
	many map[string]struct{}
}

// Add adds a name, and reports whether it was not there.
func (n *Names) Add(name string) bool {
	if n.many != nil {
		if _, ok := n.many[name]; ok {
			return false
		}
		n.many[name] = struct{}{}
		return true
	}
	for _, f := range n.few {
		if f == name {
			return false
		}
	}
	if n.few = append(n.few, name); len(n.few) > 8 {
		n.many = make(map[string]struct{}, 16)
		for _, f := range n.few {
			n.many[f] = struct{}{}
		}
	}
	return true
}

// AppendString appends a string as JSON, quoted and escaped as little as JSON allows.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if plain[c] || c >= utf8.RuneSelf {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"
