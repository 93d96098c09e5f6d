package httpwire_test

import (
	"bytes"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/httpwire"
)

var errSaid = errors.New("said")

func frames() httpwire.Frames {
	return httpwire.Frames{
		Event:     func(dst []byte, p binding.Payload) ([]byte, error) { return p.AppendJSON(dst) },
		Error:     func(dst []byte, err error) []byte { return append(dst, err.Error()...) },
		ErrorName: "error",
	}
}

func event(id string) binding.Payload { return binding.MessagePayload(&pb.CancelTaskRequest{Id: id}) }

// A silent stream is kept alive by comments, which its reader passes over.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		err := httpwire.ServeStream(w, new(binding.Call), func(yield func(binding.Payload, error) bool) {
			yield(event("a"), nil)
			time.Sleep(40 * time.Second)
			yield(event("b"), nil)
			time.Sleep(10 * time.Second)
			yield(event("c"), nil)
		}, frames())
		require.NoError(t, err)
		assert.Equal(t, "data: {\"id\":\"a\"}\n\n:\n\n:\n\ndata: {\"id\":\"b\"}\n\ndata: {\"id\":\"c\"}\n\n", w.Body.String())
	})
}

func TestServeStream(t *testing.T) {
	serve := func(events iter.Seq2[binding.Payload, error]) (*httptest.ResponseRecorder, error) {
		w := httptest.NewRecorder()
		call := &binding.Call{Reply: binding.Params{"a2a-extensions": "x"}}
		return w, httpwire.ServeStream(w, call, events, frames())
	}
	w, err := serve(func(func(binding.Payload, error) bool) {})
	require.NoError(t, err)
	assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	assert.Equal(t, "no", w.Header().Get("X-Accel-Buffering"))
	assert.Equal(t, "x", w.Header().Get("A2A-Extensions"))
	assert.Empty(t, w.Body.String(), "an empty stream is an empty stream")

	w, err = serve(func(yield func(binding.Payload, error) bool) { yield(binding.Payload{}, errSaid) })
	require.ErrorIs(t, err, errSaid, "an error before the first event is the caller's to write")
	assert.Empty(t, w.Header())

	w, err = serve(func(yield func(binding.Payload, error) bool) {
		_ = yield(event("a"), nil) && yield(binding.Payload{}, errSaid)
	})
	require.NoError(t, err)
	assert.Equal(t, "data: {\"id\":\"a\"}\n\nevent: error\ndata: said\n\n", w.Body.String())
	assert.True(t, w.Flushed)
}

// gone is a client whose connection is lost.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestClientThatIsGoneEndsItsStream(t *testing.T) {
	asked := 0
	err := httpwire.ServeStream(gone{httptest.NewRecorder()}, new(binding.Call), func(yield func(binding.Payload, error) bool) {
		for yield(event("a"), nil) {
			asked++
		}
	}, frames())
	require.NoError(t, err)
	assert.Zero(t, asked)
}

func TestReadBody(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		length int64
		limit  int
		want   string
		err    bool
	}{
		"announced": {"abc", 3, 10, "abc", false}, "not announced": {"abc", -1, 10, "abc", false}, "empty": {"", 0, 10, "", false},
		"at the limit": {"abc", -1, 3, "abc", false}, "over, announced": {"abc", 3, 2, "", true}, "over": {"abc", -1, 2, "", true}, "cut": {"ab", 3, 10, "", true},
	} {
		got, err := httpwire.ReadBody(bytes.NewReader([]byte(c.body)), c.length, c.limit)
		assert.Equal(t, c.err, err != nil, name)
		if !c.err {
			assert.Equal(t, c.want, string(got), name)
		}
	}
	big := bytes.Repeat([]byte("x"), 100_000)
	got, err := httpwire.ReadBody(bytes.NewReader(big), -1, 200_000)
	require.NoError(t, err)
	assert.Equal(t, big, got)
	_, err = httpwire.ReadBody(bytes.NewReader(big), -1, 50_000)
	require.ErrorIs(t, err, binding.ErrResourceExhausted)
}

func TestReadCall(t *testing.T) { // spec 3.2.6, 9.2
	r := httptest.NewRequest(http.MethodPost, "/?a2a-version=1.0", nil)
	r.Header.Add("a2a-extensions", "https://x.example/A")
	r.Header.Add("A2A-Extensions", "https://x.example/b, https://x.example/c")
	r.Header.Set("X-Custom", "Ab")
	r.Header.Set("Authorization", "Bearer s3cr3t")
	r.Header.Set("Cookie", "s3cr3t")
	r.Header.Set("Accept", "x")
	call := httpwire.ReadCall(r)
	assert.Equal(t, binding.Params{"a2a-version": "1.0", "a2a-extensions": "https://x.example/A, https://x.example/b, https://x.example/c", "x-custom": "Ab"}, call.Params)
	assert.Equal(t, []string{"https://x.example/A", "https://x.example/b", "https://x.example/c"}, call.Extensions())
	old := httptest.NewRequest(http.MethodPost, "/", nil)
	old.Header.Set("X-A2A-Extensions", "https://x.example/old")
	assert.Empty(t, httpwire.ReadCall(old).Extensions(), "the name of 0.3 names nothing in 1.0")
	assert.Equal(t, "Bearer s3cr3t", call.Credential.Reveal())
	assert.NotEmpty(t, call.Peer)
	r.Header.Set("A2A-Version", "0.3")
	assert.Equal(t, "0.3", httpwire.ReadCall(r).Param("a2a-version"), "the header comes before the query")
	h := http.Header{}
	httpwire.SetParams(h, (&binding.Call{Params: binding.Params{"x-custom": "v", "a2a-extensions": "e"}}).Outgoing())
	assert.Equal(t, http.Header{"A2a-Version": {"1.0"}, "A2a-Extensions": {"e"}, "X-Custom": {"v"}}, h)
}

func TestNewClientRefuses(t *testing.T) {
	for _, url := range []string{"ftp://x", "x", "http://", "http://user:s3cr3t@a.example"} {
		_, err := httpwire.NewClient("pkg", url, nil, nil)
		require.ErrorIs(t, err, binding.ErrInvalidParams, url)
		assert.NotContains(t, err.Error(), "s3cr3t")
	}
}

func TestMediaTypes(t *testing.T) {
	for in, json := range map[string]bool{"application/json": true, "application/a2a+json; charset=utf-8": true, "APPLICATION/JSON": true, "text/plain": false, "": false, "text/x+json": false} {
		assert.Equal(t, json, httpwire.IsJSON(httpwire.MediaType(http.Header{"Content-Type": {in}})), in)
	}
}
