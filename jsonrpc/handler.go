package jsonrpc

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
	"github.com/a2awire/a2awire/internal/rpc"
)

// Handler serves an agent. It answers on every path it is mounted at. Many
// requests may be served at the same time.
func Handler(agent binding.Agent, o *Options) http.Handler {
	opts := o.resolve()
	return &handler{in: binding.NewInbound(agent, &opts.Options, binding.CarriesJSON), o: opts}
}

type handler struct {
	in *binding.Inbound
	o  Options
}

// refused holds the errors that HTTP has a status for, whatever the protocol
// in it; all others are answered with 200.
var refused = map[binding.Code]int{
	binding.Unauthenticated:   http.StatusUnauthorized,
	binding.PermissionDenied:  http.StatusForbidden,
	binding.ResourceExhausted: http.StatusTooManyRequests,
	binding.Unavailable:       http.StatusServiceUnavailable,
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.fail(w, http.StatusMethodNotAllowed, nil, binding.Errorf(binding.InvalidRequest, "HTTP method %s; JSON-RPC is POST", r.Method))
		return
	}
	if t := httpwire.MediaType(r.Header); !httpwire.IsJSON(t) {
		h.fail(w, http.StatusUnsupportedMediaType, nil, binding.Errorf(binding.ContentTypeNotSupported, "Content-Type %q; JSON-RPC is application/json", t))
		return
	}
	body, err := httpwire.ReadRequest(w, r, httpwire.BodyLimit(h.o.MaxMessageBytes))
	if err != nil {
		if errors.Is(err, binding.ErrResourceExhausted) {
			h.fail(w, http.StatusRequestEntityTooLarge, nil, err)
			return
		}
		h.fail(w, http.StatusBadRequest, nil, binding.Errorf(binding.JSONParse, "the body was cut"))
		return
	}
	req, err := rpc.ReadRequest(body)
	if err != nil {
		h.fail(w, 0, req.ID, err)
		return
	}
	op := binding.Lookup(req.Method)
	if req.ID == nil {
		// A notification wants no answer (JSON-RPC 4.1). What changes nothing
		// is passed over; what would change something is refused.
		if op != nil && op.ReadOnly {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.fail(w, 0, nil, binding.InvalidField("id", "is required: notifications are not executed").WithCode(binding.InvalidRequest))
		return
	}
	h.call(w, r, op, req)
}

func (h *handler) call(w http.ResponseWriter, r *http.Request, op *binding.Op, req rpc.Request) {
	call := httpwire.ReadCall(r)
	p := req.Payload(op)
	if op != nil && op.Streaming {
		err := httpwire.ServeStream(w, call, h.in.Stream(r.Context(), op, call, p), httpwire.Frames{
			Event:     func(dst []byte, p binding.Payload) ([]byte, error) { return rpc.AppendResult(dst, req.ID, p) },
			Error:     func(dst []byte, err error) []byte { return rpc.AppendError(dst, req.ID, err) },
			KeepAlive: h.o.KeepAlive,
		})
		if err != nil {
			httpwire.SetReply(w.Header(), call)
			h.fail(w, 0, req.ID, err)
		}
		return
	}
	resp, err := h.in.Invoke(r.Context(), op, call, p)
	httpwire.SetReply(w.Header(), call)
	if err != nil {
		h.fail(w, 0, req.ID, err)
		return
	}
	text, err := resp.JSON()
	if err != nil {
		h.fail(w, 0, req.ID, err)
		return
	}
	out, _ := rpc.AppendResult(make([]byte, 0, len(text)+len(req.ID)+40), req.ID, resp)
	write(w, http.StatusOK, out)
}

// fail answers with an error object; status 0 is the error's own.
func (h *handler) fail(w http.ResponseWriter, status int, id []byte, err error) {
	if status == 0 {
		status = http.StatusOK
		if s, ok := refused[binding.CodeOf(err)]; ok {
			status = s
		}
	}
	errmap.SetHeader(w.Header(), err)
	write(w, status, rpc.AppendError(nil, id, err))
}

func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone if it fails
}
