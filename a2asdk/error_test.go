package a2asdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

// all are the SDK's sentinels.
var all = map[error]binding.Code{
	a2a.ErrParseError:                   binding.JSONParse,
	a2a.ErrInvalidRequest:               binding.InvalidRequest,
	a2a.ErrMethodNotFound:               binding.MethodNotFound,
	a2a.ErrInvalidParams:                binding.InvalidParams,
	a2a.ErrInternalError:                binding.Internal,
	a2a.ErrServerError:                  binding.Internal,
	a2a.ErrTaskNotFound:                 binding.TaskNotFound,
	a2a.ErrTaskNotCancelable:            binding.TaskNotCancelable,
	a2a.ErrPushNotificationNotSupported: binding.PushNotificationNotSupported,
	a2a.ErrUnsupportedOperation:         binding.UnsupportedOperation,
	a2a.ErrUnsupportedContentType:       binding.ContentTypeNotSupported,
	a2a.ErrInvalidAgentResponse:         binding.InvalidAgentResponse,
	a2a.ErrExtendedCardNotConfigured:    binding.ExtendedAgentCardNotConfigured,
	a2a.ErrExtensionSupportRequired:     binding.ExtensionSupportRequired,
	a2a.ErrVersionNotSupported:          binding.VersionNotSupported,
	a2a.ErrUnauthenticated:              binding.Unauthenticated,
	a2a.ErrUnauthorized:                 binding.PermissionDenied,
}

// Each of the SDK's errors, however it is dressed, is its code to the caller
// of an agent, to a call and in a stream.
func TestFromError(t *testing.T) {
	for sentinel, code := range all {
		for _, err := range []error{
			sentinel,
			fmt.Errorf("while working: %w", sentinel),
			fmt.Errorf("while working: %w", errors.Join(errors.New("of no kind"), sentinel)),
			a2a.NewError(sentinel, "in words"),
			fmt.Errorf("outer: %w", a2a.NewError(fmt.Errorf("inner: %w", sentinel), "in words")),
		} {
			agent := FromHandler(answering{err})
			_, unary := agent.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t"})
			_, deleted := agent.DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "p"})
			var streamed error
			for ev, err := range agent.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: "t"}) {
				assert.Nil(t, ev)
				streamed = err
			}
			for _, got := range []error{unary, deleted, streamed} {
				var e *binding.Error
				require.ErrorAs(t, got, &e)
				assert.Equal(t, code, e.Code, "%v", err)
				assert.Equal(t, err.Error(), e.Text())
				assert.False(t, e.Remote)
			}
		}
	}
}

func TestFromErrorOther(t *testing.T) {
	own := binding.Errorf(binding.ResourceExhausted, "too much")
	for _, c := range []struct {
		err  error
		code binding.Code
		text string
	}{
		{context.Canceled, binding.Canceled, binding.ErrCanceled.Text()},
		{fmt.Errorf("queue read failed: %w", context.DeadlineExceeded), binding.DeadlineExceeded, binding.ErrDeadlineExceeded.Text()},
		{push.ErrPushConfigNotFound, binding.TaskNotFound, "push config not found"},
		{own, binding.ResourceExhausted, "too much"},
		{fmt.Errorf("relayed: %w", toError(own)), binding.ResourceExhausted, "relayed: too much"},
		{errors.New("a secret"), binding.Internal, binding.ErrInternal.Text()},
		{a2a.NewError(errors.New("a secret"), "in words"), binding.Internal, "in words"},
		// Of two, the first decides, always.
		{fmt.Errorf("%w: %w", a2a.ErrTaskNotFound, a2a.ErrInvalidParams), binding.TaskNotFound, "task not found: invalid params"},
		{errors.Join(a2a.ErrInvalidParams, a2a.ErrTaskNotFound), binding.InvalidParams, "invalid params\ntask not found"},
		{fmt.Errorf("%w: %w", a2a.ErrTaskNotFound, own), binding.TaskNotFound, "task not found: too much"},
	} {
		for range 3 {
			e := binding.Flatten(fromError(c.err))
			assert.Equal(t, c.code, e.Code, "%v", c.err)
			assert.Equal(t, c.text, e.Text())
		}
	}
	require.NoError(t, fromError(nil))
}

// Each code is one of the SDK's sentinels, and no other, to the caller of a
// handler, and keeps its own name.
func TestToError(t *testing.T) {
	back := map[binding.Code]error{
		binding.Canceled:          context.Canceled,
		binding.DeadlineExceeded:  context.DeadlineExceeded,
		binding.Unavailable:       a2a.ErrInternalError,
		binding.ResourceExhausted: a2a.ErrServerError,
	}
	for sentinel, code := range all {
		if !errors.Is(sentinel, a2a.ErrServerError) {
			back[code] = sentinel
		}
	}
	for _, row := range errmap.Table() {
		want, ok := back[row.Code]
		require.True(t, ok, row.Code)
		own := binding.Errorf(row.Code, "in the agent's words").WithInfo("k", "v")
		own.Remote = true
		_, err := ToHandler(failing{err: own}, nil).GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t"})
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, err, &binding.Error{Code: row.Code})
		for sentinel := range all {
			assert.Equal(t, errors.Is(sentinel, want), errors.Is(err, sentinel), "%s: %v", row.Code, sentinel)
		}
		var sdk *a2a.Error
		require.ErrorAs(t, err, &sdk)
		assert.Equal(t, "in the agent's words", sdk.Error())
		assert.Equal(t, string(row.Code), sdk.ErrorInfo().Value["reason"])
		assert.Equal(t, map[string]any{"k": "v"}, sdk.ErrorInfo().Value["metadata"])
		assert.Empty(t, sdk.Details)

		// And back: nothing is lost.
		assert.Equal(t, own, binding.Flatten(fromError(err)))
	}
}

