package agentcard_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
)

func card() *pb.AgentCard {
	return &pb.AgentCard{
		Name: "n", Version: "1", Capabilities: &pb.AgentCapabilities{},
		SupportedInterfaces: []*pb.AgentInterface{{Url: "http://127.0.0.1:9000/int/tock/", ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}},
		Skills:              []*pb.AgentSkill{{Id: "s", Name: "s", SecurityRequirements: []*pb.SecurityRequirement{{}}}},
		SecuritySchemes:     map[string]*pb.SecurityScheme{"b": {}},
		Signatures:          []*pb.AgentCardSignature{{Protected: "p", Signature: "s"}},
	}
}

func TestLocate(t *testing.T) { // spec 8.2
	for in, want := range map[string]string{
		"http://a.example":                              "http://a.example/.well-known/agent-card.json",
		"https://a.example/x/":                          "https://a.example/x/.well-known/agent-card.json",
		"https://a.example/.well-known/agent-card.json": "https://a.example/.well-known/agent-card.json",
		"https://a.example/cards/mine.json?v=1":         "https://a.example/cards/mine.json?v=1",
	} {
		u, err := agentcard.Locate(in)
		require.NoError(t, err)
		assert.Equal(t, want, u.String())
	}
	for _, in := range []string{"a.example", "ftp://a.example", "http://", "::"} {
		_, err := agentcard.Locate(in)
		require.ErrorIs(t, err, binding.ErrInvalidParams, in)
	}
}

func TestCardIsCached(t *testing.T) { // spec 8.6
	var current atomic.Pointer[pb.AgentCard]
	current.Store(card())
	var asked []string
	h := agentcard.Handler(current.Load, time.Nanosecond) // max-age=0: ask again each time
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		asked = append(asked, r.URL.Path+" "+http.StatusText(rec.Code))
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	defer s.Close()
	f := agentcard.NewFetcher(nil)
	defer f.Close()
	first, err := f.Fetch(t.Context(), s.URL)
	require.NoError(t, err)
	assert.True(t, proto.Equal(card(), first))
	first.Name = "changed"
	second, err := f.Fetch(t.Context(), s.URL)
	require.NoError(t, err)
	assert.Equal(t, "n", second.GetName(), "the card is the caller's")
	changed := card()
	changed.Name = "new"
	current.Store(changed)
	third, err := f.Fetch(t.Context(), s.URL)
	require.NoError(t, err)
	assert.Equal(t, "new", third.GetName())
	assert.Equal(t, []string{"/.well-known/agent-card.json OK", "/.well-known/agent-card.json Not Modified", "/.well-known/agent-card.json OK"}, asked)

	fresh := httptest.NewServer(agentcard.Handler(current.Load, time.Hour))
	_, err = f.Fetch(t.Context(), fresh.URL)
	require.NoError(t, err)
	fresh.Close()
	_, err = f.Fetch(t.Context(), fresh.URL)
	require.NoError(t, err, "a fresh card is not asked for again")
}

func TestHandler(t *testing.T) {
	var none *pb.AgentCard
	get := func(h http.Handler, method string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, agentcard.Path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, http.StatusNotFound, get(agentcard.Handler(func() *pb.AgentCard { return none }, 0), http.MethodGet).Code)
	h := agentcard.Handler(card, 0)
	w := get(h, http.MethodGet)
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.Equal(t, "public, max-age=60", w.Header().Get("Cache-Control"))
	etag, modified := w.Header().Get("ETag"), w.Header().Get("Last-Modified")
	assert.NotEmpty(t, etag)
	assert.NotEmpty(t, modified)
	assert.Empty(t, get(h, http.MethodHead).Body.String())
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"If-None-Match", etag, http.StatusNotModified}, {"If-None-Match", `"x", W/` + etag, http.StatusNotModified}, {"If-None-Match", "*", http.StatusNotModified},
		{"If-None-Match", `"x"`, http.StatusOK}, {"If-Modified-Since", modified, http.StatusNotModified}, {"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT", http.StatusOK},
	} {
		assert.Equal(t, c.status, get(h, http.MethodGet, c.name, c.value).Code, "%s: %s", c.name, c.value)
	}
	post := get(h, http.MethodPost)
	assert.Equal(t, http.StatusMethodNotAllowed, post.Code)
	assert.Equal(t, "GET, HEAD", post.Header().Get("Allow"))
}

