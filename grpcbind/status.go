package grpcbind

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

// readError is what a call failed with: what the far agent said, or what this
// side made of the connection. The context is the call's.
func readError(ctx context.Context, err error, limit int) error {
	s, ok := status.FromError(err)
	if !ok {
		return binding.Errorf(binding.Unavailable, "grpcbind: %w", err)
	}
	if len(s.Proto().GetDetails()) > 0 {
		return errmap.ReadStatus(s.Proto())
	}
	switch code := s.Code(); {
	case (code == codes.Canceled || code == codes.DeadlineExceeded) && ctx.Err() != nil:
		return ctx.Err()
	case code == codes.DeadlineExceeded:
		return &binding.Error{Code: binding.DeadlineExceeded, Cause: err}
	case code == codes.Unavailable:
		return binding.Errorf(binding.Unavailable, "grpcbind: %w", err)
	case code == codes.Canceled:
		return lost(err)
	case tooLarge(err):
		return binding.TooLarge(limit)
	case !ownMessage(s.Message()):
		return errmap.ReadStatus(s.Proto())
	}
	return libraryError(s)
}

func lost(err error) error {
	return binding.Errorf(binding.Unavailable, "grpcbind: the connection was lost: %w", err)
}

// ownMessages are how messages begin that grpc-go writes on the client's side.
var ownMessages = []string{
	"grpc: ", "transport: ", "stream terminated by RST_STREAM", "server closed the stream without sending trailers",
	"unexpected HTTP status code received from server", "malformed header: ", "malformed grpc-",
}

func ownMessage(message string) bool {
	for _, p := range ownMessages {
		if strings.HasPrefix(message, p) {
			return true
		}
	}
	return false
}

// tooLarge reports whether gRPC refused a message for its size, here or there.
func tooLarge(err error) bool {
	s := status.Convert(err)
	return s.Code() == codes.ResourceExhausted && len(s.Proto().GetDetails()) == 0 && strings.Contains(s.Message(), "larger than max")
}

// libraryError is an error that grpc-go made of what it read.
func libraryError(s *status.Status) error {
	switch code := s.Code(); {
	case code == codes.Unauthenticated || code == codes.PermissionDenied:
		return errmap.ReadStatus(s.Proto()) // a proxy's 401 or 403 speaks for the agent
	case code == codes.Unimplemented:
		return &binding.Error{Code: binding.MethodNotFound, Message: "grpcbind: " + s.Message()}
	case strings.Contains(s.Message(), "unmarshal"):
		return binding.Errorf(binding.InvalidAgentResponse, "grpcbind: the answer cannot be read: %s", s.Message())
	}
	return lost(s.Err())
}
