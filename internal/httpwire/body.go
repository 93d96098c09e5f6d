package httpwire

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/a2awire/a2awire/binding"
)

// BodyTime is how long a request's body may take. A client that sends headers
// and no more holds nothing for longer.
const BodyTime = time.Minute

// ReadRequest is ReadBody of a request, within BodyTime.
func ReadRequest(w http.ResponseWriter, r *http.Request, limit int) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, nil
	}
	rc := http.NewResponseController(w)
	bounded := rc.SetReadDeadline(time.Now().Add(BodyTime)) == nil
	b, err := ReadBody(r.Body, r.ContentLength, limit)
	if bounded && err == nil {
		// What comes after the body is how the server learns that its client is
		// gone. After an error the deadline stays, for who reads the rest.
		_ = rc.SetReadDeadline(time.Time{})
	}
	return b, err
}

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
