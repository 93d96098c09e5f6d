package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
	"github.com/a2awire/a2awire/internal/sse"
)

// Dial connects to the agent at an http or https URL, to which the paths of
// spec 11.3 are appended. It does not use the network: calls connect when they
// need to. The context bounds the dialling alone.
func Dial(_ context.Context, url string, o *Options) (binding.Client, error) {
	_, client, err := dial(url, o)
	return client, err
}

func dial(url string, o *Options) (*conn, binding.Client, error) {
	opts := o.resolve()
	http, err := httpwire.NewClient("rest", url, opts.Transport, opts.TLS)
	if err != nil {
		return nil, nil, err
	}
	c := &conn{http: http, o: opts, prefix: strings.TrimRight(http.Base.EscapedPath(), "/")}
	return c, binding.Remote(binding.Outbound(c, &opts.Options, binding.CarriesJSON)), nil
}

// conn is the client side.
type conn struct {
	http   *httpwire.Client
	o      Options
	prefix string // the escaped path of the interface
	// second is set when the server has no route for the first method of those
	// operations that have two, and has one for the second.
	second atomic.Bool
}

func (c *conn) Close() error {
	c.http.Close()
	return nil
}

// request is a call, ready to be sent.
type request struct {
	route *route
	url   *url.URL
	body  []byte // nil for none
}

func (c *conn) request(op *binding.Op, p binding.Payload) (request, error) {
	rt := byOp[op]
	m, err := p.Message()
	if err != nil {
		return request{}, err
	}
	tenant, params := rt.pathValues(m.ProtoReflect())
	req := request{route: rt}
	u := *c.http.Base
	req.url = &u
	path := string(rt.appendPath(append(make([]byte, 0, 128), c.prefix...), tenant, params))
	u.Path, u.RawPath = path, ""
	if strings.IndexByte(path, '%') >= 0 {
		u.RawPath = path
		if u.Path, err = url.PathUnescape(path); err != nil {
			return request{}, err
		}
	}
	switch {
	case rt.body == noBody && len(rt.others) > 0:
		if q := rt.appendQuery([]byte(u.RawQuery), m.ProtoReflect()); len(q) > len(u.RawQuery) {
			u.RawQuery = string(q)
		}
	case rt.body != noBody && op != binding.OpSubscribeToTask: // it is all path
		whole, err := p.JSON()
		if err != nil {
			return request{}, err
		}
		req.body = rt.withoutPath(whole, tenant)
	}
	return req, nil
}

// send sends a request by one of its route's methods.
func (c *conn) send(ctx context.Context, method string, req request, call *binding.Call) (*http.Response, error) {
	h := make(http.Header, 6)
	if req.body != nil {
		h["Content-Type"] = contentTypes[typeA2A]
	}
	if req.route.op.Streaming {
		h["Accept"] = []string{acceptStream}
	} else {
		h["Accept"] = []string{acceptAnswer}
	}
	httpwire.SetParams(h, call.Outgoing())
	if call.Credential != "" {
		h["Authorization"] = []string{call.Credential.Reveal()}
	}
	resp, err := c.http.Do(ctx, method, req.url, h, req.body)
	if err != nil {
		return nil, httpwire.Failed("rest", err)
	}
	call.Reply = httpwire.ReadParams(resp.Header)
	return resp, nil
}

// noRoute holds the statuses that say that a server has no such route.
var noRoute = map[int]bool{
	http.StatusNotFound:         true,
	http.StatusMethodNotAllowed: true,
	http.StatusNotImplemented:   true,
}

// do sends a request, by its route's second method if the server does not know
// the first.
func (c *conn) do(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (*http.Response, error) {
	req, err := c.request(op, p)
	if err != nil {
		return nil, err
	}
	methods := req.route.methods
	if len(methods) == 1 {
		return c.send(ctx, methods[0], req, call)
	}
	if c.second.Load() {
		return c.send(ctx, methods[1], req, call)
	}
	resp, err := c.send(ctx, methods[0], req, call)
	if err != nil || !noRoute[resp.StatusCode] {
		return resp, err
	}
	first := c.drained(resp, op)
	if saidByAgent(first) {
		return nil, first
	}
	if resp, err = c.send(ctx, methods[1], req, call); err != nil {
		return nil, err
	}
	if noRoute[resp.StatusCode] {
		if err = c.drained(resp, op); !saidByAgent(err) {
			return nil, first
		}
		c.second.Store(true)
		return nil, err
	}
	c.second.Store(resp.StatusCode/100 == 2)
	return resp, nil
}

// saidByAgent tells an A2A error from a server that has no such route.
func saidByAgent(err error) bool {
	var e *binding.Error
	return errors.As(err, &e) && e.Info() != nil && e.Code != binding.MethodNotFound
}

// drained is the error that an answer is.
func (c *conn) drained(resp *http.Response, op *binding.Op) error {
	defer httpwire.Drain(resp.Body)
	_, err := c.answer(resp, op)
	return err
}

func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	resp, err := c.do(ctx, op, call, p)
	if err != nil {
		return binding.Payload{}, err
	}
	defer httpwire.Drain(resp.Body)
	return c.answer(resp, op)
}

// answer reads a whole answer.
func (c *conn) answer(resp *http.Response, op *binding.Op) (binding.Payload, error) {
	body, err := httpwire.ReadBody(resp.Body, resp.ContentLength, httpwire.BodyLimit(c.o.MaxMessageBytes))
	switch {
	case err != nil && resp.StatusCode/100 != 2:
		return binding.Payload{}, errmap.ReadHTTP(resp.StatusCode, resp.Header, nil)
	case errors.Is(err, binding.ErrResourceExhausted):
		return binding.Payload{}, err
	case err != nil:
		return binding.Payload{}, httpwire.Lost("rest", err)
	case resp.StatusCode/100 != 2:
		return binding.Payload{}, errmap.ReadHTTP(resp.StatusCode, resp.Header, body)
	}
	if text := bytes.TrimSpace(body); len(text) == 0 || string(text) == "null" {
		if op == binding.OpDeleteTaskPushNotificationConfig {
			return op.ResponseJSON([]byte("{}")), nil
		}
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "rest: the answer is empty")
	}
	if op.Streaming && isError(body) {
		return binding.Payload{}, errmap.ReadHTTP(http.StatusInternalServerError, resp.Header, body)
	}
	return op.ResponseJSON(body), nil
}

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		resp, err := c.do(ctx, op, call, p)
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if httpwire.MediaType(resp.Header) != typeEvents || resp.StatusCode/100 != 2 {
			defer httpwire.Drain(resp.Body)
			yield(c.answer(resp, op))
			return
		}
		defer resp.Body.Close()
		ended := httpwire.NewEnd(resp)
		events := sse.NewReader(resp.Body, httpwire.BodyLimit(c.o.MaxMessageBytes))
		for {
			data, err := events.Next()
			if errors.Is(err, io.EOF) {
				err = ended.Err()
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(binding.Payload{}, streamError(err, c.o.MaxMessageBytes))
				return
			}
			if isError(data) {
				yield(binding.Payload{}, errmap.ReadHTTP(http.StatusInternalServerError, nil, data))
				return
			}
			ev := op.ResponseJSON(bytes.Clone(data))
			ended.Saw(ev)
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func streamError(err error, limit int) error {
	if errors.Is(err, sse.ErrTooLarge) {
		return binding.TooLarge(limit)
	}
	return httpwire.Lost("rest", err)
}
