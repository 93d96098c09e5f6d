package binding

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/a2awire/a2awire/internal/datamodel"
)

// Domain is the ErrorInfo domain of the A2A protocol (spec 9.5, 10.6, 11.6).
const Domain = "a2a-protocol.org"

// Code says what went wrong, the same on every wire. It is the reason of the
// error's google.rpc.ErrorInfo, which every error carries.
type Code string

// The nine A2A errors (spec 3.3.2).
const (
	TaskNotFound                   Code = "TASK_NOT_FOUND"
	TaskNotCancelable              Code = "TASK_NOT_CANCELABLE"
	PushNotificationNotSupported   Code = "PUSH_NOTIFICATION_NOT_SUPPORTED"
	UnsupportedOperation           Code = "UNSUPPORTED_OPERATION"
	ContentTypeNotSupported        Code = "CONTENT_TYPE_NOT_SUPPORTED"
	InvalidAgentResponse           Code = "INVALID_AGENT_RESPONSE"
	ExtendedAgentCardNotConfigured Code = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	ExtensionSupportRequired       Code = "EXTENSION_SUPPORT_REQUIRED"
	VersionNotSupported            Code = "VERSION_NOT_SUPPORTED"
)

// The five errors of JSON-RPC (spec 9.5), which the other wires have too.
const (
	JSONParse      Code = "PARSE_ERROR"
	InvalidRequest Code = "INVALID_REQUEST"
	MethodNotFound Code = "METHOD_NOT_FOUND"
	InvalidParams  Code = "INVALID_PARAMS"
	Internal       Code = "INTERNAL_ERROR"
)

// What a transport, a server's guard or the caller's own context can say
// (spec 3.3.2, error categories).
const (
	Unauthenticated   Code = "UNAUTHENTICATED"
	PermissionDenied  Code = "PERMISSION_DENIED"
	Unavailable       Code = "UNAVAILABLE"
	ResourceExhausted Code = "RESOURCE_EXHAUSTED"
	DeadlineExceeded  Code = "DEADLINE_EXCEEDED"
	Canceled          Code = "CANCELED"
)

// Sentinels, for errors.Is. An Agent may return one as it is, or wrapped.
var (
	ErrTaskNotFound                   = sentinel(TaskNotFound)
	ErrTaskNotCancelable              = sentinel(TaskNotCancelable)
	ErrPushNotificationNotSupported   = sentinel(PushNotificationNotSupported)
	ErrUnsupportedOperation           = sentinel(UnsupportedOperation)
	ErrContentTypeNotSupported        = sentinel(ContentTypeNotSupported)
	ErrInvalidAgentResponse           = sentinel(InvalidAgentResponse)
	ErrExtendedAgentCardNotConfigured = sentinel(ExtendedAgentCardNotConfigured)
	ErrExtensionSupportRequired       = sentinel(ExtensionSupportRequired)
	ErrVersionNotSupported            = sentinel(VersionNotSupported)

	ErrJSONParse      = sentinel(JSONParse)
	ErrInvalidRequest = sentinel(InvalidRequest)
	ErrMethodNotFound = sentinel(MethodNotFound)
	ErrInvalidParams  = sentinel(InvalidParams)
	ErrInternal       = sentinel(Internal)

	ErrUnauthenticated   = sentinel(Unauthenticated)
	ErrPermissionDenied  = sentinel(PermissionDenied)
	ErrUnavailable       = sentinel(Unavailable)
	ErrResourceExhausted = sentinel(ResourceExhausted)
	ErrDeadlineExceeded  = sentinel(DeadlineExceeded)
	ErrCanceled          = sentinel(Canceled)
)

// standard holds each code's text, said when an error has no message of its own.
var standard = map[Code]string{
	TaskNotFound:                   "task not found",
	TaskNotCancelable:              "task cannot be canceled",
	PushNotificationNotSupported:   "push notifications are not supported",
	UnsupportedOperation:           "this operation is not supported",
	ContentTypeNotSupported:        "incompatible content types",
	InvalidAgentResponse:           "invalid agent response",
	ExtendedAgentCardNotConfigured: "the extended agent card is not configured",
	ExtensionSupportRequired:       "a required extension is not supported by the client",
	VersionNotSupported:            "this protocol version is not supported",
	JSONParse:                      "invalid JSON payload",
	InvalidRequest:                 "request payload validation error",
	MethodNotFound:                 "method not found",
	InvalidParams:                  "invalid parameters",
	Internal:                       "internal error",
	Unauthenticated:                "authentication required",
	PermissionDenied:               "permission denied",
	Unavailable:                    "the agent is unavailable",
	ResourceExhausted:              "a limit was reached",
	DeadlineExceeded:               "the deadline has passed",
	Canceled:                       "the call was canceled",
}

// Known reports whether a code is one of those this package names.
func (c Code) Known() bool { _, ok := standard[c]; return ok }

// Error is what every call of this library fails with. Match it with errors.Is
// against the sentinels, or read Code.
type Error struct {
	// Code says what went wrong.
	Code Code
	// Message is for people. Empty is the code's standard text.
	Message string
	// Details are google.rpc messages or others (spec 3.3.2). What came over a
	// wire has them as they were sent, its ErrorInfo included.
	Details []*anypb.Any
	// Remote means that the far agent said so, in these words. Without it this
	// side did: it could not connect, lost the connection, ran out of time.
	Remote bool
	// Cause is what lies below on this side. It never crosses a wire.
	Cause error
}

