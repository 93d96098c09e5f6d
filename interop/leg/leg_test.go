//go:build interop

package leg

import (
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a check finds is found whether it goes on or not.
func TestProblems(t *testing.T) {
	assert.Empty(t, Problems(func(t require.TestingT, n int) { assert.Equal(t, 1, n) }, 1))
	assert.Len(t, Problems(func(t require.TestingT, n int) { assert.Equal(t, 1, n); assert.Equal(t, 3, n) }, 2), 2)
	assert.Len(t, Problems(func(t require.TestingT, n int) { require.Equal(t, 1, n); assert.Equal(t, 3, n) }, 2), 1)
	assert.Panics(t, func() { Problems(func(require.TestingT, int) { panic("no check") }, 1) })
}

func TestWords(t *testing.T) {
	assert.Len(t, Clip(strings.Repeat("x", 10_000)), 3000+len("…"))
	parts := []*pb.Part{{Content: &pb.Part_Text{Text: "a"}}, {Content: &pb.Part_Url{Url: "u"}}, {Content: &pb.Part_Text{Text: "b"}}}
	assert.Equal(t, "message ab", Shape(&pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: &pb.Message{Parts: parts}}}))
	assert.Equal(t, "nothing", Shape(&pb.StreamResponse{}))
	details := []map[string]any{
		{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "domain": "elsewhere"},
		{"@type": "type.googleapis.com/google.rpc.Help"},
	}
	assert.Nil(t, ErrorInfo(details))
	assert.Equal(t, []string{"ErrorInfo", "Help"}, Kinds(details))
	details[0]["domain"] = "a2a-protocol.org"
	assert.Equal(t, details[0], ErrorInfo(details))
}
