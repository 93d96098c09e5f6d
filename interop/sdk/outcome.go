//go:build interop

package sdk

import (
	"encoding/json"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/interop/leg"
)

// Outcome is what one step came to, on whichever side it was held.
type Outcome struct {
	Step   string
	OK     bool
	Result json.RawMessage // ProtoJSON; of a stream, its events in a list
	Error  *Failure

	transport string // of the client
}

// Failure is an error as a client reports it.
type Failure struct {
	Name     string
	Reason   string
	Code     int // on the wire; 0 where the client did not keep it
	Message  string
	Metadata map[string]string
	Stack    string
}

// succeeded is the result of a step that must not have failed.
func (o Outcome) succeeded(t require.TestingT) json.RawMessage {
	if !o.OK {
		require.Fail(t, "the step failed", "%+v", o.Error)
	}
	return o.Result
}

// as is the result as a message.
func as[M proto.Message](t require.TestingT, o Outcome, m M) M {
	text := o.succeeded(t)
	require.NoError(t, protojson.Unmarshal(text, m), "%s", leg.Clip(string(text)))
	return m
}

func (o Outcome) task(t require.TestingT) *pb.Task {
	sent := as(t, o, new(pb.SendMessageResponse)).GetTask()
	require.NotNil(t, sent, "not a task: %s", leg.Clip(string(o.Result)))
	require.NotEmpty(t, sent.GetId())
	require.NotEmpty(t, sent.GetContextId())
	return sent
}

// events are those of a stream, before it failed if it did.
func (o Outcome) events(t require.TestingT) []*pb.StreamResponse {
	var texts []json.RawMessage
	require.NoError(t, json.Unmarshal(o.Result, &texts), "%s", leg.Clip(string(o.Result)))
	out := make([]*pb.StreamResponse, len(texts))
	for i, text := range texts {
		out[i] = new(pb.StreamResponse)
		require.NoError(t, protojson.Unmarshal(text, out[i]), "event %d: %s", i+1, leg.Clip(string(text)))
	}
	return out
}

func artifactText(task *pb.Task) string {
	var b strings.Builder
	for _, a := range task.GetArtifacts() {
		b.WriteString(leg.Text(a.GetParts()))
	}
	return b.String()
}