func sentinel(c Code) *Error { return &Error{Code: c} }

// Errorf is an error with a message. A %w in the format becomes the Cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// DialError is what dialling failed with, where ctx bounded it: DeadlineExceeded
// or Canceled once ctx has ended, whatever was seen of that; err itself where it
// is an [*Error]; Unavailable otherwise. what says what was tried: "ws: dial".
func DialError(ctx context.Context, what string, err error) *Error {
	if own := ctx.Err(); own != nil {
		return &Error{Code: CodeOf(own), Message: what + ": " + own.Error(), Cause: errors.Join(own, err)}
	}
	var e *Error
	if errors.As(err, &e) {
		return Flatten(err)
	}
	return Errorf(Unavailable, "%s: %w", what, err)
}

// InvalidField is an InvalidParams error with a google.rpc.BadRequest that
// names the field (spec 9.5). The path is that of ProtoJSON: message.parts[0].text.
func InvalidField(path, format string, args ...any) *Error {
	problem := fmt.Sprintf(format, args...)
	return fieldError(InvalidParams, path, problem)
}

func fieldError(code Code, path, problem string) *Error {
	e := &Error{Code: code, Message: problem}
	if path != "" {
		e.Message = path + ": " + problem
		e = e.With(&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: path, Description: problem},
		}})
	}
	return e
}

// With is a copy of the error with more details.
func (e *Error) With(details ...proto.Message) *Error {
	c := *e
	c.Details = append([]*anypb.Any(nil), e.Details...)
	for _, d := range details {
		a := new(anypb.Any)
		if err := anypb.MarshalFrom(a, d, proto.MarshalOptions{Deterministic: true}); err == nil {
			c.Details = append(c.Details, a)
		}
	}
	return &c
}

// WithCode is a copy of the error with another code.
func (e *Error) WithCode(code Code) *Error {
	c := *e
	c.Code = code
	return &c
}

// WithInfo is a copy of the error whose ErrorInfo has one more metadata entry.
func (e *Error) WithInfo(key, value string) *Error {
	info := e.Info()
	if info == nil {
		info = &errdetails.ErrorInfo{Reason: string(e.Code), Domain: Domain}
	}
	if info.Metadata == nil {
		info.Metadata = map[string]string{}
	}
	info.Metadata[key] = value
	rest := *e
	rest.Details = nil
	c := rest.With(info)
	for _, d := range e.Details {
		if i := asInfo(d); i == nil || i.GetDomain() != Domain {
			c.Details = append(c.Details, d)
		}
	}
	return c
}

// Info is the error's ErrorInfo of the A2A domain, nil when it has none.
func (e *Error) Info() *errdetails.ErrorInfo {
	for _, d := range e.Details {
		if i := asInfo(d); i.GetDomain() == Domain {
			return i
		}
	}
	return nil
}

func asInfo(d *anypb.Any) *errdetails.ErrorInfo {
	if !d.MessageIs((*errdetails.ErrorInfo)(nil)) {
		return nil
	}
	i := new(errdetails.ErrorInfo)
	if proto.Unmarshal(d.GetValue(), i) != nil {
		return nil
	}
	return i
}

// Text is the message, or the code's standard text.
func (e *Error) Text() string {
	if e == nil {
		return standard[Internal] // an agent's mistake; Flatten has the same verdict
	}
	if e.Message != "" {
		return e.Message
	}
	if s, ok := standard[e.Code]; ok {
		return s
	}
	return string(e.Code)
}

// Error is the error's text.
func (e *Error) Error() string { return e.Text() }

// Unwrap is the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// Is matches an [*Error] of the same code, and context.Canceled and
// context.DeadlineExceeded, which keep their identity over every wire.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	switch target {
	case context.Canceled:
		return e.Code == Canceled
	case context.DeadlineExceeded:
		return e.Code == DeadlineExceeded
	}
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf is the code of an error, "" for nil, Internal for a foreign one.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return Flatten(err).Code
}

// Flatten is an error as a wire carries it: the first [*Error] in the chain,
// or the context's errors, or Internal, whose text says nothing of a cause
// that was not meant for the caller. The result always has an ErrorInfo.
func Flatten(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e) && e != nil:
		if err != error(e) { //nolint:errorlint // wrapped, and so with words of its own
			c := *e
			c.Message, c.Cause = err.Error(), err
			e = &c
		}
	case errors.Is(err, context.DeadlineExceeded):
		e = &Error{Code: DeadlineExceeded, Cause: err}
	case errors.Is(err, context.Canceled):
		e = &Error{Code: Canceled, Cause: err}
	default:
		e = &Error{Code: Internal, Cause: err}
	}
	return e.informed()
}

// informed is the error with an ErrorInfo of the A2A domain, itself when it has one.
func (e *Error) informed() *Error {
	if e.Info() != nil {
		return e
	}
	return (&Error{Code: e.Code, Message: e.Message, Remote: e.Remote, Cause: e.Cause}).
		With(&errdetails.ErrorInfo{Reason: string(e.Code), Domain: Domain}).
		append(e.Details)
}

func (e *Error) append(details []*anypb.Any) *Error {
	e.Details = append(e.Details, details...)
	return e
}

// modelError turns what the data model refuses into an error of this package.
func modelError(code Code, err error) *Error {
	var f *datamodel.Error
	if errors.As(err, &f) {
		return fieldError(code, f.Path, f.Problem)
	}
	return &Error{Code: code, Message: err.Error()}
}
