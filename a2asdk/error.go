package a2asdk

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"

	"github.com/a2awire/a2awire/binding"
)

// sentinels say which of the SDK's errors is which code. The first row of a
// code is what the code becomes, and the first of an error what it becomes.
var sentinels = [...]struct {
	code binding.Code
	err  error
}{
	{binding.TaskNotFound, a2a.ErrTaskNotFound},
	{binding.TaskNotCancelable, a2a.ErrTaskNotCancelable},
	{binding.PushNotificationNotSupported, a2a.ErrPushNotificationNotSupported},
	{binding.UnsupportedOperation, a2a.ErrUnsupportedOperation},
	{binding.ContentTypeNotSupported, a2a.ErrUnsupportedContentType},
	{binding.InvalidAgentResponse, a2a.ErrInvalidAgentResponse},
	{binding.ExtendedAgentCardNotConfigured, a2a.ErrExtendedCardNotConfigured},
	{binding.ExtensionSupportRequired, a2a.ErrExtensionSupportRequired},
	{binding.VersionNotSupported, a2a.ErrVersionNotSupported},

	{binding.JSONParse, a2a.ErrParseError},
	{binding.InvalidRequest, a2a.ErrInvalidRequest},
	{binding.MethodNotFound, a2a.ErrMethodNotFound},
	{binding.InvalidParams, a2a.ErrInvalidParams},
	{binding.Internal, a2a.ErrInternalError},

	{binding.Unauthenticated, a2a.ErrUnauthenticated},
	{binding.PermissionDenied, a2a.ErrUnauthorized},
	{binding.Canceled, context.Canceled},
	{binding.DeadlineExceeded, context.DeadlineExceeded},

	// What only one side has a name for.
	{binding.TaskNotFound, push.ErrPushConfigNotFound}, // spec 3.1.8
	{binding.Internal, a2a.ErrServerError},
	{binding.Unavailable, a2a.ErrInternalError},
	{binding.ResourceExhausted, a2a.ErrServerError},
}

func codeOf(err error) (binding.Code, bool) {
	for _, s := range sentinels {
		if s.err == err { //nolint:errorlint // each error of a chain is asked
			return s.code, true
		}
	}
	return "", false
}

func sentinelOf(code binding.Code) error {
	for _, s := range sentinels {
		if s.code == code {
			return s.err
		}
	}
	return a2a.ErrInternalError
}

// first is the error in a chain that decides, in the order of errors.Is: an
// [*binding.Error] or one of the sentinels. It is nil when there is none.
func first(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*binding.Error); ok && e != nil { //nolint:errorlint // so is each here
		return e
	}
	if _, ok := codeOf(err); ok {
		return err
	}
	switch u := err.(type) { //nolint:errorlint // and what they wrap comes next
	case interface{ Unwrap() error }:
		return first(u.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if f := first(e); f != nil {
				return f
			}
		}
	}
	return nil
}

// fromError is what a handler failed with, as an agent says it. An error of
// the SDK keeps its words, which its own servers tell the caller, too; of any
// other the caller is told nothing.
func fromError(err error) error {
	if err == nil {
		return nil
	}
	var worded *a2a.Error
	hasWords := errors.As(err, &worded) && worded != nil
	decides := first(err)
	if own, ok := decides.(*binding.Error); ok { //nolint:errorlint // what first found
		if own.Text() == err.Error() {
			return own
		}
		return binding.Flatten(err) // with the words around it
	}
	switch code, ok := codeOf(decides); {
	case errors.Is(decides, context.Canceled), errors.Is(decides, context.DeadlineExceeded):
		return binding.Flatten(decides)
	case ok:
		return withDetails(&binding.Error{Code: code, Message: err.Error()}, worded)
	case hasWords:
		return withDetails(&binding.Error{Code: binding.Internal, Message: err.Error(), Cause: err}, worded)
	}
	return binding.Flatten(err)
}

// toError is what an agent failed with, for callers who know the SDK's errors:
// it is one of the SDK's sentinels, an [*a2a.Error] with the details, and the
// [*binding.Error] that it came from.
func toError(err error) *a2a.Error {
	own := binding.Flatten(err)
	return &a2a.Error{Err: reason{own, sentinelOf(own.Code)}, Message: own.Text(), TypedDetails: toDetails(own)}
}

// reason is an error under both of its names.
type reason struct {
	own      *binding.Error
	sentinel error
}

func (r reason) Error() string { return r.own.Error() }

func (r reason) Unwrap() []error { return []error{r.own, r.sentinel} }
