package httpwire

import (
	"errors"
	"io"

	"github.com/a2awire/a2awire/binding"
)

// ReadBody reads a body of at most limit bytes. length is the one announced,
// -1 if none was. A longer body is a ResourceExhausted error; any other error
// is the transport's.
func ReadBody(r io.Reader, length int64, limit int) ([]byte, error) {
	if length > int64(limit) {
		return nil, binding.TooLarge(limit)
	}
	if length >= 0 {
		b := make([]byte, length)
		_, err := io.ReadFull(r, b)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if length == 0 {
			err = nil
		}
		return b, err
	}
	b := make([]byte, 0, 2048)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return nil, binding.TooLarge(limit)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

// BodyLimit is how many bytes a body may have whose message may have max: the
// envelope, and the white space of who writes for people, come on top.
func BodyLimit(max int) int { return max + max/8 + 64<<10 }
