package refagent

import (
	"strings"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// tckResubscribe is how long the task of the TCK's resubscription works: twice
// its streaming timeout.
const tckResubscribe = 4 * time.Second

// tckCommands are what the A2A TCK expects of an agent (its scenarios/*.feature),
// by the prefix of a message's messageId.
var tckCommands = map[string]*command{
	"tck-complete-task": {run: func(r *run) {
		_ = r.working() && r.set(pb.TaskState_TASK_STATE_COMPLETED, "Hello from TCK")
	}},
	"tck-artifact-text":     tckArtifact(textPart("Generated text content")),
	"tck-artifact-file":     tckArtifact(tckFile),
	"tck-artifact-file-url": tckArtifact(tckFileURL),
	"tck-artifact-data":     tckArtifact(tckData),
	"tck-message-response": {direct: func(*direct) (string, error) {
		return "Direct message response", nil
	}},
	"tck-input-required": {run: func(r *run) {
		r.wait(pb.TaskState_TASK_STATE_INPUT_REQUIRED, "Input is required.", got)
	}},
	"tck-reject-task": {run: func(r *run) { r.set(pb.TaskState_TASK_STATE_REJECTED, "rejected") }},

	"tck-stream-001":           tckArtifact(textPart("Stream hello from TCK")),
	"tck-stream-002":           {run: func(r *run) { r.completed() }},
	"tck-stream-003":           tckArtifact(textPart("Stream task lifecycle")),
	"tck-stream-ordering-001":  tckArtifact(textPart("Ordered output")),
	"tck-stream-artifact-text": tckArtifact(textPart("Streamed text content")),
	"tck-stream-artifact-file": tckArtifact(tckFile),
	"tck-stream-artifact-chunked": {run: func(r *run) {
		_ = r.working() && r.chunk(textPart("chunk-1 "), true, false) &&
			r.chunk(textPart("chunk-2"), false, true) && r.completed()
	}},
	"test-resubscribe-message-id": {run: func(r *run) {
		_ = r.working() && r.sleep(tckResubscribe) && r.completed()
	}},
}

var (
	tckFile = &pb.Part{
		Content: &pb.Part_Raw{Raw: []byte("tck")}, Filename: "output.txt", MediaType: "text/plain",
	}
	tckFileURL = &pb.Part{
		Content: &pb.Part_Url{Url: "https://example.com/output.txt"}, Filename: "output.txt", MediaType: "text/plain",
	}
	tckData = dataPart(structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		"key":   structpb.NewStringValue("value"),
		"count": structpb.NewNumberValue(42),
	}}))
)

// tckArtifact gives one part and completes.
func tckArtifact(part *pb.Part) *command {
	return &command{run: func(r *run) {
		_ = r.working() && r.artifact(proto.Clone(part).(*pb.Part)) && r.completed()
	}}
}

// tckCommandOf is what a messageId asks for by its prefix, the longest that
// fits; nil when none does.
func tckCommandOf(messageID string) *command {
	var found *command
	length := 0
	for prefix, c := range tckCommands {
		if len(prefix) > length && strings.HasPrefix(messageID, prefix) {
			found, length = c, len(prefix)
		}
	}
	return found
}
