package rest

import (
	"bytes"

	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// isError tells an error in a stream from an event. The specification gives it
// no form (spec 11.7): it is written as the body of 11.6, and read also as a
// bare google.rpc.Status, which some send as an "event: error". Events of
// neither kind cost two searches.
func isError(data []byte) bool {
	return bytes.Contains(data, []byte(`"error"`)) && errmap.IsHTTPError(data) ||
		bytes.Contains(data, []byte(`"code"`)) && isStatus(data)
}

// isStatus reports whether an object has a code that is a number and a message
// that is a string, which in an event is an object.
func isStatus(data []byte) bool {
	s := strictjson.Scanner{In: data}
	if s.Open('{') != nil {
		return false
	}
	var code, message bool
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil {
			return false
		}
		if !more {
			return code && message
		}
		key, err := s.Key()
		if err != nil {
			return false
		}
		value, err := s.Span()
		if err != nil {
			return false
		}
		switch string(key) {
		case "code":
			code = strictjson.IsNumber(value)
		case "message":
			message = value[0] == '"'
		}
	}
}
