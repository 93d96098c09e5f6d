package grpcbind

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

func TestStatusRoundTrip(t *testing.T) {
	unknown := &anypb.Any{TypeUrl: "type.example/Unheard", Value: []byte{1, 2, 3}}
	for _, row := range errmap.Table() {
		e := binding.Errorf(row.Code, "why").With(&errdetails.Help{Links: []*errdetails.Help_Link{{Url: "https://help.example"}}})
		e.Details = append(e.Details, unknown)
		sent := statusError(e)
		assert.Equal(t, codes.Code(row.GRPC), status.Code(sent))
		got := binding.Flatten(readError(t.Context(), sent, 1))
		assert.Equal(t, []any{row.Code, "why", true}, []any{got.Code, got.Message, got.Remote})
		require.Len(t, got.Details, 3)
		assert.True(t, proto.Equal(unknown, got.Details[2]))
	}
}

// Statuses without details: who made them.
func TestReadBareStatus(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		err    error
		code   binding.Code
		remote bool
	}{
		{"an agent's", t.Context(), status.Error(codes.NotFound, "no such task"), binding.TaskNotFound, true},
		{"an agent's internal error", t.Context(), status.Error(codes.Internal, "boom"), binding.Internal, true},
		{"an agent's quota", t.Context(), status.Error(codes.ResourceExhausted, "quota"), binding.ResourceExhausted, true},
		{"unauthenticated", t.Context(), status.Error(codes.Unauthenticated, "who?"), binding.Unauthenticated, true},
		{"refused", t.Context(), status.Error(codes.Unavailable, "connection refused"), binding.Unavailable, false},
		{"own cancel", ended, status.Error(codes.Canceled, "context canceled"), binding.Canceled, false},
		{"lost", t.Context(), status.Error(codes.Canceled, "grpc: the client connection is closing"), binding.Unavailable, false},
		{"cancelled by nobody here", t.Context(), status.Error(codes.Canceled, "reset"), binding.Unavailable, false},
		{"deadline", t.Context(), status.Error(codes.DeadlineExceeded, "x"), binding.DeadlineExceeded, false},
		{"too large", t.Context(), status.Error(codes.ResourceExhausted, "grpc: received message larger than max (2 vs. 1)"), binding.ResourceExhausted, false},
		{"too large to send", t.Context(), status.Error(codes.ResourceExhausted, "trying to send message larger than max (2 vs. 1)"), binding.ResourceExhausted, false},
		{"garbage", t.Context(), status.Error(codes.Internal, "grpc: failed to unmarshal the received message: proto: x"), binding.InvalidAgentResponse, false},
		{"reset", t.Context(), status.Error(codes.Internal, "stream terminated by RST_STREAM with error code: INTERNAL_ERROR"), binding.Unavailable, false},
		{"a proxy's page", t.Context(), status.Error(codes.Unknown, "unexpected HTTP status code received from server: 500"), binding.Unavailable, false},
		{"no such path", t.Context(), status.Error(codes.Unimplemented, "unexpected HTTP status code received from server: 404"), binding.MethodNotFound, false},
		{"a proxy's challenge", t.Context(), status.Error(codes.Unauthenticated, "unexpected HTTP status code received from server: 401"), binding.Unauthenticated, true},
		{"none", t.Context(), errors.New("x"), binding.Unavailable, false},
		{"details alone", t.Context(), status.FromProto(&rpcstatus.Status{Code: 14, Message: "x", Details: errmap.Status(binding.ErrTaskNotFound).GetDetails()}).Err(), binding.TaskNotFound, true},
	} {
		got := binding.Flatten(readError(tc.ctx, tc.err, 1))
		assert.Equal(t, tc.code, got.Code, tc.name)
		assert.Equal(t, tc.remote, got.Remote, tc.name)
	}
}
