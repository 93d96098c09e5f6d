package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What clients of other hands write, and what they are told: by the agent
// itself, and by a bridge in front of it. They write application/json and
// accept anything, as most of A2A 1.0.0 do.
func TestForeignRequests(t *testing.T) {
	const (
		plain = "application/json"
		full  = "application/a2a+json"
		sse   = "text/event-stream"

		send   = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
		more   = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello","x":1}],"x":{}},"x":[true]}`
		typed  = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"raw":"eA==","mediaType":"application/x-unheard-of"}]}}`
		config = `{"taskId":"t","url":"https://hooks.example.com/"}`
		ext    = "urn:example:needed"
	)
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	reason := func(s string) string { return `"reason":"` + s + `","domain":"a2a-protocol.org"` }
	type request struct {
		name, wire, method, path, body, headers string
		status                                  int
		mediaType                               string
		says                                    []string
	}
	for _, agent := range []struct {
		name     string
		args     []string
		requests []request
	}{
		{"all capabilities", nil, []request{
			{"send", "JSONRPC", "POST", "", rpc("SendMessage", send), "", 200, plain, []string{`"jsonrpc":"2.0"`, `"id":7`, `"result":{"task":`}},
			{"unknown members", "JSONRPC", "POST", "", rpc("SendMessage", more), "", 200, plain, []string{`"result":{"task":`}},
			{"unknown extensions", "JSONRPC", "POST", "", rpc("SendMessage", send), "A2A-Extensions: https://x.example/a,https://x.example/b", 200, plain, []string{`"result":{"task":`}},
			{"unknown method", "JSONRPC", "POST", "", rpc("NoSuchMethod", "{}"), "", 200, plain, []string{`"code":-32601`, `"message":`}},
			{"no message", "JSONRPC", "POST", "", rpc("SendMessage", "{}"), "", 200, plain, []string{`"code":-32602`}},
			{"no task", "JSONRPC", "POST", "", rpc("GetTask", `{"id":"nope"}`), "", 200, plain, []string{`"code":-32001`, reason("TASK_NOT_FOUND")}},
			{"no task to subscribe to", "JSONRPC", "POST", "", rpc("SubscribeToTask", `{"id":"nope"}`), "Accept: " + sse, 200, plain, []string{`"code":-32001`, reason("TASK_NOT_FOUND")}},
			{"media type of a part", "JSONRPC", "POST", "", rpc("SendMessage", typed), "", 200, plain, []string{`"code":-32005`, reason("CONTENT_TYPE_NOT_SUPPORTED")}},
			{"media type of the body", "JSONRPC", "POST", "", rpc("SendMessage", send), "Content-Type: text/plain", 415, plain, []string{`"code":-32005`, reason("CONTENT_TYPE_NOT_SUPPORTED")}},
			{"another version", "JSONRPC", "POST", "", rpc("SendMessage", send), "A2A-Version: 99.0", 200, plain, []string{`"code":-32009`, reason("VERSION_NOT_SUPPORTED")}},
			{"no version", "JSONRPC", "POST", "", rpc("SendMessage", send), "A2A-Version: ", 200, plain, []string{`"code":-32009`}},
			{"stream", "JSONRPC", "POST", "", rpc("SendStreamingMessage", send), "Accept: " + sse, 200, sse, []string{`"id":7`, `"result":{"task":`, `"result":{"statusUpdate":`}},
			{"extended card", "JSONRPC", "POST", "", rpc("GetExtendedAgentCard", "{}"), "", 200, plain, []string{`"supportedInterfaces":`}},

			{"send", "HTTP+JSON", "POST", "/message:send", send, "", 200, plain, []string{`{"task":`}},
			{"send, as 1.0.1 has it", "HTTP+JSON", "POST", "/message:send", send, "Content-Type: " + full, 200, full, []string{`{"task":`}},
			{"unknown members", "HTTP+JSON", "POST", "/message:send", more, "", 200, plain, []string{`{"task":`}},
			{"unknown extensions", "HTTP+JSON", "POST", "/message:send", send, "A2A-Extensions: https://x.example/a,https://x.example/b", 200, plain, []string{`{"task":`}},
			{"no message", "HTTP+JSON", "POST", "/message:send", "{}", "", 400, plain, []string{`"code":400`}},
			{"no task", "HTTP+JSON", "GET", "/tasks/nope", "", "", 404, full, []string{`{"error":{"code":404`, `"status":"NOT_FOUND"`, reason("TASK_NOT_FOUND")}},
			{"no task to cancel", "HTTP+JSON", "POST", "/tasks/nope:cancel", "", "", 404, full, []string{reason("TASK_NOT_FOUND")}},
			{"no task to subscribe to", "HTTP+JSON", "POST", "/tasks/nope:subscribe", "", "Accept: " + sse, 404, full, []string{reason("TASK_NOT_FOUND")}},
			{"media type of a part", "HTTP+JSON", "POST", "/message:send", typed, "", 400, plain, []string{reason("CONTENT_TYPE_NOT_SUPPORTED")}},
			{"media type of the body", "HTTP+JSON", "POST", "/message:send", send, "Content-Type: text/plain", 415, full, []string{reason("CONTENT_TYPE_NOT_SUPPORTED")}},
			{"another version", "HTTP+JSON", "POST", "/message:send", send, "A2A-Version: 99.0", 400, plain, []string{reason("VERSION_NOT_SUPPORTED")}},
			{"stream", "HTTP+JSON", "POST", "/message:stream", send, "Accept: " + sse, 200, sse, []string{`data: {"task":`, `data: {"statusUpdate":`}},
			{"extended card", "HTTP+JSON", "GET", "/extendedAgentCard", "", "", 200, full, []string{`"supportedInterfaces":`}},
		}},
		{"no capability", []string{"--no-streaming", "--no-push", "--no-extended"}, []request{
			{"stream", "JSONRPC", "POST", "", rpc("SendStreamingMessage", send), "Accept: " + sse, 200, plain, []string{`"code":-32004`, reason("UNSUPPORTED_OPERATION")}},
			{"push", "JSONRPC", "POST", "", rpc("CreateTaskPushNotificationConfig", config), "", 200, plain, []string{`"code":-32003`, reason("PUSH_NOTIFICATION_NOT_SUPPORTED")}},
			{"extended card", "JSONRPC", "POST", "", rpc("GetExtendedAgentCard", "{}"), "", 200, plain, []string{`"code":-32004`, reason("UNSUPPORTED_OPERATION")}},
			{"stream", "HTTP+JSON", "POST", "/message:stream", send, "Accept: " + sse, 400, plain, []string{`"code":400`, reason("UNSUPPORTED_OPERATION")}},
			{"push", "HTTP+JSON", "POST", "/tasks/t/pushNotificationConfigs", config, "", 400, plain, []string{reason("PUSH_NOTIFICATION_NOT_SUPPORTED")}},
			{"extended card", "HTTP+JSON", "GET", "/extendedAgentCard", "", "", 400, full, []string{reason("UNSUPPORTED_OPERATION")}},
		}},
		{"a required extension", []string{"--require-extension", ext}, []request{
			{"unnamed", "JSONRPC", "POST", "", rpc("SendMessage", send), "", 200, plain, []string{`"code":-32008`, reason("EXTENSION_SUPPORT_REQUIRED")}},
			{"named beside another", "JSONRPC", "POST", "", rpc("SendMessage", send), "A2A-Extensions: https://x.example/a," + ext, 200, plain, []string{`"result":{"task":`}},
			{"unnamed", "HTTP+JSON", "POST", "/message:send", send, "", 400, plain, []string{reason("EXTENSION_SUPPORT_REQUIRED")}},
			{"named", "HTTP+JSON", "POST", "/message:send", send, "A2A-Extensions: " + ext, 200, plain, []string{`{"task":`}},
		}},
	} {
		for by, args := range map[string][]string{"agent": nil, "bridge": {"--bridge"}} {
			urls := start(t, append(append([]string{"agent", "--jsonrpc", "127.0.0.1:0", "--rest", "127.0.0.1:0"}, args...), agent.args...)...)
			for _, r := range agent.requests {
				t.Run(by+"/"+agent.name+"/"+r.wire+"/"+r.name, func(t *testing.T) {
					status, h, body := raw(t, r.method, urls[r.wire]+r.path, r.body, r.headers)
					assert.Equal(t, r.status, status, body)
					assert.Equal(t, r.mediaType, h.Get("Content-Type"))
					for _, s := range r.says {
						assert.Contains(t, body, s)
					}
				})
			}
			for _, base := range urls {
				cardCanBeKept(t, base)
			}
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// cardCanBeKept holds the card's headers to spec 8.6.1.
func cardCanBeKept(t *testing.T, base string) {
	status, h, body := raw(t, "GET", base+"/.well-known/agent-card.json", "", "")
	require.Equal(t, 200, status, body)
	assert.Equal(t, "application/json", h.Get("Content-Type"))
	assert.Contains(t, h.Get("Cache-Control"), "max-age=")
	assert.NotEmpty(t, h.Get("Last-Modified"))
	status, _, body = raw(t, "GET", base+"/.well-known/agent-card.json", "", "If-None-Match: "+h.Get("ETag"))
	assert.Equal(t, http.StatusNotModified, status)
	assert.Empty(t, body)
}

// raw makes a request with the headers that a foreign client writes, and one of its own.
func raw(t *testing.T, method, url, body, header string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Accept", "*/*")
	r.Header.Set("A2A-Version", "1.0")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if name, v, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, v)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, string(b)
}
