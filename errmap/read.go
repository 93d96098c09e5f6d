package errmap

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/a2awire/a2awire/binding"
)

// wireError is an error that the far agent sent. fallback is what its code or
// status alone means.
func wireError(fallback binding.Code, message string, details []*anypb.Any) *binding.Error {
	e := &binding.Error{Code: fallback, Message: message, Details: details, Remote: true}
	for _, d := range details {
		info := new(errdetails.ErrorInfo)
		if !d.MessageIs(info) || d.UnmarshalTo(info) != nil {
			continue
		}
		if c, ok := byReason(info.GetReason()); ok && (info.GetDomain() == binding.Domain || info.GetDomain() == "") {
			e.Code = c
			return e
		}
	}
	return e
}
