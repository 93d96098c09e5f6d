package ws_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// revealing is an agent whose tasks have the credential of the call for an id.
func revealing() *agent {
	return &agent{get: func(_ context.Context, call *binding.Call, _ *pb.GetTaskRequest) (*pb.Task, error) {
		return task("as " + call.Credential.Reveal()), nil
	}}
}

// A caller that is refused is told before there is a connection, and how to do
// better (spec 3.3.2); other credentials have connections of their own.
func TestAuthenticate(t *testing.T) {
	h, url := serve(t, revealing(), &ws.Options{Authenticate: func(_ context.Context, r *http.Request) (*ws.Identity, error) {
		switch r.Header.Get("Authorization") {
		case "Bearer good":
			return &ws.Identity{Name: "alice"}, nil
		case "Bearer known":
			return nil, binding.ErrPermissionDenied
		}
		return nil, binding.ErrUnauthenticated.WithInfo("wwwAuthenticate", `Bearer realm="a2a"`)
	}})
	for credential, status := range map[string]int{"": 401, "Bearer bad": 401, "Bearer known": 403} {
		_, resp, err := try(t, url, http.Header{"Authorization": {credential}}, "a2a.v1")
		require.Error(t, err)
		assert.Equal(t, status, resp.StatusCode)
		if status == 401 {
			assert.Equal(t, `Bearer realm="a2a"`, resp.Header.Get("WWW-Authenticate"))
		}
	}
	c := dial(t, url, nil)
	_, err := c.GetTask(within(t), nil, get("t-1"))
	codes(t, binding.Unauthenticated, err)
	assert.Equal(t, `Bearer realm="a2a"`, binding.Flatten(err).Info().GetMetadata()["wwwAuthenticate"])
	_, err = c.GetTask(within(t), &binding.Call{Credential: "Bearer known"}, get("t-1"))
	codes(t, binding.PermissionDenied, err)
	assert.Zero(t, h.Connections())
	for range 2 {
		got, err := c.GetTask(within(t), &binding.Call{Credential: "Bearer good"}, get("t-1"))
		require.NoError(t, err)
		assert.Equal(t, "as Bearer good", got.GetId())
	}
	assert.Equal(t, 1, h.Connections())
}

// An error of an authenticator that is none of ours says nothing of its cause.
func TestAuthenticateFails(t *testing.T) {
	_, url := serve(t, &agent{}, &ws.Options{Authenticate: func(context.Context, *http.Request) (*ws.Identity, error) {
		return nil, fmt.Errorf("database at 10.0.0.1 is gone")
	}})
	_, resp, err := try(t, url, nil, "a2a.v1")
	require.Error(t, err)
	assert.Equal(t, http.StatusInternalServerError, resp.StatusCode)
	body := make([]byte, 1000)
	n, _ := resp.Body.Read(body)
	assert.NotContains(t, string(body[:n]), "10.0.0.1")
}

// Nil for an identity is nobody in particular.
func TestAuthenticateNobody(t *testing.T) {
	_, url := serve(t, &agent{}, &ws.Options{Authenticate: func(context.Context, *http.Request) (*ws.Identity, error) { return nil, nil }})
	connect(t, url, nil, "a2a.v1").quiet()
}

// Cookies authenticate nobody, unless somebody has said whose pages may send them.
func TestCookies(t *testing.T) {
	for want, origins := range map[string][]string{"": nil, "session=1": {"app.example"}} {
		seen := make(chan string, 1)
		_, url := serve(t, &agent{}, &ws.Options{Origins: origins, Authenticate: func(_ context.Context, r *http.Request) (*ws.Identity, error) {
			seen <- r.Header.Get("Cookie")
			return nil, nil
		}})
		connect(t, url, http.Header{"Cookie": {"session=1"}}, "a2a.v1")
		assert.Equal(t, want, <-seen)
	}
}

// Calls with different credentials never share a connection.
func TestCredentials(t *testing.T) {
	h, url := serve(t, revealing(), nil)
	c := dial(t, url, nil)
	for i := range 6 {
		credential := fmt.Sprintf("Bearer %d", i%3)
		got, err := c.GetTask(within(t), &binding.Call{Credential: binding.Credential(credential)}, get("t-1"))
		require.NoError(t, err)
		assert.Equal(t, "as "+credential, got.GetId())
	}
	assert.Equal(t, 4, h.Connections(), "one for each, and that of Dial")
}

// There is an end to connections: those that nobody uses make room, and when
// all are in use there is an error.
func TestMaxCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := inMemory(t, endings(make(chan string, ws.MaxCredentials)), nil)
		c := dial(t, memoryURL, &ws.Options{NetDial: m.dial})
		as := func(i int) *binding.Call {
			return &binding.Call{Credential: binding.Credential(fmt.Sprintf("Bearer %d", i))}
		}
		for i := range 2 * ws.MaxCredentials {
			_, err := c.GetTask(t.Context(), as(i), get("t-1"))
			require.NoError(t, err)
			synctest.Wait()
			require.LessOrEqual(t, h.Connections(), ws.MaxCredentials)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		failed := make(chan error, ws.MaxCredentials)
		for i := range ws.MaxCredentials {
			go func() { _, err := c.GetTask(ctx, as(i), get("wait")); failed <- err }()
			synctest.Wait()
		}
		_, err := c.GetTask(t.Context(), as(ws.MaxCredentials), get("t-1"))
		codes(t, binding.ResourceExhausted, err)
		assert.ErrorContains(t, err, "more than 64 credentials")
		cancel()
		for range ws.MaxCredentials {
			codes(t, binding.Canceled, <-failed)
		}
		_, err = c.GetTask(t.Context(), as(ws.MaxCredentials), get("t-1"))
		assert.NoError(t, err)
	})
}

