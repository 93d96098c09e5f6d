package catalogue_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// bridged is a client of one entry, whose server is a bridge to a dialed agent.
func bridged(t *testing.T, front catalogue.Entry, upstream binding.Client) binding.Client {
	t.Helper()
	b := bridge.New(upstream, nil, nil)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	s, err := b.Listen(t.Context(), front.Make(binding.Options{}), &pb.AgentInterface{Url: loopback(t, front)}, "")
	require.NoError(t, err)
	return dial(t, front, s.Interface())
}

// echo streams back what it is sent, as an artifact.
type echo struct{ binding.Unimplemented }

func (echo) SendStreamingMessage(_ context.Context, _ *binding.Call, r *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		_ = yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: &pb.Task{Id: "t", Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}}}, nil) &&
			yield(&pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{TaskId: "t", ContextId: "c",
				Artifact: &pb.Artifact{ArtifactId: "a", Parts: r.GetMessage().GetParts()}}}}, nil)
	}
}

func sendRaw(n int) *pb.SendMessageRequest {
	r := say("")
	r.Message.Parts[0].Content = &pb.Part_Raw{Raw: make([]byte, n)}
	return r
}

// What is under the limit crosses to gRPC and from it, whose library has a
// limit of its own, and what is over it is an error of its call alone. The
// limits themselves are a matter of equivalence, over every pair.
func TestLargeMessagesCrossABridge(t *testing.T) {
	const grpc = "GRPC"
	for _, back := range catalogue.Entries() {
		s, err := back.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: loopback(t, back)}, echo{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		for _, front := range catalogue.Entries() {
			if front.Protocol() != grpc && back.Protocol() != grpc {
				continue
			}
			t.Run(front.Name+"-to-"+back.Name, func(t *testing.T) {
				c := bridged(t, front, dial(t, back, s.Interface()))
				passes := func(n int) {
					var got []byte
					for ev, err := range c.SendStreamingMessage(patient(t), nil, sendRaw(n)) {
						require.NoError(t, err)
						if a := ev.GetArtifactUpdate(); a != nil {
							got = a.GetArtifact().GetParts()[0].GetRaw()
						}
					}
					assert.Len(t, got, n)
				}
				passes(5 << 20)
				for _, err := range c.SendStreamingMessage(patient(t), nil, sendRaw(9<<20)) {
					require.ErrorIs(t, err, binding.ErrResourceExhausted)
				}
				passes(10)
			})
		}
	}
}

const working = `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`

// faults are what goes wrong behind a bridge, as an HTTP server shows it.
var faults = []struct {
	name        string
	status      int
	contentType string
	body        string
	want        error
}{
	{"a challenge", 401, "text/plain", "who?", binding.ErrUnauthenticated},
	{"a proxy's page", 502, "text/html", "<html>the secret host</html>", binding.ErrUnavailable},
	{"a result that is none", 200, "application/json", `{}`, binding.ErrInvalidAgentResponse},
	{"no JSON", 200, "application/json", `the secret host`, binding.ErrInvalidAgentResponse},
	{"events of another task", 200, "text/event-stream", "data: " + working + "\n\ndata: " + strings.Replace(working, `"t"`, `"u"`, 1) + "\n\n", binding.ErrInvalidAgentResponse},
	{"a stream that is cut", 200, "text/event-stream", "data: " + working + "\n\ndata: {", binding.ErrUnavailable},
}

// Whatever goes wrong behind a bridge is the same error for its callers on any
// wire, says nothing of where that was, and sends no message twice.
func TestFaultsBehindABridge(t *testing.T) {
	const challenge = `Bearer realm="a2a", error="invalid_token"`
	rest := catalogue.Entries()[1]
	require.Equal(t, "HTTP+JSON", rest.Protocol())
	for _, f := range faults {
		var asked atomic.Int64
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", f.contentType)
			if f.status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", challenge)
			}
			w.WriteHeader(f.status)
			_, _ = io.WriteString(w, f.body)
		}))
		t.Cleanup(srv.Close)
		for _, front := range catalogue.Entries() {
			t.Run(f.name+" "+front.Name, func(t *testing.T) {
				c := bridged(t, front, dial(t, rest, &pb.AgentInterface{Url: srv.URL}))
				asked.Store(0)
				var last error
				for _, err := range c.SendStreamingMessage(patient(t), nil, say("x")) {
					last = err
				}
				var e *binding.Error
				require.ErrorAs(t, last, &e)
				require.ErrorIs(t, e, f.want)
				assert.True(t, e.Remote, "the bridge said so")
				for _, secret := range []string{"secret", "127.0.0.1", strings.TrimPrefix(srv.URL, "http://")} {
					assert.NotContains(t, fmt.Sprint(e, e.Details), secret)
				}
				if f.status == http.StatusUnauthorized {
					assert.Equal(t, challenge, e.Info().GetMetadata()["wwwAuthenticate"])
				}
				assert.Equal(t, int64(1), asked.Load())
			})
		}
	}
}

// An agent that is not there is Unavailable.
func TestNobodyBehindABridge(t *testing.T) {
	rest := catalogue.Entries()[1]
	srv := httptest.NewServer(http.NotFoundHandler())
	upstream := dial(t, rest, &pb.AgentInterface{Url: srv.URL})
	srv.Close()
	for _, front := range catalogue.Entries() {
		t.Run(front.Name, func(t *testing.T) {
			_, err := bridged(t, front, upstream).GetTask(patient(t), nil, &pb.GetTaskRequest{Id: "t"})
			var e *binding.Error
			require.ErrorAs(t, err, &e)
			require.ErrorIs(t, e, binding.ErrUnavailable)
			assert.True(t, e.Remote)
			assert.NotContains(t, e.Text(), "127.0.0.1")
		})
	}
}