// Of an error that wraps two the code is the first's, to the SDK's servers, too:
// they take whichever of the sentinels, or gRPC status, they find in the chain.
func TestFirstDecidesBehindTheSDK(t *testing.T) {
	for name, err := range map[string]error{
		"sentinel":       binding.Errorf(binding.InvalidParams, "upstream: %w", a2a.ErrTaskNotFound),
		"error of both":  binding.Errorf(binding.InvalidParams, "upstream: %w", toError(binding.ErrTaskNotFound)),
		"of this module": fmt.Errorf("%w and %w", binding.ErrInvalidParams, binding.ErrTaskNotFound),
		"context":        binding.Errorf(binding.InvalidParams, "upstream: %w", context.Canceled),
		"status":         binding.Errorf(binding.InvalidParams, "upstream: %w", status.Error(codes.NotFound, "gone")),
	} {
		t.Run(name, func(t *testing.T) {
			h := ToHandler(failing{err: err}, nil)
			server := a2asrv.NewJSONRPCHandler(h)
			for range 50 {
				body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`)
				rec := httptest.NewRecorder()
				server.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body))
				require.Contains(t, rec.Body.String(), "-32602")
			}
			_, got := h.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t"})
			require.ErrorIs(t, got, a2a.ErrInvalidParams)
			var own *binding.Error
			require.ErrorAs(t, got, &own)
			assert.Equal(t, binding.InvalidParams, own.Code)
			require.NoError(t, own.Cause)
			_, isStatus := status.FromError(got)
			assert.False(t, isStatus)
		})
	}
}

// failing is an agent that fails at all it is asked.
type failing struct {
	binding.Unimplemented
	err error
}

func (f failing) GetTask(context.Context, *binding.Call, *pb.GetTaskRequest) (*pb.Task, error) {
	return nil, f.err
}

// Details as the SDK has them are ProtoJSON to the SDK, and messages to this
// library.
func TestDetails(t *testing.T) {
	custom := map[string]any{"@type": "type.googleapis.com/example.v1.Quota", "left": 3.0}
	fields, err := structpb.NewStruct(map[string]any{"hint": "x", "n": 1})
	require.NoError(t, err)
	unknown, err := structpb.NewStruct(custom)
	require.NoError(t, err)
	foreign := &errdetails.ErrorInfo{Reason: "QUOTA", Domain: "billing.example", Metadata: map[string]string{"left": "0"}}
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)}

	sdk := a2a.NewError(a2a.ErrInvalidParams, "in words").
		WithDetails(map[string]any{"hint": "x", "n": 1}).
		WithErrorInfoMeta(map[string]string{"field": "id"}).
		WithTypedDetails(
			errordetails.NewTyped("type.googleapis.com/google.rpc.RetryInfo", map[string]any{"retryDelay": "1.5s"}),
			errordetails.NewErrorInfo("QUOTA", "billing.example", map[string]string{"left": "0"}),
			errordetails.NewTyped("type.googleapis.com/example.v1.Quota", map[string]any{"left": 3}),
			errordetails.NewTyped("type.googleapis.com/example.v1.Odd", map[string]any{"not": make(chan int)}),
			nil,
		)
	e := binding.Flatten(fromError(fmt.Errorf("wrapped: %w", sdk)))
	assert.Equal(t, map[string]string{"field": "id"}, e.Info().GetMetadata())
	assert.Equal(t, string(binding.InvalidParams), e.Info().GetReason())
	want := []proto.Message{
		&errdetails.ErrorInfo{Reason: "INVALID_PARAMS", Domain: binding.Domain, Metadata: map[string]string{"field": "id"}},
		fields, retry, foreign, unknown,
	}
	require.Len(t, e.Details, len(want))
	for i, d := range e.Details {
		got, err := d.UnmarshalNew()
		require.NoError(t, err)
		assert.True(t, proto.Equal(want[i], got), "want %v\ngot  %v", want[i], got)
	}

	back := toError(e)
	require.Len(t, back.TypedDetails, len(want))
	assert.Equal(t, errordetails.NewFromStruct(map[string]any{"hint": "x", "n": 1.0}), back.TypedDetails[1])
	assert.Equal(t, errordetails.NewTyped("type.googleapis.com/google.rpc.RetryInfo", map[string]any{"retryDelay": "1.500s"}), back.TypedDetails[2])
	assert.Equal(t, "billing.example", back.TypedDetails[3].Value["domain"])
	assert.Equal(t, errordetails.NewTyped("type.googleapis.com/example.v1.Quota", map[string]any{"left": 3.0}), back.TypedDetails[4])

	// What a client has read has its first detail twice, and gives it once.
	var read *a2a.Error
	require.ErrorAs(t, clientError(back), &read)
	assert.Equal(t, map[string]any{"hint": "x", "n": 1.0}, read.Details)
	read.Err = a2a.ErrInvalidParams // as of the SDK's own transports
	again := binding.Flatten(fromError(read))
	require.Len(t, again.Details, len(want))
	for i, d := range again.Details {
		assert.True(t, proto.Equal(e.Details[i], d), "want %v\ngot  %v", e.Details[i], d)
	}
}
