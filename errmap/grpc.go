package errmap

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/status"

	"github.com/a2awire/a2awire/binding"
)

// Status is an error as a google.rpc.Status (spec 10.6).
func Status(err error) *status.Status {
	e := binding.Flatten(err)
	return &status.Status{Code: int32(rowOf(e.Code).GRPC), Message: clean(e.Text()), Details: e.Details}
}

// ReadStatus reads a google.rpc.Status that is not OK.
func ReadStatus(s *status.Status) *binding.Error {
	return wireError(byGRPC(code.Code(s.GetCode())), s.GetMessage(), s.GetDetails())
}

// clean is text that protobuf and JSON can carry.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
