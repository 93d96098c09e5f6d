package errmap

import (
	"strconv"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// codeKey is the ErrorInfo metadata entry that keeps a JSON-RPC code which
// this table does not have, over any wire.
const codeKey = "jsonrpcCode"

// JSONRPC is the JSON-RPC code of an error.
func JSONRPC(err error) int {
	e := binding.Flatten(err)
	if n, perr := strconv.Atoi(e.Info().GetMetadata()[codeKey]); perr == nil && e.Code == binding.Internal {
		return n
	}
	return rowOf(e.Code).JSONRPC
}

// AppendJSONRPC appends a JSON-RPC error object (spec 9.5).
func AppendJSONRPC(dst []byte, err error) []byte {
	e := binding.Flatten(err)
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(JSONRPC(e)), 10)
	dst = append(dst, `,"message":`...)
	dst = strictjson.AppendString(dst, clean(e.Text()))
	dst = append(dst, `,"data":`...)
	dst = appendDetails(dst, e.Details)
	return append(dst, '}')
}

// ReadJSONRPC reads a JSON-RPC error object, whatever its data. Text that is
// none is an InvalidAgentResponse.
func ReadJSONRPC(raw []byte) *binding.Error {
	var code, message, data []byte
	err := members(raw, func(key string, value []byte) {
		switch key {
		case "code":
			code = value
		case "message":
			message = value
		case "data":
			data = value
		}
	})
	n, perr := strconv.Atoi(string(code))
	if err != nil || perr != nil {
		return binding.Errorf(binding.InvalidAgentResponse, "not a JSON-RPC error object")
	}
	c, known := byJSONRPC(n)
	e := wireError(c, text(message), readDetails(data))
	if !known && e.Code == binding.Internal && e.Info() == nil {
		e = e.WithInfo(codeKey, strconv.Itoa(n))
	}
	return e
}

// members ranges over the members of an object.
func members(raw []byte, f func(key string, value []byte)) error {
	s := strictjson.Scanner{In: raw}
	if err := s.Open('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.More('}', first)
		if err != nil || !more {
			return err
		}
		key, err := s.Key()
		if err != nil {
			return err
		}
		value, err := s.Skip()
		if err != nil {
			return err
		}
		f(string(key), value)
	}
}

// text is a JSON string's value, or the JSON itself of anything else.
func text(raw []byte) string {
	s := strictjson.Scanner{In: raw}
	if s.Peek() != '"' {
		return string(raw)
	}
	b, err := s.Str()
	if err != nil {
		return ""
	}
	return string(b)
}
