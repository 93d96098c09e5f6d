package errmap

import (
	"net/http"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/a2awire/a2awire/binding"
)

// Row is one error on every wire.
type Row struct {
	Code    binding.Code
	JSONRPC int
	GRPC    code.Code
	HTTP    int
}

// table is ordered: of several rows with one wire code, the first is what that
// code alone means (spec 5.4 of 1.0.1, spec 9.5, and spec 3.3.2's categories).
var table = [...]Row{
	{binding.TaskNotFound, -32001, code.Code_NOT_FOUND, http.StatusNotFound},
	{binding.InvalidParams, -32602, code.Code_INVALID_ARGUMENT, http.StatusBadRequest},
	{binding.Internal, -32603, code.Code_INTERNAL, http.StatusInternalServerError},
	{binding.UnsupportedOperation, -32004, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},
	{binding.TaskNotCancelable, -32002, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},
	{binding.PushNotificationNotSupported, -32003, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},
	{binding.ContentTypeNotSupported, -32005, code.Code_INVALID_ARGUMENT, http.StatusBadRequest},
	{binding.InvalidAgentResponse, -32006, code.Code_INTERNAL, http.StatusInternalServerError},
	{binding.ExtendedAgentCardNotConfigured, -32007, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},
	{binding.ExtensionSupportRequired, -32008, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},
	{binding.VersionNotSupported, -32009, code.Code_FAILED_PRECONDITION, http.StatusBadRequest},

	{binding.JSONParse, -32700, code.Code_INVALID_ARGUMENT, http.StatusBadRequest},
	{binding.InvalidRequest, -32600, code.Code_INVALID_ARGUMENT, http.StatusBadRequest},
	{binding.MethodNotFound, -32601, code.Code_UNIMPLEMENTED, http.StatusNotFound},

	{binding.Unauthenticated, -31401, code.Code_UNAUTHENTICATED, http.StatusUnauthorized},
	{binding.PermissionDenied, -31403, code.Code_PERMISSION_DENIED, http.StatusForbidden},
	{binding.ResourceExhausted, -32000, code.Code_RESOURCE_EXHAUSTED, http.StatusTooManyRequests},
	{binding.Unavailable, -32603, code.Code_UNAVAILABLE, http.StatusServiceUnavailable},
	{binding.DeadlineExceeded, -32603, code.Code_DEADLINE_EXCEEDED, http.StatusGatewayTimeout},
	{binding.Canceled, -32603, code.Code_CANCELLED, statusClientClosed},
}

// statusClientClosed is what google.rpc.Code names for CANCELLED.
const statusClientClosed = 499

// Table is the table, for documents and tests.
func Table() []Row { return append([]Row(nil), table[:]...) }

// internalRow is the row of codes that have none.
const internalRow = 2

func rowOf(c binding.Code) *Row {
	for i := range table {
		if table[i].Code == c {
			return &table[i]
		}
	}
	return &table[internalRow]
}

// Codes that only others write, by what they mean here.
var (
	otherReasons = map[string]binding.Code{
		"UNAUTHORIZED":                 binding.PermissionDenied, // the official Go SDK
		"INTERNAL":                     binding.Internal,
		"INVALID_ARGUMENT":             binding.InvalidParams,
		"NOT_FOUND":                    binding.TaskNotFound,
		"UNIMPLEMENTED":                binding.UnsupportedOperation,
		"EXTENDED_CARD_NOT_CONFIGURED": binding.ExtendedAgentCardNotConfigured,
		"UNSUPPORTED_CONTENT_TYPE":     binding.ContentTypeNotSupported,
	}
	otherGRPC = map[code.Code]binding.Code{
		code.Code_UNIMPLEMENTED:  binding.UnsupportedOperation, // so in 1.0.0
		code.Code_ALREADY_EXISTS: binding.InvalidParams,
		code.Code_OUT_OF_RANGE:   binding.InvalidParams,
	}
	otherHTTP = map[int]binding.Code{
		http.StatusMethodNotAllowed:      binding.MethodNotFound,
		http.StatusConflict:              binding.TaskNotCancelable, // so in 1.0.0
		http.StatusRequestEntityTooLarge: binding.ResourceExhausted,
		http.StatusUnsupportedMediaType:  binding.ContentTypeNotSupported,
		http.StatusNotImplemented:        binding.UnsupportedOperation,
		http.StatusRequestTimeout:        binding.Unavailable,
		http.StatusBadGateway:            binding.Unavailable,
		http.StatusGatewayTimeout:        binding.Unavailable, // a proxy's; the caller's own deadline is not a status
	}
)

func byReason(reason string) (binding.Code, bool) {
	if c := binding.Code(reason); c.Known() {
		return c, true
	}
	c, ok := otherReasons[reason]
	return c, ok
}

func byJSONRPC(n int) (binding.Code, bool) {
	for i := range table {
		if table[i].JSONRPC == n {
			return table[i].Code, true
		}
	}
	return binding.Internal, false
}

func byGRPC(c code.Code) binding.Code {
	if x, ok := otherGRPC[c]; ok {
		return x
	}
	for i := range table {
		if table[i].GRPC == c {
			return table[i].Code
		}
	}
	return binding.Internal
}

func byHTTP(status int) binding.Code {
	if x, ok := otherHTTP[status]; ok {
		return x
	}
	for i := range table {
		if table[i].HTTP == status && status != http.StatusBadRequest {
			return table[i].Code
		}
	}
	switch {
	case status >= 400 && status < 500:
		return binding.InvalidParams
	case status > http.StatusInternalServerError:
		return binding.Unavailable
	}
	return binding.Internal
}
