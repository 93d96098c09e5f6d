package jsonrpc

import (
	"slices"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// request is a JSON-RPC request object as it came (JSON-RPC 4).
type request struct {
	id     []byte // nil without the member; a notification
	method string
	params []byte // nil without the member
}

// readRequest takes a request apart. Params are not checked but for what they
// are: the shared layer reads them.
func readRequest(body []byte) (request, error) {
	var r request
	s := strictjson.Scanner{In: body}
	switch s.Peek() {
	case '[':
		if _, err := s.Skip(); err != nil {
			return r, parseError(err)
		}
		return r, binding.Errorf(binding.InvalidRequest, "batches are not supported")
	case '{':
	default:
		if _, err := s.Skip(); err != nil {
			return r, parseError(err)
		}
		return r, binding.Errorf(binding.InvalidRequest, "a request must be an object")
	}
	var members [len(requestMembers)][]byte
	fault, err := readMembers(&s, requestMembers[:], members[:])
	version, method := members[0], members[2]
	r.id, r.params = members[1], members[3]
	if err != nil {
		return request{}, parseError(err)
	}
	if fault == nil && r.id != nil && !validID(r.id) {
		r.id = nil
		fault = binding.InvalidField("id", "must be a string, a number or null").WithCode(binding.InvalidRequest)
	}
	if fault != nil {
		return request{}, fault
	}
	if string(version) != `"2.0"` {
		return r, binding.InvalidField("jsonrpc", `must be "2.0"`).WithCode(binding.InvalidRequest)
	}
	if len(method) == 0 || method[0] != '"' {
		return r, binding.InvalidField("method", "must be a string").WithCode(binding.InvalidRequest)
	}
	r.method = plain(method)
	switch {
	case r.params == nil:
	case r.params[0] != '{':
		return r, binding.InvalidField("params", "must be an object")
	}
	return r, nil
}

// parseError is what a fault of syntax is to a JSON-RPC peer.
func parseError(err error) error {
	return binding.Errorf(binding.JSONParse, "%s", err.Error())
}

// The members of JSON-RPC's objects, in the order in which they are read into.
var (
	requestMembers  = [...]string{"jsonrpc", "id", "method", "params"}
	responseMembers = [...]string{"jsonrpc", "id", "result", "error"}
)

// readMembers reads an object: the values of the known members, in their
// order. fault is a member that is there twice or has a known name in another
// case; err is a fault of syntax. Other members are passed over.
func readMembers(s *strictjson.Scanner, known []string, values [][]byte) (fault *binding.Error, err error) {
	if err := s.Open('{'); err != nil {
		return nil, err
	}
	var others strictjson.Names
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil {
			return nil, err
		}
		if !more {
			return fault, s.End()
		}
		key, err := s.Key()
		if err != nil {
			return nil, err
		}
		value, err := s.Span()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(known, func(k string) bool { return k == string(key) })
		switch {
		case i >= 0 && values[i] == nil:
			values[i] = value
		case i >= 0, !others.Add(string(key)):
			fault = binding.InvalidField(string(key), "is there twice").WithCode(binding.InvalidRequest)
		case misspelt(string(key), known):
			fault = binding.InvalidField(string(key), "differs in case from the member's name").WithCode(binding.InvalidRequest)
		}
	}
}

func misspelt(key string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(key, k) })
}

func validID(id []byte) bool {
	if id[0] == '"' {
		s := strictjson.Scanner{In: id}
		_, err := s.Str()
		return err == nil
	}
	return string(id) == "null" || strictjson.IsNumber(id)
}

// plain is the value of a JSON string.
func plain(raw []byte) string {
	s := strictjson.Scanner{In: raw}
	b, err := s.Str()
	if err != nil {
		return ""
	}
	return string(b)
}

// response is a JSON-RPC response object as it came (JSON-RPC 5).
type response struct {
	id, result, err []byte
}

func readResponse(body []byte) (response, error) {
	var members [len(responseMembers)][]byte
	s := strictjson.Scanner{In: body}
	fault, err := readMembers(&s, responseMembers[:], members[:])
	if err == nil && fault != nil {
		err = fault
	}
	r := response{id: members[1], result: members[2], err: members[3]}
	if string(r.err) == "null" {
		r.err = nil
	}
	return r, err
}

// payload is the operation's answer in a response to the request id.
func (r response) payload(op *binding.Op, id string) (binding.Payload, error) {
	if r.err != nil {
		return binding.Payload{}, errmap.ReadJSONRPC(r.err)
	}
	if got := string(r.id); got != id && got != `"`+id+`"` {
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "jsonrpc: the answer is to another request")
	}
	if r.result == nil || string(r.result) == "null" {
		if op == binding.OpDeleteTaskPushNotificationConfig {
			return op.ResponseJSON([]byte("{}")), nil
		}
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "jsonrpc: the answer has neither result nor error")
	}
	return op.ResponseJSON(r.result), nil
}

func appendResult(dst, id []byte, p binding.Payload) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst, err := p.AppendJSON(dst)
	return append(dst, '}'), err
}

func appendError(dst, id []byte, err error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil || binding.CodeOf(err) == binding.JSONParse {
		dst = append(dst, "null"...) // JSON-RPC 5: a text that cannot be read has no id
	} else {
		dst = append(dst, id...)
	}
	dst = append(dst, `,"error":`...)
	dst = errmap.AppendJSONRPC(dst, err)
	return append(dst, '}')
}
