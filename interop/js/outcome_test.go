//go:build interop

package js_test

import (
	"encoding/json"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// outcome is what one step came to, on whichever side it was held.
type outcome struct {
	Step   string
	OK     bool
	Result json.RawMessage // ProtoJSON; of a stream, its events in a list
	Error  *failure

	transport string // of the client
}

// failure is an error as a client reports it.
type failure struct {
	Name     string
	Reason   string
	Code     int // on the wire; 0 where the client did not keep it
	Message  string
	Metadata map[string]string
	Stack    string
}

// succeeded is the result of a step that must not have failed.
func (o outcome) succeeded(t require.TestingT) json.RawMessage {
	if !o.OK {
		require.Fail(t, "the step failed", "%+v", o.Error)
	}
	return o.Result
}

// as is the result as a message.
func as[M proto.Message](t require.TestingT, o outcome, m M) M {
	text := o.succeeded(t)
	require.NoError(t, protojson.Unmarshal(text, m), "%s", clip(text))
	return m
}

func (o outcome) task(t require.TestingT) *pb.Task {
	sent := as(t, o, new(pb.SendMessageResponse)).GetTask()
	require.NotNil(t, sent, "not a task: %s", clip(o.Result))
	require.NotEmpty(t, sent.GetId())
	require.NotEmpty(t, sent.GetContextId())
	return sent
}

// events are those of a stream, before it failed if it did.
func (o outcome) events(t require.TestingT) []*pb.StreamResponse {
	var texts []json.RawMessage
	require.NoError(t, json.Unmarshal(o.Result, &texts), "%s", clip(o.Result))
	out := make([]*pb.StreamResponse, len(texts))
	for i, text := range texts {
		out[i] = new(pb.StreamResponse)
		require.NoError(t, protojson.Unmarshal(text, out[i]), "event %d: %s", i+1, clip(text))
	}
	return out
}

// clip keeps large results out of messages.
func clip(text []byte) string {
	const most = 2000
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// text is that of all text parts together.
func text(parts []*pb.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.GetText())
	}
	return b.String()
}

func artifactText(task *pb.Task) string {
	var b strings.Builder
	for _, a := range task.GetArtifacts() {
		b.WriteString(text(a.GetParts()))
	}
	return b.String()
}
