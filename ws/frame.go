package ws

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// request is a client's frame: the texts of its members, nil for what is not
// there. A method makes it a call, cancelStream or streamCredit what they say;
// with none of them it is of a kind that is not known, and passed over.
type request struct {
	version, id, method, params, serviceParams, streamWindow, cancelStream, streamCredit []byte
}

var requestMembers = [...]string{"jsonrpc", "id", "method", "params", "serviceParams", "streamWindow", "cancelStream", "streamCredit"}

// readRequest takes a client's frame apart.
func readRequest(frame []byte) (request, error) {
	var m [len(requestMembers)][]byte
	err := rpc.ReadObject(frame, requestMembers[:], m[:])
	return request{m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7]}, err
}

// call is the frame as a request object with an id that can be answered.
func (f request) call() (rpc.Request, error) {
	r, err := rpc.NewRequest(f.version, f.id, f.method, f.params)
	if err != nil {
		return r, err
	}
	if r.ID == nil || string(r.ID) == "null" {
		return rpc.Request{}, binding.InvalidField("id", "is required, and not null: notifications are not executed").WithCode(binding.InvalidRequest)
	}
	return r, nil
}

// unfinished reports whether a frame without a method looks like a call all
// the same, whose sender should not wait for ever.
func (f request) unfinished() bool { return f.params != nil || f.serviceParams != nil }

// response is a server's frame: the texts of its members, nil for what is not there.
type response struct {
	id, result, err, streamEnd, serviceParams, control []byte
}

var responseMembers = [...]string{"jsonrpc", "id", "result", "error", "streamEnd", "serviceParams", "control"}

// resultMember is the only one that may be null.
const resultMember = 2

// readResponse takes a server's frame apart.
func readResponse(frame []byte) (response, error) {
	var m [len(responseMembers)][]byte
	err := rpc.ReadObject(frame, responseMembers[:], m[:])
	for i := range m {
		if i != resultMember && string(m[i]) == "null" { // says no more than absence
			m[i] = nil
		}
	}
	return response{m[1], m[2], m[3], m[4], m[5], m[6]}, err
}

// number is the id of a call that this client made.
func (f response) number() (uint64, bool) {
	id := f.id
	if n := len(id); n > 2 && id[0] == '"' {
		id = id[1 : n-1]
	}
	n, err := strconv.ParseUint(string(id), 10, 64)
	return n, err == nil
}

// readParams reads a flat map of strings into service parameters (spec 3.2.6).
func readParams(raw []byte, into binding.Params) error {
	s := strictjson.Scanner{In: raw}
	if s.Peek() != '{' {
		return binding.InvalidField("serviceParams", "must be an object of strings")
	}
	_ = s.Open('{')
	var seen strictjson.Names
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil {
			return binding.InvalidField("serviceParams", "%s", err.Error())
		}
		if !more {
			return nil
		}
		key, err := s.Key()
		if err != nil {
			return binding.InvalidField("serviceParams", "%s", err.Error())
		}
		name := foldKey(key)
		if !seen.Add(string(key)) {
			return binding.InvalidField("serviceParams."+name, "is there twice")
		}
		if s.Peek() != '"' {
			return binding.InvalidField("serviceParams."+name, "must be a string")
		}
		value, err := s.Str()
		if err != nil {
			return binding.InvalidField("serviceParams."+name, "%s", err.Error())
		}
		into.Add(name, foldValue(value))
	}
}

// The parameters of nearly every call need no string of their own.

func foldKey(key []byte) string {
	if string(key) == binding.ParamVersion {
		return binding.ParamVersion
	}
	return strings.ToLower(string(key))
}

func foldValue(value []byte) string {
	if string(value) == binding.Version {
		return binding.Version
	}
	return string(value)
}

// readCount reads a number of items; field names it in the error.
func readCount(field string, raw []byte) (int, error) {
	n, err := strconv.ParseUint(string(raw), 10, 32)
	if err != nil || n < 1 || n > mux.MaxGrant {
		return 0, binding.InvalidField(field, "must be a whole number from 1 to %d", mux.MaxGrant)
	}
	return int(n), nil
}

// appendParams appends service parameters as a member, nothing for none.
func appendParams(dst []byte, params func(yield func(k, v string) bool)) []byte {
	start := len(dst)
	dst = append(dst, `,"serviceParams":{`...)
	none := len(dst)
	for k, v := range params {
		if len(dst) > none {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, k)
		dst = append(dst, ':')
		dst = strictjson.AppendString(dst, v)
	}
	if len(dst) == none {
		return dst[:start]
	}
	return append(dst, '}')
}

// sorted ranges over parameters in the order of their keys.
func sorted(p binding.Params) func(yield func(k, v string) bool) {
	return func(yield func(k, v string) bool) {
		keys := make([]string, 0, len(p))
		for k := range p {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if !yield(k, p[k]) {
				return
			}
		}
	}
}

// appendReply adds the parameters of an answer to a frame that is complete but
// for them.
func appendReply(frame []byte, reply binding.Params) []byte {
	if len(reply) == 0 {
		return frame
	}
	return append(appendParams(frame[:len(frame)-1], sorted(reply)), '}')
}

func appendID(dst []byte, n uint64) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, n, 10)
	return append(dst, '"')
}

// appendSignal appends a frame without method, of one member.
func appendSignal(dst, id []byte, member string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, ',')
	dst = append(dst, member...)
	return append(dst, '}')
}

const (
	streamEnd    = `"streamEnd":true`
	cancelStream = `"cancelStream":true`
	streamCredit = `"streamCredit":`

	// reauthenticate asks a client for a new credential (control).
	reauthenticate = "ReauthenticationRequired"
	// methodAuthenticate brings it.
	methodAuthenticate = "Authenticate"
)
