package rest

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// Handler serves an agent at the paths of spec 11.3, each also with a tenant in
// front. It may be mounted under a prefix with http.StripPrefix. Many requests
// may be served at the same time.
func Handler(agent binding.Agent, o *Options) http.Handler {
	opts := o.resolve()
	return &handler{in: binding.NewInbound(agent, &opts.Options, binding.CarriesJSON), o: opts}
}

type handler struct {
	in *binding.Inbound
	o  Options
}

// The media types of answers, as header values, so as not to make them anew.
var contentTypes = map[string][]string{
	typeA2A:  {typeA2A},
	typeJSON: {typeJSON},
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := httpwire.ReadCall(r)
	m, allow := find(r.Method, r.URL.EscapedPath())
	if m.route == nil {
		status := http.StatusNotFound
		if len(allow) > 0 {
			status = http.StatusMethodNotAllowed
			w.Header().Set("Allow", strings.Join(allow, ", "))
		}
		h.refuse(w, r, call, status, binding.ErrMethodNotFound)
		return
	}
	p, status, err := h.payload(w, r, &m)
	if err != nil {
		h.refuse(w, r, call, status, err)
		return
	}
	op := m.route.op
	if op.Streaming {
		h.stream(w, r, op, call, p)
		return
	}
	resp, err := h.in.Invoke(r.Context(), op, call, p)
	httpwire.SetReply(w.Header(), call)
	if err != nil {
		h.fail(w, r, 0, err)
		return
	}
	body, err := resp.JSON()
	if err != nil {
		h.fail(w, r, 0, err)
		return
	}
	write(w, http.StatusOK, h.answerType(r), body)
}

func (h *handler) stream(w http.ResponseWriter, r *http.Request, op *binding.Op, call *binding.Call, p binding.Payload) {
	err := httpwire.ServeStream(w, call, h.in.Stream(r.Context(), op, call, p), httpwire.Frames{
		Event:     func(dst []byte, p binding.Payload) ([]byte, error) { return p.AppendJSON(dst) },
		Error:     func(dst []byte, err error) []byte { return errmap.AppendHTTP(dst, errmap.HTTPStatus(err), err) },
		ErrorName: "error",
		KeepAlive: h.o.KeepAlive,
	})
	if err != nil {
		httpwire.SetReply(w.Header(), call)
		h.fail(w, r, 0, err)
	}
}

// payload is the request that a path leads to. Beside an error is the status
// that it has, 0 if it is the error's own.
func (h *handler) payload(w http.ResponseWriter, r *http.Request, m *match) (binding.Payload, int, error) {
	if m.route.body == noBody {
		text, err := m.fromQuery(r.URL.RawQuery)
		return m.route.op.RequestJSON(text), 0, err
	}
	body, status, err := h.body(w, r, m.route.body)
	if err != nil {
		return binding.Payload{}, status, err
	}
	text, err := m.fromBody(body)
	return m.route.op.RequestJSON(text), 0, err
}

// body reads a body of JSON. Where it may be missing, it is an empty object
// then, whatever its type, and so is the null that some clients write for it.
func (h *handler) body(w http.ResponseWriter, r *http.Request, rule bodyRule) ([]byte, int, error) {
	t := httpwire.MediaType(r.Header)
	if !httpwire.IsJSON(t) && (rule == wholeBody || r.ContentLength > 0) {
		return nil, http.StatusUnsupportedMediaType, unsupported(t)
	}
	body, err := httpwire.ReadRequest(w, r, httpwire.BodyLimit(h.o.MaxMessageBytes))
	switch {
	case errors.Is(err, binding.ErrResourceExhausted):
		return nil, http.StatusRequestEntityTooLarge, err
	case err != nil:
		return nil, http.StatusBadRequest, binding.Errorf(binding.JSONParse, "the body was cut")
	case rule == optionalBody && (len(body) == 0 || string(bytes.TrimSpace(body)) == "null"):
		return []byte("{}"), 0, nil
	case !httpwire.IsJSON(t):
		return nil, http.StatusUnsupportedMediaType, unsupported(t)
	}
	return body, 0, nil
}

func unsupported(mediaType string) error {
	return binding.Errorf(binding.ContentTypeNotSupported, "Content-Type %q; bodies are %s or %s", clip(mediaType), typeA2A, typeJSON)
}

// refuse answers a request that is not one of an operation. The version comes
// first, as before all else.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, call *binding.Call, status int, err error) {
	if _, first := h.in.Invoke(r.Context(), nil, call, binding.Payload{}); !errors.Is(first, binding.ErrMethodNotFound) {
		w.Header().Del("Allow")
		status, err = 0, first
	}
	h.fail(w, r, status, err)
}

// fail answers with an error (spec 11.6); status 0 is the error's own.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	if status == 0 {
		status = errmap.HTTPStatus(err)
	}
	errmap.SetHeader(w.Header(), err)
	write(w, status, h.answerType(r), errmap.AppendHTTP(nil, status, err))
}

func (h *handler) answerType(r *http.Request) string {
	if h.o.PlainJSON {
		return typeJSON
	}
	return answerType(r.Header)
}

func write(w http.ResponseWriter, status int, mediaType string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentTypes[mediaType]
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone if it fails
}