// valid is how long the authentication of expiring lasts.
const valid = 50 * time.Second

// expiring authenticates everybody who has a credential as who follows its scheme.
func expiring(_ context.Context, r *http.Request) (*ws.Identity, error) {
	var scheme, name string
	if n, _ := fmt.Sscan(r.Header.Get("Authorization"), &scheme, &name); n != 2 {
		return nil, binding.ErrUnauthenticated
	}
	return &ws.Identity{Name: name, Expires: time.Now().Add(valid)}, nil
}

const (
	expired = `{"jsonrpc":"2.0","control":"ReauthenticationRequired","params":{"graceMs":5000}}`
	renewal = `{"jsonrpc":"2.0","id":"a","method":"Authenticate","params":{"scheme":"Bearer","credentials":"alice"}}`
)

// An authentication that ends is asked for again, of peers that only listen
// too; what comes must be of the same principal.
func TestReauthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m := inMemory(t, revealing(), &ws.Options{Authenticate: expiring})
		p := m.connect(t, http.Header{"Authorization": {"Basic alice"}}, "a2a.v1")
		began := time.Now()
		p.send(send(`1`, "SendStreamingMessage", "for ever"), call(`2`, "GetTask", `{"id":"t-1"}`))
		both := p.read() + p.read()
		assert.Contains(t, both, `"id":2,"result":{"id":"as Basic alice"`)
		for i := range 3 {
			for got := ""; got != expired; { // what answers pings until then
				_, b, err := p.sock.Read(t.Context())
				require.NoError(t, err)
				got = string(b)
			}
			assert.Equal(t, time.Duration(i+1)*valid, time.Since(began).Round(time.Second))
			p.send(call(`2`, "GetTask", `{"id":"t-1"}`))
			p.expect(`"id":2,"error":{"code":-31401,`)
			for params, code := range map[string]string{
				`{"scheme":"Bearer","credentials":"mallory"}`: "-31403",
				`{"scheme":"Bearer","credentials":""}`:        "-32602",
				`{"scheme":"Bearer"}`:                         "-32602",
				`{"scheme":7,"credentials":"alice"}`:          "-32602",
				`[]`:                                          "-32602",
			} {
				p.send(`{"jsonrpc":"2.0","id":"a","method":"Authenticate","params":` + params + `}`)
				p.expect(`"id":"a","error":{"code":` + code + `,`)
			}
			p.send(renewal)
			p.expect(`{"jsonrpc":"2.0","id":"a","result":{}}`)
			p.send(call(`2`, "GetTask", `{"id":"t-1"}`))
			p.expect(`"id":2,"result":{"id":"as Bearer alice"`)
		}
		p.send(signal(`1`, `"cancelStream":true`))
		p.expect(`{"jsonrpc":"2.0","id":1,"streamEnd":true}`)
	})
}

// Who does not renew it within five seconds is cut off.
func TestReauthenticationThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		a := endings(ended)
		h, m := inMemory(t, a, &ws.Options{Authenticate: expiring})
		p := m.connect(t, http.Header{"Authorization": {"Bearer alice"}}, "a2a.v1")
		began := time.Now()
		p.send(send(`1`, "SendStreamingMessage", "x"))
		for {
			_, _, err := p.sock.Read(t.Context())
			if err == nil {
				continue
			}
			assert.Equal(t, websocket.StatusCode(4001), websocket.CloseStatus(err))
			break
		}
		assert.Equal(t, valid+5*time.Second, time.Since(began).Round(time.Second))
		assert.Equal(t, "stream", <-ended)
		synctest.Wait()
		assert.Zero(t, h.Connections())
	})
}

// Where nobody is authenticated there is nothing to renew.
func TestReauthenticationIsNotAsked(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	p := connect(t, url, nil, "a2a.v1")
	p.send(renewal)
	p.expect(`"id":"a","error":{"code":-32601,`)
	p.quiet()
}

// A client with Reauthenticate keeps its connection and its streams for as
// long as it gets new credentials, and without loses them with a reason.
func TestClientReauthenticates(t *testing.T) {
	for name, c := range map[string]struct {
		credential binding.Credential // "" for none
		asked      int
		ends       time.Duration
		code       binding.Code
	}{
		"with":       {"Bearer alice", 5, 5*valid + valid/2, binding.DeadlineExceeded},
		"without":    {"", 0, valid + 5*time.Second, binding.Unauthenticated},
		"of another": {"Bearer mallory", 1, valid + 5*time.Second, binding.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, m := inMemory(t, endings(make(chan string, 1)), &ws.Options{Authenticate: expiring})
				var asked atomic.Int64
				o := &ws.Options{NetDial: m.dial}
				if c.credential != "" {
					o.Reauthenticate = func(context.Context) (binding.Credential, error) {
						asked.Add(1)
						return c.credential, nil
					}
				}
				client := dial(t, memoryURL, o)
				ctx, cancel := context.WithTimeout(t.Context(), 5*valid+valid/2)
				defer cancel()
				began := time.Now()
				var last error
				for _, last = range client.SendStreamingMessage(ctx, &binding.Call{Credential: "Bearer alice"}, message("x")) {
				}
				codes(t, c.code, last)
				assert.Equal(t, c.ends, time.Since(began).Round(time.Second))
				assert.Equal(t, int64(c.asked), asked.Load())
			})
		})
	}
}
