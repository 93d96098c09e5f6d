// Package sse reads and writes Server-Sent Events by the rules of the WHATWG
// HTML standard, section 9.2: any line ending, comments, data over several
// lines, and no limit on a line but the limit on a message.
package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrTooLarge is an event whose data is over the reader's limit.
var ErrTooLarge = errors.New("sse: event over the limit")

const bufferSize = 8 << 10

// Reader reads the events of one stream. It is not for concurrent use.
type Reader struct {
	r     io.Reader
	limit int

	buf        []byte
	start, end int // what is read and not yet used
	skipLF     bool
	began      bool
	err        error

	data []byte
}

// NewReader is a reader of events whose data is at most limit bytes long.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: r, limit: limit, buf: make([]byte, bufferSize)}
}

// Next is the data of the next event that has any. The bytes are good until
// the next call. The end of the stream is io.EOF between events and
// io.ErrUnexpectedEOF inside one; other errors are the transport's.
func (r *Reader) Next() ([]byte, error) {
	r.data = r.data[:0]
	partial := false
	for has := false; ; {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (partial || r.end > r.start) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		switch {
		case len(line) == 0:
			if partial = false; has && len(r.data) > 0 {
				return r.data, nil
			}
			has = false
		case line[0] == ':':
		default:
			partial = true
			name, value, _ := bytes.Cut(line, []byte{':'})
			if string(name) != "data" {
				continue
			}
			if len(value) > 0 && value[0] == ' ' {
				value = value[1:]
			}
			if has {
				r.data = append(r.data, '\n')
			}
			has = true
			if r.data = append(r.data, value...); len(r.data) > r.limit {
				return nil, ErrTooLarge
			}
		}
	}
}

// line is the next line without its ending, good until the next call.
func (r *Reader) line() ([]byte, error) {
	scanned := 0
	for {
		if r.skipLF && r.end > r.start {
			if r.buf[r.start] == '\n' {
				r.start++
			}
			r.skipLF = false
		}
		if rest := r.buf[r.start:r.end]; len(rest) > scanned {
			if i := lineEnd(rest[scanned:]); i >= 0 {
				i += scanned
				line := rest[:i]
				r.start += i + 1
				r.skipLF = rest[i] == '\r'
				return r.trimBOM(line), nil
			}
			scanned = len(rest)
		}
		if r.err != nil {
			return nil, r.err
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// lineEnd is where the first line ending is, -1 if there is none.
func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i >= 0 {
		b = b[:i]
	}
	if j := bytes.IndexByte(b, '\r'); j >= 0 {
		return j
	}
	return i
}

// trimBOM takes off the byte order mark that a stream may begin with.
func (r *Reader) trimBOM(line []byte) []byte {
	if !r.began {
		r.began = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// fill reads more. A line may grow to the limit and the field's name.
func (r *Reader) fill() error {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		if len(r.buf) > r.limit+bufferSize {
			return ErrTooLarge
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.r.Read(r.buf[r.end:])
	r.end += n
	r.err = err
	return nil
}

// AppendName appends the name of the event that follows, if it has one.
func AppendName(dst []byte, name string) []byte {
	if name == "" {
		return dst
	}
	dst = append(dst, "event: "...)
	dst = append(dst, name...)
	return append(dst, '\n')
}

// AppendEvent appends an event with the data. Line breaks in it, which JSON
// text may have between its tokens, become further data lines.
func AppendEvent(dst, data []byte) []byte {
	for {
		dst = append(dst, "data: "...)
		i := lineEnd(data)
		if i < 0 {
			dst = append(dst, data...)
			return append(dst, "\n\n"...)
		}
		dst = append(dst, data[:i]...)
		dst = append(dst, '\n')
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		data = data[i+1:]
	}
}

// KeepAlive is a comment that keeps a stream's connection from looking idle.
const KeepAlive = ":\n\n"
