package refagent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestError_3_3_2_EveryNameWithDetails(t *testing.T) {
	a := newAgent(t, nil)
	codes := map[binding.Code]bool{}
	for name, f := range faults {
		err := sendFails(t, a, say("error "+name))
		require.Equal(t, f.code, err.Code, name)
		codes[err.Code] = true
		assert.True(t, f.code.Known(), name)

		var kinds []string
		for _, d := range err.Details {
			kinds = append(kinds, strings.TrimPrefix(d.GetTypeUrl(), "type.googleapis.com/google.rpc."))
		}
		want := []string{"ErrorInfo"}
		switch f.code {
		case binding.InvalidParams, binding.InvalidRequest, binding.ContentTypeNotSupported:
			want = append(want, "BadRequest")
		case binding.Unavailable, binding.ResourceExhausted:
			want = append(want, "RetryInfo")
		}
		assert.Equal(t, append(want, "LocalizedMessage", "Help"), kinds, name)
		info := err.Info()
		assert.Equal(t, string(f.code), info.GetReason())
		assert.Equal(t, map[string]string{"error": name, "raisedBy": "refagent"}, info.GetMetadata())

		_, streamErr := collect(a.SendStreamingMessage(t.Context(), nil, say("error "+name)))
		assert.Equal(t, f.code, binding.CodeOf(streamErr))
	}
	assert.Len(t, codes, 20, "all codes of the waist")
	assert.Empty(t, a.store.tasks, "no task was made")
}
