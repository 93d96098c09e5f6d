package refagent

import (
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
)

// tckRequest has a text that is a command, which the prefix overrules.
func tckRequest(prefix string) *pb.SendMessageRequest {
	r := say("fail")
	r.Message.MessageId = prefix + "-5f2a"
	return r
}

func TestTCK_Streams(t *testing.T) {
	whole := func(text string) []string {
		return []string{"task SUBMITTED", "WORKING", "artifact " + text, "COMPLETED"}
	}
	for prefix, want := range map[string][]string{
		"tck-complete-task":           {"task SUBMITTED", "WORKING", "COMPLETED"},
		"tck-artifact-text":           whole("Generated text content"),
		"tck-artifact-file":           whole(""),
		"tck-artifact-file-url":       whole(""),
		"tck-artifact-data":           whole(""),
		"tck-message-response":        {"message Direct message response"},
		"tck-input-required":          {"task SUBMITTED", "INPUT_REQUIRED"},
		"tck-reject-task":             {"task SUBMITTED", "REJECTED"},
		"tck-stream-001":              whole("Stream hello from TCK"),
		"tck-stream-002":              {"task SUBMITTED", "COMPLETED"},
		"tck-stream-003":              whole("Stream task lifecycle"),
		"tck-stream-ordering-001":     whole("Ordered output"),
		"tck-stream-artifact-text":    whole("Streamed text content"),
		"tck-stream-artifact-file":    whole(""),
		"tck-stream-artifact-chunked": {"task SUBMITTED", "WORKING", "artifact chunk-1 ", "artifact chunk-2", "COMPLETED"},
		"test-resubscribe-message-id": {"task SUBMITTED", "WORKING", "COMPLETED"},
	} {
		t.Run(prefix, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Equal(t, want, brief(stream(t, newAgent(t, nil), tckRequest(prefix))))
			})
		})
	}
}

func TestTCK_Parts(t *testing.T) {
	a := newAgent(t, nil)
	for prefix, want := range map[string]string{
		"tck-artifact-file":        `{"raw":"dGNr","filename":"output.txt","mediaType":"text/plain"}`,
		"tck-stream-artifact-file": `{"raw":"dGNr","filename":"output.txt","mediaType":"text/plain"}`,
		"tck-artifact-file-url":    `{"url":"https://example.com/output.txt","filename":"output.txt","mediaType":"text/plain"}`,
		"tck-artifact-data":        `{"data":{"key":"value","count":42}}`,
	} {
		b, err := protojson.Marshal(send(t, a, tckRequest(prefix)).GetArtifacts()[0].GetParts()[0])
		require.NoError(t, err)
		assert.JSONEq(t, want, string(b), prefix)
	}
}

func TestTCK_StatusMessages(t *testing.T) {
	a := newAgent(t, nil)
	for prefix, want := range map[string]string{"tck-complete-task": "Hello from TCK", "tck-reject-task": "rejected"} {
		assert.Equal(t, want, send(t, a, tckRequest(prefix)).GetStatus().GetMessage().GetParts()[0].GetText())
	}
}

func TestTCK_LongestPrefixDecides(t *testing.T) {
	for prefix, want := range tckCommands {
		for range 50 { // the table has no order
			require.Same(t, want, tckCommandOf(prefix+"-x"), prefix)
		}
	}
	assert.Nil(t, tckCommandOf("tck-stream-00"))
}

func TestTCK_ChunksAddUp(t *testing.T) {
	task := send(t, newAgent(t, nil), tckRequest("tck-stream-artifact-chunked"))
	require.Len(t, task.GetArtifacts(), 1)
	assert.Equal(t, []string{"chunk-1 ", "chunk-2"}, texts(task))
}

func TestTCK_ResubscriptionHasFourSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		send(t, newAgent(t, nil), tckRequest("test-resubscribe-message-id"))
		assert.Equal(t, 4*time.Second, time.Since(start))
	})
}

func TestTCK_PrefixDecidesOnAWaitingTask(t *testing.T) {
	a := newAgent(t, nil)
	task := send(t, a, tckRequest("tck-input-required"))
	next := func(prefix string) *pb.Task {
		r := tckRequest(prefix)
		r.Message.TaskId = task.GetId()
		return send(t, a, r)
	}
	assert.Equal(t, "INPUT_REQUIRED", stateOf(next("tck-input-required")))
	done := next("tck-complete-task")
	assert.Equal(t, "COMPLETED", stateOf(done))
	assert.Empty(t, done.GetArtifacts())

	task = send(t, a, say("input"))
	assert.Equal(t, []string{"got: fail"}, texts(next("tck-message-response")), "a task is not answered without one")
}
