//go:build interop

package leg

import (
	"fmt"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Texts that conversations send, and expect back.
const (
	ExtensionGeo = "https://ext.example/geo"
	// Unicode is text of every length of UTF-8, and what JSON escapes.
	Unicode = "příliš 日本語 🦉 𝔘 \"quoted\" \\ / \u2028 \u0001 <b>&amp;"
)

// Clip keeps large texts out of messages.
func Clip(text string) string {
	const most = 3000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// As reads ProtoJSON into a message.
func As[M proto.Message](t require.TestingT, text []byte, m M) M {
	require.NoError(t, protojson.Unmarshal(text, m), "%s", Clip(string(text)))
	return m
}

// Text is that of all text parts together.
func Text(parts []*pb.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.GetText())
	}
	return b.String()
}

// Shape is an event as words: what it is, and what it says.
func Shape(e *pb.StreamResponse) string {
	switch x := e.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return "task " + x.Task.GetStatus().GetState().String()
	case *pb.StreamResponse_Message:
		return "message " + Text(x.Message.GetParts())
	case *pb.StreamResponse_StatusUpdate:
		return x.StatusUpdate.GetStatus().GetState().String()
	case *pb.StreamResponse_ArtifactUpdate:
		u := x.ArtifactUpdate
		return fmt.Sprintf("%s append=%t last=%t", Text(u.GetArtifact().GetParts()), u.GetAppend(), u.GetLastChunk())
	}
	return "nothing"
}

// ErrorInfo is the google.rpc.ErrorInfo of the A2A domain among details, nil
// for none.
func ErrorInfo(details []map[string]any) map[string]any {
	for _, d := range details {
		if d["@type"] == "type.googleapis.com/google.rpc.ErrorInfo" && d["domain"] == "a2a-protocol.org" {
			return d
		}
	}
	return nil
}

// Kinds are the @type of details, without their common beginning.
func Kinds(details []map[string]any) []string {
	var out []string
	for _, d := range details {
		kind, _ := d["@type"].(string)
		out = append(out, strings.TrimPrefix(kind, "type.googleapis.com/google.rpc."))
	}
	return out
}
