//go:build interop

package leg

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// Problems are what a check finds wrong with an outcome. A known fault of a peer
// must still have some.
func Problems[O any](is func(require.TestingT, O), o O) (found []string) {
	r := new(recorder)
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
		found = r.found
	}()
	is(r, o)
	return r.found
}

// recorder takes note of what a test would fail with.
type recorder struct{ found []string }

func (r *recorder) Errorf(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

// FailNow leaves the check, to be recovered by who made the recorder.
func (r *recorder) FailNow() { panic(r) }

// Asked are the errors that the reference agent gives when it is asked to, by
// name, and what details they have beside ErrorInfo, LocalizedMessage and Help.
func Asked() []AskedError {
	return []AskedError{
		{"TaskNotFoundError", binding.TaskNotFound, nil, true},
		{"TaskNotCancelableError", binding.TaskNotCancelable, nil, true},
		{"PushNotificationNotSupportedError", binding.PushNotificationNotSupported, nil, true},
		{"UnsupportedOperationError", binding.UnsupportedOperation, nil, true},
		{"ContentTypeNotSupportedError", binding.ContentTypeNotSupported, []string{"BadRequest"}, true},
		{"InvalidAgentResponseError", binding.InvalidAgentResponse, nil, true},
		{"ExtendedAgentCardNotConfiguredError", binding.ExtendedAgentCardNotConfigured, nil, true},
		{"ExtensionSupportRequiredError", binding.ExtensionSupportRequired, nil, true},
		{"VersionNotSupportedError", binding.VersionNotSupported, nil, true},
		{"InvalidRequestError", binding.InvalidRequest, []string{"BadRequest"}, false},
		{"MethodNotFoundError", binding.MethodNotFound, nil, false},
		{"InvalidParamsError", binding.InvalidParams, []string{"BadRequest"}, false},
		{"InternalError", binding.Internal, nil, false},
		{"UnauthenticatedError", binding.Unauthenticated, nil, false},
		{"PermissionDeniedError", binding.PermissionDenied, nil, false},
		{"UnavailableError", binding.Unavailable, []string{"RetryInfo"}, false},
		{"ResourceExhaustedError", binding.ResourceExhausted, []string{"RetryInfo"}, false},
		{"DeadlineExceededError", binding.DeadlineExceeded, nil, false},
		{"CanceledError", binding.Canceled, nil, false},
	}
}

// AskedError is one of [Asked].
type AskedError struct {
	Name    string
	Code    binding.Code
	Details []string
	// Specified is an error of A2A itself (spec 3.3.2).
	Specified bool
}
