package refagent

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/a2awire/a2awire/binding"
)

// fault is an error that a client can ask for.
type fault struct {
	code    binding.Code
	details func(name string) []proto.Message // beside those that every fault has
}

// faults are the errors by the names of spec 3.3.2 and 9.5, and those that a
// server's guard or transport gives, named in the same way.
var faults = map[string]fault{
	"TaskNotFoundError":                   {code: binding.TaskNotFound},
	"TaskNotCancelableError":              {code: binding.TaskNotCancelable},
	"PushNotificationNotSupportedError":   {code: binding.PushNotificationNotSupported},
	"UnsupportedOperationError":           {code: binding.UnsupportedOperation},
	"ContentTypeNotSupportedError":        {code: binding.ContentTypeNotSupported, details: badRequest},
	"InvalidAgentResponseError":           {code: binding.InvalidAgentResponse},
	"ExtendedAgentCardNotConfiguredError": {code: binding.ExtendedAgentCardNotConfigured},
	"ExtensionSupportRequiredError":       {code: binding.ExtensionSupportRequired},
	"VersionNotSupportedError":            {code: binding.VersionNotSupported},

	"JSONParseError":      {code: binding.JSONParse},
	"InvalidRequestError": {code: binding.InvalidRequest, details: badRequest},
	"MethodNotFoundError": {code: binding.MethodNotFound},
	"InvalidParamsError":  {code: binding.InvalidParams, details: badRequest},
	"InternalError":       {code: binding.Internal},

	"UnauthenticatedError":   {code: binding.Unauthenticated},
	"PermissionDeniedError":  {code: binding.PermissionDenied},
	"UnavailableError":       {code: binding.Unavailable, details: retry},
	"ResourceExhaustedError": {code: binding.ResourceExhausted, details: retry},
	"DeadlineExceededError":  {code: binding.DeadlineExceeded},
	"CanceledError":          {code: binding.Canceled},
}

func isFault(name string) bool { _, ok := faults[name]; return ok }

// newFault is the error of that name, with an ErrorInfo that has metadata, a
// LocalizedMessage and a Help, and what goes with its kind.
func newFault(name string) *binding.Error {
	f := faults[name]
	e := binding.Errorf(f.code, "%s, as asked", name).WithInfo("error", name).WithInfo("raisedBy", "refagent")
	if f.details != nil {
		e = e.With(f.details(name)...)
	}
	return e.With(
		&errdetails.LocalizedMessage{Locale: "de-DE", Message: name + ", wie gewünscht"},
		&errdetails.Help{Links: []*errdetails.Help_Link{{
			Description: "Error handling in the A2A specification",
			Url:         "https://a2a-protocol.org/latest/specification/#332-error-handling",
		}}},
	)
}

func badRequest(name string) []proto.Message {
	return []proto.Message{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "message.parts[0].text", Description: "asks for " + name},
	}}}
}

func retry(string) []proto.Message {
	return []proto.Message{&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)}}
}
