package jsonrpc

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
	"github.com/a2awire/a2awire/internal/rpc"
	"github.com/a2awire/a2awire/internal/sse"
)

// Dial connects to the agent at an http or https URL. It does not use the
// network: calls connect when they need to. The context bounds the dialling alone.
func Dial(_ context.Context, url string, o *Options) (binding.Client, error) {
	_, client, err := dial(url, o)
	return client, err
}

func dial(url string, o *Options) (*conn, binding.Client, error) {
	opts := o.resolve()
	http, err := httpwire.NewClient("jsonrpc", url, opts.Transport, opts.TLS)
	if err != nil {
		return nil, nil, err
	}
	c := &conn{http: http, o: opts}
	return c, binding.Remote(binding.Outbound(c, &opts.Options, binding.CarriesJSON)), nil
}

// conn is the client side. Each call is a POST.
type conn struct {
	http *httpwire.Client
	o    Options
	ids  atomic.Int64
}

func (c *conn) Close() error {
	c.http.Close()
	return nil
}

// post sends a request. The id is the one the answer must have.
func (c *conn) post(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload, accept string) (resp *http.Response, id string, err error) {
	params, err := p.JSON()
	if err != nil {
		return nil, "", err
	}
	id = strconv.FormatInt(c.ids.Add(1), 10)
	body := rpc.AppendCall(make([]byte, 0, len(params)+len(op.Name)+64), id, op.Name, params)
	body = append(body, '}')
	h := make(http.Header, 6)
	h["Content-Type"] = []string{"application/json"}
	h["Accept"] = []string{accept}
	httpwire.SetParams(h, call.Outgoing())
	if call.Credential != "" {
		h["Authorization"] = []string{call.Credential.Reveal()}
	}
	resp, err = c.http.Do(ctx, http.MethodPost, c.http.Base, h, body)
	if err != nil {
		return nil, "", httpwire.Failed("jsonrpc", err)
	}
	call.Reply = httpwire.ReadParams(resp.Header)
	return resp, id, nil
}

func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	resp, id, err := c.post(ctx, op, call, p, "application/json")
	if err != nil {
		return binding.Payload{}, err
	}
	defer httpwire.Drain(resp.Body)
	return c.answer(resp, op, id)
}

// answer reads a whole answer: a response object, or what stands in its place.
func (c *conn) answer(resp *http.Response, op *binding.Op, id string) (binding.Payload, error) {
	body, err := httpwire.ReadBody(resp.Body, resp.ContentLength, httpwire.BodyLimit(c.o.MaxMessageBytes))
	if err != nil {
		if errors.Is(err, binding.ErrResourceExhausted) {
			return binding.Payload{}, err
		}
		return binding.Payload{}, httpwire.Lost("jsonrpc", err)
	}
	r, err := rpc.ReadResponse(body)
	if err == nil && (r.Error != nil || resp.StatusCode/100 == 2) {
		p, err := r.Payload(op, id)
		var e *binding.Error
		if errors.As(err, &e) && e.Remote {
			return p, errmap.WithHeader(e, resp.Header)
		}
		return p, err
	}
	if resp.StatusCode/100 != 2 {
		return binding.Payload{}, errmap.ReadHTTP(resp.StatusCode, resp.Header, body)
	}
	return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "jsonrpc: the answer is not a JSON-RPC response: %w", err)
}

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		resp, id, err := c.post(ctx, op, call, p, "text/event-stream, application/json")
		if err != nil {
			yield(binding.Payload{}, err)
			return
		}
		if httpwire.MediaType(resp.Header) != "text/event-stream" || resp.StatusCode/100 != 2 {
			defer httpwire.Drain(resp.Body)
			yield(c.answer(resp, op, id))
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
			r, err := rpc.ReadResponse(append([]byte(nil), data...))
			if err != nil {
				yield(binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "jsonrpc: an event is not a JSON-RPC response: %w", err))
				return
			}
			ev, err := r.Payload(op, id)
			ended.Saw(ev)
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

func streamError(err error, limit int) error {
	if errors.Is(err, sse.ErrTooLarge) {
		return binding.TooLarge(limit)
	}
	return httpwire.Lost("jsonrpc", err)
}
