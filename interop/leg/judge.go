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
		{"TaskNotFoundError", binding.TaskNotFound, nil},
		{"TaskNotCancelableError", binding.TaskNotCancelable, nil},
		{"PushNotificationNotSupportedError", binding.PushNotificationNotSupported, nil},
		{"UnsupportedOperationError", binding.UnsupportedOperation, nil},
		{"ContentTypeNotSupportedError", binding.ContentTypeNotSupported, []string{"BadRequest"}},
		{"InvalidAgentResponseError", binding.InvalidAgentResponse, nil},
		{"ExtendedAgentCardNotConfiguredError", binding.ExtendedAgentCardNotConfigured, nil},
		{"ExtensionSupportRequiredError", binding.ExtensionSupportRequired, nil},
		{"VersionNotSupportedError", binding.VersionNotSupported, nil},
		{"InvalidRequestError", binding.InvalidRequest, []string{"BadRequest"}},
		{"MethodNotFoundError", binding.MethodNotFound, nil},
		{"InvalidParamsError", binding.InvalidParams, []string{"BadRequest"}},
		{"InternalError", binding.Internal, nil},
		{"UnauthenticatedError", binding.Unauthenticated, nil},
		{"PermissionDeniedError", binding.PermissionDenied, nil},
		{"UnavailableError", binding.Unavailable, []string{"RetryInfo"}},
		{"ResourceExhaustedError", binding.ResourceExhausted, []string{"RetryInfo"}},
		{"DeadlineExceededError", binding.DeadlineExceeded, nil},
		{"CanceledError", binding.Canceled, nil},
	}
}

// AskedError is one of [Asked].
type AskedError struct {
	Name    string
	Code    binding.Code
	Details []string
}