func TestWhatIsNoCard(t *testing.T) {
	for name, c := range map[string]struct {
		status            int
		contentType, body string
		code              binding.Code
	}{
		"not there":        {404, "text/plain", "404 page not found", binding.MethodNotFound},
		"failing":          {500, "text/html", "<html>", binding.Internal},
		"HTML":             {200, "text/html", "<html>", binding.InvalidAgentResponse},
		"not JSON":         {200, "application/json", "<html>", binding.InvalidAgentResponse},
		"no interfaces":    {200, "application/json", `{"name":"n","capabilities":{}}`, binding.InvalidAgentResponse},
		"redirect":         {302, "text/html", "", binding.Internal},
		"a card with more": {200, "application/json", `{"protocolVersion":"0.3","name":"n","supportedInterfaces":[{"url":"u","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"x":1}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer s.Close()
			f := agentcard.NewFetcher(nil)
			defer f.Close()
			_, err := f.Fetch(t.Context(), s.URL)
			assert.Equal(t, c.code, binding.CodeOf(err), "%v", err)
		})
	}
	f := agentcard.NewFetcher(nil)
	defer f.Close()
	_, err := f.Fetch(t.Context(), "http://127.0.0.1:1")
	require.ErrorIs(t, err, binding.ErrUnavailable)
}

// A fetch that ends with its context says so, wherever it is.
func TestFetchEndsWithItsContext(t *testing.T) {
	for name, say := range map[string]func(http.ResponseWriter){
		"no answer": func(http.ResponseWriter) {},
		"half a card": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"name":`)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				say(w)
				leave()
				<-r.Context().Done()
			}))
			defer s.Close()
			f := agentcard.NewFetcher(nil)
			defer f.Close()
			_, err := f.Fetch(ctx, s.URL)
			require.ErrorIs(t, err, binding.ErrCanceled)
		})
	}
}

func TestRewrite(t *testing.T) { // spec 8.3.1
	before := card()
	front := []*pb.AgentInterface{{Url: "https://gw.example/a2a", ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}}
	out := agentcard.Rewrite(before, agentcard.Front{Interfaces: front})
	assert.True(t, proto.Equal(card(), before), "the card given does not change")
	assert.Len(t, out.GetSupportedInterfaces(), 1)
	assert.NotContains(t, out.String(), "127.0.0.1")
	assert.Empty(t, out.GetSignatures())
	assert.Empty(t, out.GetSecuritySchemes())
	assert.Empty(t, out.GetSkills()[0].GetSecurityRequirements())
	kept := agentcard.Rewrite(before, agentcard.Front{Interfaces: front, KeepSecurity: true})
	assert.Len(t, kept.GetSecuritySchemes(), 1)
	assert.Empty(t, kept.GetSignatures())
}

// Where the agent is on a wire of its own is not told, however that is said.
func TestRewriteDropsParametersOfWires(t *testing.T) {
	const wire, other = "https://example.com/wire/v1", "https://example.com/other"
	before := card()
	before.SupportedInterfaces = append(before.SupportedInterfaces, &pb.AgentInterface{Url: "wire://x", ProtocolBinding: wire, ProtocolVersion: "1.0"})
	before.Capabilities = &pb.AgentCapabilities{Extensions: []*pb.AgentExtension{{Uri: wire}, {Uri: other}}}
	same := proto.Clone(before)
	out := agentcard.Rewrite(before, agentcard.Front{})
	assert.True(t, proto.Equal(same, before), "the card given does not change")
	require.Len(t, out.GetCapabilities().GetExtensions(), 1)
	assert.Equal(t, other, out.GetCapabilities().GetExtensions()[0].GetUri())
}
