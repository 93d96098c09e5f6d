package datamodel

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// One in each byte, and the high bit of each.
const (
	each = 0x0101010101010101
	high = 0x80 * each
)

// verbatim is the length of the text at the beginning that stands for itself in a
// JSON string: up to a quote, a backslash or a control character. Text that is
// not known to be ASCII may still be no UTF-8.
func verbatim(b []byte) (n int, ascii bool) {
	var all uint64
	rest := b
	for len(rest) >= 8 {
		x := binary.LittleEndian.Uint64(rest)
		all |= x
		// Bytes of ASCII that are a quote, a backslash, or below ' '. A borrow
		// spoils only what is behind the first.
		if stop := ((x ^ '"'*each - each) | (x ^ '\\'*each - each) | (x - ' '*each)) & high &^ x; stop != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(stop)/8, all&high == 0
		}
		rest = rest[8:]
	}
	for i, c := range rest {
		if c == '"' || c == '\\' || c < ' ' {
			return len(b) - len(rest) + i, all&high == 0
		}
		all |= uint64(c)
	}
	return len(b), all&high == 0
}

// verbatim reads a string without escapes, if that is what comes next, and is its
// contents. If not, it reads nothing.
func (d *decoder) verbatim() ([]byte, bool) {
	if d.Peek() != '"' {
		return nil, false
	}
	rest := d.In[d.Pos+1:]
	n, ascii := verbatim(rest)
	if n == len(rest) || rest[n] != '"' || !ascii && !utf8.Valid(rest[:n]) {
		return nil, false
	}
	d.Pos += n + 2
	return rest[:n], true
}

// str is Scanner.Str, faster where nothing is escaped. It says what is wrong
// with a string.
func (d *decoder) str() ([]byte, error) {
	if s, ok := d.verbatim(); ok {
		return s, nil
	}
	return d.Str()
}

// key is Scanner.Key, in the same way.
func (d *decoder) key() ([]byte, error) {
	start := d.Pos
	if k, ok := d.verbatim(); ok && d.Peek() == ':' {
		d.Pos++
		return k, nil
	}
	d.Pos = start
	return d.Key()
}

// pass passes over a string, and reports whether it has contents. Unlike str
// it does not make them.
func (d *decoder) pass() (bool, error) {
	d.Peek()
	for i, ascii := d.Pos+1, true; i <= len(d.In); {
		n, more := verbatim(d.In[i:])
		i, ascii = i+n, ascii && more
		if i == len(d.In) {
			break
		}
		if d.In[i] == '"' {
			s := d.In[d.Pos+1 : i]
			if !ascii && !utf8.Valid(s) {
				break
			}
			d.Pos = i + 1
			return len(s) > 0, nil
		}
		n = escape(d.In[i:])
		if n == 0 {
			break
		}
		i += n
	}
	s, err := d.Str() // what is unusual, and what is wrong
	return len(s) > 0, err
}

// escape is the length of the escape at the beginning, 0 if there is none or
// it is one of a surrogate.
func escape(b []byte) int {
	switch {
	case len(b) < 2 || b[0] != '\\':
		return 0
	case strings.IndexByte(`"\/bfnrt`, b[1]) >= 0:
		return 2
	case b[1] != 'u' || len(b) < 6 || b[2]|' ' == 'd':
		return 0
	}
	for _, c := range b[2:6] {
		if strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
			return 0
		}
	}
	return 6
}
