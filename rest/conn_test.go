package rest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

const (
	workingEvent = `{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`
	errorBody    = `{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`
)

// Streams as others write them (C18, C20, C22, D12).
func TestForeignStreams(t *testing.T) {
	for name, tc := range map[string]struct {
		mediaType, body string
		events          int
		want            error
	}{
		"clean end":            {typeEvents, "data: " + workingEvent + "\n\n", 1, nil},
		"comments and fields":  {typeEvents + "; charset=utf-8", ": ping\n\nid: 1\nevent: message\nretry: 1\ndata: {\"task\":{\"id\":\"t1\",\ndata: \"status\":{\"state\":\"TASK_STATE_WORKING\"}}}\n\nevent: ping\n\n", 1, nil},
		"no event":             {typeEvents, "", 0, nil},
		"error":                {typeEvents, "data: " + workingEvent + "\n\ndata: " + errorBody + "\n\n", 1, binding.ErrTaskNotFound},
		"error by name":        {typeEvents, "event: error\ndata: {\"code\":5,\"message\":\"gone\"}\n\n", 0, binding.ErrTaskNotFound},
		"error of JSON-RPC":    {typeEvents, `data: {"code":-32004,"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNSUPPORTED_OPERATION","domain":"a2a-protocol.org"}]}` + "\n\n", 0, binding.ErrUnsupportedOperation},
		"words in an event":    {typeEvents, `data: {"message":{"messageId":"\"code\"","role":"ROLE_AGENT","parts":[{"data":{"error":{"code":1},"code":2,"message":"x"}}]},"code":3}` + "\n\n", 1, nil},
		"cut event":            {typeEvents, "data: " + workingEvent + "\n\ndata: {", 1, binding.ErrUnavailable},
		"no JSON":              {typeEvents, "data: hello\n\n", 0, binding.ErrInvalidAgentResponse},
		"no event of A2A":      {typeEvents, "data: {}\n\n", 0, binding.ErrInvalidAgentResponse},
		"error, not as stream": {typeJSON, errorBody, 0, binding.ErrTaskNotFound},
		"event, not as stream": {typeJSON, workingEvent, 1, nil},
		"nothing":              {typeJSON, "", 0, binding.ErrInvalidAgentResponse},
		"page":                 {"text/html", "<html>", 0, binding.ErrInvalidAgentResponse},
	} {
		t.Run(name, func(t *testing.T) {
			c := foreign(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, acceptStream, r.Header.Get("Accept"))
				w.Header().Set("Content-Type", tc.mediaType)
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush() // so that the body is chunked
				_, _ = w.Write([]byte(tc.body))
			})
			events, err := collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
			assert.Len(t, events, tc.events)
			if tc.want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, tc.want)
			}
		})
	}
}

// Events stay as they are when later ones are read.
func TestEventsAreKept(t *testing.T) {
	other := doneEvent("t1")
	other.GetStatusUpdate().ContextId = "x2" // as long, so that it takes the same place
	s := &script{events: []*pb.StreamResponse{taskEvent("t1"), doneEvent("t1"), other}}
	var events []binding.Payload
	for p, err := range dialed(t, s, nil).Conn().Stream(t.Context(), binding.OpSubscribeToTask, new(binding.Call), binding.MessagePayload(&pb.SubscribeToTaskRequest{Id: "t1"})) {
		require.NoError(t, err)
		events = append(events, p)
	}
	require.Len(t, events, len(s.events))
	for i, p := range events {
		b, err := p.JSON()
		require.NoError(t, err)
		m, err := binding.OpSubscribeToTask.ResponseJSON(b).Message()
		require.NoError(t, err)
		assert.True(t, proto.Equal(s.events[i], m), "%s", b)
	}
}

