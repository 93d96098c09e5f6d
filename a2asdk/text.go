package a2asdk

import (
	"bytes"
	"encoding/json"
	"strings"
)

// encoding/json replaces what is not UTF-8 in silence. Elsewhere such text is
// refused; so it is made wrong again, where it stands, for the shared layer to
// find.

// replaced reports whether encoding/json has replaced text in the JSON that it
// wrote. It does so by an escape, and writes a U+FFFD that was there as it is. A
// MarshalJSON that writes the escape itself is taken for one that replaced.
func replaced(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 == len(b) {
			return false
		}
		if b = b[i+1:]; bytes.HasPrefix(b, []byte("ufffd")) {
			return true
		}
		b = b[1:] // what is escaped may be a backslash
	}
}

// spoiled is the next value of a decoder of b, in which the text that was
// replaced is not UTF-8.
func spoiled(d *json.Decoder, b []byte) any {
	from := d.InputOffset()
	token, _ := d.Token() // encoding/json wrote it: there are no errors
	switch token {
	case json.Delim('{'):
		m := map[string]any{}
		for d.More() {
			key, _ := spoiled(d, b).(string)
			m[key] = spoiled(d, b)
		}
		_, _ = d.Token()
		return m
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, spoiled(d, b))
		}
		_, _ = d.Token()
		return list
	}
	if s, ok := token.(string); ok && replaced(b[from:d.InputOffset()]) {
		return strings.ReplaceAll(s, "\ufffd", "\xff")
	}
	return token
}
