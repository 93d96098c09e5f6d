package a2asdk

import (
	"context"
	"errors"
	"iter"

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

// chain ranges over an error and all that it wraps, in the order of errors.Is.
// What an [*binding.Error] has for a Cause is not among them: it is for this
// side alone.
func chain(err error) iter.Seq[error] {
	return func(yield func(error) bool) { walk(err, yield) }
}

func walk(err error, yield func(error) bool) bool {
	if err == nil {
		return true
	}
	if !yield(err) {
		return false
	}
	switch u := err.(type) { //nolint:errorlint // each error of a chain is asked
	case *binding.Error:
	case interface{ Unwrap() error }:
		return walk(u.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if !walk(e, yield) {
				return false
			}
		}
	}
	return true
}

// first is the error in a chain that decides: an [*binding.Error] or one of
// the sentinels. It is nil when there is none.
func first(err error) error {
	for e := range chain(err) {
		if own, ok := e.(*binding.Error); ok && own != nil { //nolint:errorlint // so is each here
			return e
		}
		if _, ok := codeOf(e); ok {
			return e
		}
	}
	return nil
}

// fromError is what a handler failed with, as an agent says it. An error of
// the SDK keeps its words, which its own servers tell the caller, too, and its
// details; of any other the caller is told nothing.
func fromError(err error) error {
	if err == nil {
		return nil
	}
	decides, worded := first(err), sdkErrors(err)
	own, ok := decides.(*binding.Error) //nolint:errorlint // what first found
	code, known := codeOf(decides)
	var e *binding.Error
	switch {
	case ok && own.Text() == err.Error():
		e = own
	case ok:
		e = binding.Flatten(err) // with the words around it
	case errors.Is(decides, context.Canceled), errors.Is(decides, context.DeadlineExceeded):
		e = binding.Flatten(decides)
	case known:
		e = &binding.Error{Code: code, Message: err.Error()}
	case len(worded) > 0:
		e = &binding.Error{Code: binding.Internal, Message: err.Error(), Cause: err}
	default:
		return binding.Flatten(err)
	}
	return withDetails(e, decides, worded)
}

// sdkErrors are the SDK's errors in a chain, the outermost first.
func sdkErrors(err error) (out []*a2a.Error) {
	for e := range chain(err) {
		if sdk, ok := e.(*a2a.Error); ok && sdk != nil { //nolint:errorlint // each of a chain, too
			out = append(out, sdk)
		}
	}
	return out
}

// toError is what an agent failed with, for callers who know the SDK's errors:
// it is one of the SDK's sentinels, an [*a2a.Error] with the details, and the
// [*binding.Error] that it came from, without its Cause. The SDK's servers take
// any sentinel or gRPC status of the chain for the error's, and a cause may be
// another one.
func toError(err error) *a2a.Error {
	own := *binding.Flatten(err)
	own.Cause = nil
	return &a2a.Error{Err: reason{&own, sentinelOf(own.Code)}, Message: own.Text(), TypedDetails: toDetails(&own)}
}

// reason is an error under both of its names.
type reason struct {
	own      *binding.Error
	sentinel error
}

func (r reason) Error() string { return r.own.Error() }

func (r reason) Unwrap() []error { return []error{r.own, r.sentinel} }
