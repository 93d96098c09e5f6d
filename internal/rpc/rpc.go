// Package rpc reads and writes the objects of JSON-RPC 2.0 that bindings put on
// their wires, strictly: no duplicate members, none in another case.
package rpc

import (
	"slices"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// Request is a JSON-RPC request object as it came (JSON-RPC 4).
type Request struct {
	ID     []byte // as text; nil without the member, which is a notification
	Method string
	Params []byte // nil without the member
}

// ReadRequest takes a request apart. Params are not checked but for what they
// are: the shared layer reads them.
func ReadRequest(body []byte) (Request, error) {
	var m [len(requestMembers)][]byte
	if err := ReadObject(body, requestMembers[:], m[:]); err != nil {
		return Request{}, err
	}
	return NewRequest(m[0], m[1], m[2], m[3])
}

// NewRequest is a request of the texts of its members, nil for what is not
// there. An error comes with the ID if that is one.
func NewRequest(version, id, method, params []byte) (Request, error) {
	if id != nil && !ValidID(id) {
		return Request{}, binding.InvalidField("id", "must be a string, a number or null").WithCode(binding.InvalidRequest)
	}
	r := Request{ID: id, Params: params}
	if string(version) != `"2.0"` {
		return r, binding.InvalidField("jsonrpc", `must be "2.0"`).WithCode(binding.InvalidRequest)
	}
	if len(method) == 0 || method[0] != '"' {
		return r, binding.InvalidField("method", "must be a string").WithCode(binding.InvalidRequest)
	}
	r.Method = Text(method)
	if params != nil && params[0] != '{' {
		return r, binding.InvalidField("params", "must be an object")
	}
	return r, nil
}

// Payload is the request of an operation, nil for none.
func (r Request) Payload(op *binding.Op) binding.Payload {
	switch {
	case op == nil:
		return binding.Payload{}
	case r.Params == nil:
		return op.RequestJSON([]byte("{}"))
	}
	return op.RequestJSON(r.Params)
}

// ReadObject reads the values of the known members of an object, in their
// order; others are passed over. What is not an object, and a batch, is an
// InvalidRequest; what is not JSON is a JSONParse error.
func ReadObject(body []byte, known []string, values [][]byte) error {
	s := strictjson.Scanner{In: body}
	if c := s.Peek(); c != '{' {
		if _, err := s.Skip(); err != nil {
			return parseError(err)
		}
		if c == '[' {
			return binding.Errorf(binding.InvalidRequest, "batches are not supported")
		}
		return binding.Errorf(binding.InvalidRequest, "not an object")
	}
	fault, err := members(&s, known, values)
	if err != nil {
		return parseError(err)
	}
	if fault != nil {
		return fault
	}
	return nil
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

// members reads an object: the values of the known members, in their
// order. fault is a member that is there twice or has a known name in another
// case; err is a fault of syntax. Other members are passed over.
func members(s *strictjson.Scanner, known []string, values [][]byte) (fault *binding.Error, err error) {
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
		i := slices.IndexFunc(known, func(k string) bool { return k == string(key) })
		read := s.Span
		if i < 0 {
			read = s.Skip // nobody else checks it
		}
		value, err := read()
		if err != nil {
			return nil, err
		}
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

// ValidID reports whether JSON text is a string, a number or null.
func ValidID(id []byte) bool {
	if id[0] == '"' {
		s := strictjson.Scanner{In: id}
		_, err := s.Str()
		return err == nil
	}
	return string(id) == "null" || strictjson.IsNumber(id)
}

// Text is the value of a JSON string.
func Text(raw []byte) string {
	s := strictjson.Scanner{In: raw}
	b, err := s.Str()
	if err != nil {
		return ""
	}
	return string(b)
}

// Response is a JSON-RPC response object as it came (JSON-RPC 5).
type Response struct {
	ID, Result, Error []byte // as text; nil without the member
}

// ReadResponse takes a response apart.
func ReadResponse(body []byte) (Response, error) {
	var m [len(responseMembers)][]byte
	err := ReadObject(body, responseMembers[:], m[:])
	return NewResponse(m[1], m[2], m[3]), err
}

// NewResponse is a response of the texts of its members, nil for what is not there.
func NewResponse(id, result, e []byte) Response {
	if string(e) == "null" {
		e = nil
	}
	return Response{ID: id, Result: result, Error: e}
}

// Payload is the operation's answer in a response to the request id.
func (r Response) Payload(op *binding.Op, id string) (binding.Payload, error) {
	if r.Error != nil {
		return binding.Payload{}, errmap.ReadJSONRPC(r.Error)
	}
	if got := string(r.ID); got != id && got != `"`+id+`"` {
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "the answer is to another request")
	}
	return r.Answer(op)
}

// Answer is Payload for who knows already which request the response is to.
func (r Response) Answer(op *binding.Op) (binding.Payload, error) {
	if r.Error != nil {
		return binding.Payload{}, errmap.ReadJSONRPC(r.Error)
	}
	if r.Result == nil || string(r.Result) == "null" {
		if op == binding.OpDeleteTaskPushNotificationConfig {
			return op.ResponseJSON([]byte("{}")), nil
		}
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "the answer has neither result nor error")
	}
	return op.ResponseJSON(r.Result), nil
}

// AppendCall appends a request without its closing brace, for what a wire adds.
func AppendCall(dst []byte, id, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"method":"`...)
	dst = append(dst, method...)
	dst = append(dst, `","params":`...)
	return append(dst, params...)
}

// AppendResult appends a response with a result.
func AppendResult(dst, id []byte, p binding.Payload) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst, err := p.AppendJSON(dst)
	return append(dst, '}'), err
}

// AppendError appends a response with an error. The id of a text that cannot be
// read is null (JSON-RPC 5).
func AppendError(dst, id []byte, err error) []byte {
	if binding.CodeOf(err) == binding.JSONParse {
		id = nil
	}
	return AppendErrorTo(dst, id, err)
}

// AppendErrorTo is AppendError for wires where only the id tells whose the
// error is. A nil id is null.
func AppendErrorTo(dst, id []byte, err error) []byte {
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":`...)
	dst = errmap.AppendJSONRPC(dst, err)
	return append(dst, '}')
}