// A connection that is cut is never a clean end (C22).
func TestLostStream(t *testing.T) {
	for name, cut := range map[string]func(http.ResponseWriter){
		"chunked": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"to the connection's end": func(w http.ResponseWriter) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = buf.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: " + workingEvent + "\n\n")
			_ = buf.Flush()
			_ = conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := foreign(t, func(w http.ResponseWriter, _ *http.Request) {
				if name == "chunked" {
					w.Header().Set("Content-Type", typeEvents)
					_, _ = w.Write([]byte("data: " + workingEvent + "\n\n"))
					_ = http.NewResponseController(w).Flush()
				}
				cut(w)
			})
			events, err := collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
			assert.Len(t, events, 1)
			require.ErrorIs(t, err, binding.ErrUnavailable)
			assert.False(t, binding.Flatten(err).Remote)
		})
	}
}

// What is over the limit is an error, and the next call goes on.
func TestLimits(t *testing.T) {
	big := `{"id":"` + strings.Repeat("x", 200_000) + `","status":{"state":"TASK_STATE_WORKING"}}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/message:stream":
			w.Header().Set("Content-Type", typeEvents)
			_, _ = w.Write([]byte(`data: {"task":` + big + "}\n\n"))
		case r.URL.Path == "/tasks/big":
			_, _ = w.Write([]byte(big))
		default:
			_, _ = w.Write([]byte(`{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}`))
		}
	}))
	defer srv.Close()
	c, err := Dial(t.Context(), srv.URL, &Options{Options: binding.Options{MaxMessageBytes: 500}})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	for range 2 {
		_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "big"})
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		_, err = collect(c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}))
		require.ErrorIs(t, err, binding.ErrResourceExhausted)
		_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "t1"})
		require.NoError(t, err)
	}
}

func TestDialRefuses(t *testing.T) {
	for _, url := range []string{"", "agent.example", "ftp://agent.example", "http://", "http://user:pw@agent.example"} {
		_, err := Dial(t.Context(), url, nil)
		require.ErrorIs(t, err, binding.ErrInvalidParams, url)
		assert.ErrorContains(t, err, "rest: dial: ", url)
	}
}

// The interface's own path and query stay (spec 8.3.1).
func TestDialPrefix(t *testing.T) {
	for base, want := range map[string]string{
		"":            "/tasks/a%2Fb?historyLength=0",
		"/":           "/tasks/a%2Fb?historyLength=0",
		"/x%2Fy/z/":   "/x%2Fy/z/tasks/a%2Fb?historyLength=0",
		"/x?key=1":    "/x/tasks/a%2Fb?key=1&historyLength=0",
		"/agent%20a/": "/agent%20a/tasks/a%2Fb?historyLength=0",
	} {
		var seen string
		rt := transport(func(r *http.Request) (*http.Response, error) {
			seen = r.URL.RequestURI()
			return nil, net.ErrClosed
		})
		c, err := Dial(t.Context(), "http://agent.example"+base, &Options{Transport: rt})
		require.NoError(t, err)
		zero := int32(0)
		_, err = c.GetTask(t.Context(), nil, &pb.GetTaskRequest{Id: "a/b", HistoryLength: &zero})
		require.ErrorIs(t, err, binding.ErrUnavailable)
		assert.Equal(t, want, seen)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Leaving a stream ends the agent's context (D05).
func TestLeavingEarly(t *testing.T) {
	ended := make(chan struct{})
	s := &endless{script: new(script), ended: ended}
	srv := Handler(struct{ binding.Agent }{binding.Remote(s)}, nil)
	c := foreign(t, srv.ServeHTTP)
	for ev, err := range c.SendStreamingMessage(t.Context(), nil, &pb.SendMessageRequest{Message: message("m", "x")}) {
		require.NoError(t, err)
		require.NotNil(t, ev.GetTask())
		break
	}
	<-ended
}

// The caller's own context says why a call ended.
func TestOwnContext(t *testing.T) {
	c := foreign(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.GetTask(ctx, nil, &pb.GetTaskRequest{Id: "t1"})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, binding.Flatten(err).Remote)
}
