package a2asdk

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

type entries = map[string]string

// Whatever the SDK's errors around one bring, it is there afterwards, and once.
func TestDetailsAround(t *testing.T) {
	const reason = "RESOURCE_EXHAUSTED"
	info := func(reason, domain string, m entries) proto.Message {
		return &errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: m}
	}
	made := func(m entries) proto.Message { return info(reason, binding.Domain, m) }
	second := &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}
	third := &errdetails.RequestInfo{RequestId: "r"}
	fields := &structpb.Struct{Fields: map[string]*structpb.Value{"hint": structpb.NewStringValue("x")}}
	typed := errordetails.NewTyped("type.googleapis.com/google.rpc.RequestInfo", map[string]any{"requestId": "r"})
	again := errordetails.NewTyped("type.googleapis.com/google.rpc.RetryInfo", map[string]any{"retryDelay": "1.0s"})
	hint := map[string]any{"hint": "x"}
	own := func() *a2a.Error {
		return toError(binding.Errorf(binding.ResourceExhausted, "too much").WithInfo("k", "v").With(second))
	}
	params := func(details ...*errordetails.Typed) error {
		return a2a.NewError(a2a.ErrInvalidParams, "no").WithTypedDetails(details...)
	}
	for _, c := range []struct {
		name string
		err  error
		want []proto.Message
	}{
		{"nothing more", a2a.NewError(own(), "in other words"), []proto.Message{made(entries{"k": "v"}), second}},
		{"added to", own().WithTypedDetails(typed).WithDetails(hint), []proto.Message{made(entries{"k": "v"}), second, fields, third}},
		{"added what it has", own().WithTypedDetails(again, nil), []proto.Message{made(entries{"k": "v"}), second}},
		{"entries set", own().WithErrorInfoMeta(entries{"l": "w"}), []proto.Message{made(entries{"k": "v", "l": "w"}), second}},
		{"entry replaced", own().WithErrorInfoMeta(entries{"k": "w"}), []proto.Message{made(entries{"k": "w"}), second}},
		{
			"other words", fmt.Errorf("relayed: %w", a2a.NewError(own(), "in other words").WithTypedDetails(typed).WithDetails(hint).WithErrorInfoMeta(entries{"l": "w"})),
			[]proto.Message{made(entries{"k": "v", "l": "w"}), second, fields, third},
		},
		{
			"both around", a2a.NewError(own().WithTypedDetails(typed).WithErrorInfoMeta(entries{"k": "in"}), "out").WithDetails(hint).WithErrorInfoMeta(entries{"k": "out"}),
			[]proto.Message{made(entries{"k": "out"}), second, fields, made(entries{"k": "in"}), third},
		},
		{"not around", errors.Join(binding.ErrInvalidParams, a2a.NewError(a2a.ErrTaskNotFound, "no").WithErrorInfoMeta(entries{"k": "v"})), []proto.Message{
			info("INVALID_PARAMS", binding.Domain, nil), info("TASK_NOT_FOUND", binding.Domain, entries{"k": "v"}),
		}},
		{"of a cause", binding.Errorf(binding.InvalidParams, "no: %w", own()), []proto.Message{info("INVALID_PARAMS", binding.Domain, nil)}},

		{"no domain", params(errordetails.NewErrorInfo("QUOTA", "", entries{"k": "v"})), []proto.Message{
			info("INVALID_PARAMS", binding.Domain, nil), info("QUOTA", "", entries{"k": "v"}),
		}},
		{"its reason, no domain", params(errordetails.NewErrorInfo("INVALID_PARAMS", "", entries{"k": "v"})), []proto.Message{
			info("INVALID_PARAMS", binding.Domain, nil), info("INVALID_PARAMS", "", entries{"k": "v"}),
		}},
		{"other reason", params(errordetails.NewErrorInfo("QUOTA", binding.Domain, entries{"k": "v"})), []proto.Message{
			info("INVALID_PARAMS", binding.Domain, nil), info("QUOTA", binding.Domain, entries{"k": "v"}),
		}},
		{"several", params(
			errordetails.NewErrorInfo("QUOTA", "", entries{"k": "1"}), errordetails.NewErrorInfo("QUOTA", "billing.example", entries{"k": "2"}),
			errordetails.NewErrorInfo("INVALID_PARAMS", binding.Domain, entries{"k": "3"}), errordetails.NewErrorInfo("INVALID_PARAMS", binding.Domain, entries{"l": "4"}),
			errordetails.NewErrorInfo("INVALID_PARAMS", binding.Domain, entries{"k": "5"}),
		), []proto.Message{
			info("INVALID_PARAMS", binding.Domain, entries{"k": "3", "l": "4"}), info("QUOTA", "", entries{"k": "1"}),
			info("QUOTA", "billing.example", entries{"k": "2"}), info("INVALID_PARAMS", binding.Domain, entries{"k": "5"}),
		}},
		{"the SDK's reason", a2a.NewError(a2a.ErrUnauthorized, "no").WithErrorInfoMeta(entries{"k": "v"}), []proto.Message{
			info("PERMISSION_DENIED", binding.Domain, entries{"k": "v"}),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := binding.Flatten(fromError(c.err))
			assert.Equal(t, c.err.Error(), e.Text())
			sameDetails(t, c.want, e)

			// The SDK has as many of it, and gives all of them back.
			sdk := toError(e)
			assert.Len(t, sdk.TypedDetails, len(c.want))
			sameDetails(t, c.want, binding.Flatten(fromError(sdk)))
			sameDetails(t, c.want, binding.Flatten(fromError(clientError(toError(e)))))
		})
	}
}

func sameDetails(t *testing.T, want []proto.Message, e *binding.Error) {
	t.Helper()
	require.Len(t, e.Details, len(want), "%v", e.Details)
	for i, d := range e.Details {
		got, err := d.UnmarshalNew()
		require.NoError(t, err)
		assert.True(t, proto.Equal(want[i], got), "want %v\ngot  %v", want[i], got)
	}
}

// Of two sentinels the SDK names any in its ErrorInfo. The entries are the
// error's all the same.
func TestErrorInfoOfTwo(t *testing.T) {
	for range 50 {
		both := a2a.NewError(fmt.Errorf("%w: %w", a2a.ErrTaskNotFound, a2a.ErrInvalidParams), "no").WithErrorInfoMeta(entries{"k": "v"})
		sameDetails(t, []proto.Message{&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: binding.Domain, Metadata: entries{"k": "v"}}}, binding.Flatten(fromError(both)))
	}
}

// Metadata that an ErrorInfo cannot hold crosses as JSON.
func TestErrorInfoOfNumbers(t *testing.T) {
	odd := errordetails.NewTyped(errordetails.ErrorInfoType, map[string]any{"reason": "INVALID_PARAMS", "domain": binding.Domain, "metadata": map[string]any{"n": 1}})
	e := binding.Flatten(fromError(a2a.NewError(a2a.ErrInvalidParams, "no").WithTypedDetails(odd)))
	sdk := toError(e)
	require.Len(t, sdk.TypedDetails, 2)
	assert.Equal(t, map[string]any{"n": 1.0}, sdk.TypedDetails[1].Value["metadata"])
	assert.Len(t, binding.Flatten(fromError(sdk)).Details, 2)
}
