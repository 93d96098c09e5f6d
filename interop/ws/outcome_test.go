//go:build interop

package ws_test

import (
	"encoding/json"
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// outcome is what one step of client.mjs came to (see report.mjs).
type outcome struct {
	Step    string
	Error   string   // of the script
	Frames  []string // the server's, as they came
	Close   *closing
	Status  int
	Headers map[string]any
}

// closing is how a server closed a connection.
type closing struct {
	Code   int
	Reason string
}

// frame is a server's frame; it has no other members.
type frame struct {
	JSONRPC       string            `json:"jsonrpc"`
	ID            json.RawMessage   `json:"id"`
	Result        json.RawMessage   `json:"result"`
	Error         *fault            `json:"error"`
	StreamEnd     json.RawMessage   `json:"streamEnd"`
	ServiceParams map[string]string `json:"serviceParams"`
	Control       string            `json:"control"`
	Params        json.RawMessage   `json:"params"`
}

// fault is a JSON-RPC error object (spec 9.5).
type fault struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Data    []map[string]any `json:"data"`
}

// info is the fault's google.rpc.ErrorInfo of the A2A domain.
func (f *fault) info() map[string]any {
	for _, d := range f.Data {
		if d["@type"] == "type.googleapis.com/google.rpc.ErrorInfo" && d["domain"] == "a2a-protocol.org" {
			return d
		}
	}
	return nil
}

// kinds are the @type of all details, without their common beginning.
func (f *fault) kinds() []string {
	var out []string
	for _, d := range f.Data {
		kind, _ := d["@type"].(string)
		out = append(out, strings.TrimPrefix(kind, "type.googleapis.com/google.rpc."))
	}
	return out
}

// read takes a frame apart.
func read(t require.TestingT, text string) frame {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var f frame
	require.NoError(t, d.Decode(&f), "%s", clip(text))
	require.Equal(t, "2.0", f.JSONRPC, "%s", clip(text))
	return f
}

// only is the one frame of an outcome.
func (o outcome) only(t require.TestingT) frame {
	require.Len(t, o.Frames, 1)
	return read(t, o.Frames[0])
}

// as reads ProtoJSON into a message.
func as[M proto.Message](t require.TestingT, text json.RawMessage, m M) M {
	require.NoError(t, protojson.Unmarshal(text, m), "%s", clip(string(text)))
	return m
}

// text is that of all text parts together.
func text(parts []*pb.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.GetText())
	}
	return b.String()
}

// shape is an event as words: what it is, and what it says.
func shape(e *pb.StreamResponse) string {
	switch x := e.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return "task " + x.Task.GetStatus().GetState().String()
	case *pb.StreamResponse_Message:
		return "message " + text(x.Message.GetParts())
	case *pb.StreamResponse_StatusUpdate:
		return x.StatusUpdate.GetStatus().GetState().String()
	case *pb.StreamResponse_ArtifactUpdate:
		u := x.ArtifactUpdate
		return fmt.Sprintf("%s append=%t last=%t", text(u.GetArtifact().GetParts()), u.GetAppend(), u.GetLastChunk())
	}
	return "nothing"
}
