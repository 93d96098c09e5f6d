package mqtt

import (
	"strconv"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/rpc"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// transportErrors holds the errors of the transport, by a2a_error. Their data
// is an object with that member (EMQ 0.1), that of A2A and JSON-RPC errors an
// array: the codes overlap, the shape tells them apart.
var transportErrors = map[string]struct {
	number int
	code   binding.Code
}{
	"request_expired":          {-32003, binding.DeadlineExceeded},
	"responder_unavailable":    {-32004, binding.Unavailable},
	"transport_protocol_error": {-32005, binding.InvalidRequest},
	payloadTooLarge:            {-32000, binding.ResourceExhausted},
}

const payloadTooLarge = "payload_too_large"

var (
	errorMembers = [...]string{"code", "message", "data"}
	dataMembers  = [...]string{"a2a_error", "details"}
)

// appendTransportError appends a response with an error of the transport. An
// error of another kind than name's is written as name's all the same.
func appendTransportError(dst, id []byte, name string, err error) []byte {
	var m [len(errorMembers)][]byte
	_ = rpc.ReadObject(errmap.AppendJSONRPC(nil, err), errorMembers[:], m[:]) // it was written just now
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(transportErrors[name].number), 10)
	dst = append(dst, `,"message":`...)
	dst = append(dst, m[1]...)
	dst = append(dst, `,"data":{"a2a_error":`...)
	dst = strictjson.AppendString(dst, name)
	dst = append(dst, `,"details":`...)
	dst = append(dst, m[2]...)
	return append(dst, "}}}"...)
}

// readTransportError reads an error object if it is one of the transport's.
func readTransportError(raw []byte) (*binding.Error, bool) {
	var m [len(errorMembers)][]byte
	var d [len(dataMembers)][]byte
	readable := rpc.ReadObject(raw, errorMembers[:], m[:]) == nil && m[2] != nil &&
		rpc.ReadObject(m[2], dataMembers[:], d[:]) == nil // an array is none
	kind, known := transportErrors[rpc.Text(d[0])]
	if !readable || !known || m[0] == nil || m[1] == nil {
		return nil, false
	}
	if d[1] == nil {
		d[1] = []byte("[]")
	}
	plain := append([]byte(`{"code":`), m[0]...)
	plain = append(append(plain, `,"message":`...), m[1]...)
	plain = append(append(append(plain, `,"data":`...), d[1]...), '}')
	e := errmap.ReadJSONRPC(plain)
	e.Code = kind.code
	return e, true
}
