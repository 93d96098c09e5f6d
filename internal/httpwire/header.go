// Package httpwire is what the HTTP bindings share: service parameters as
// headers, bodies with a bound, event streams, servers, and transports.
package httpwire

import (
	"iter"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/a2awire/a2awire/binding"
)

// ReadCall is the call that a request's headers describe (spec 9.2, 11.2). The
// version may also stand in the query (spec 3.6.1).
func ReadCall(r *http.Request) *binding.Call {
	call := &binding.Call{
		Params:     ReadParams(r.Header),
		Credential: binding.Credential(r.Header.Get("Authorization")),
		Peer:       r.RemoteAddr,
	}
	if call.Params[binding.ParamVersion] == "" && r.URL.RawQuery != "" {
		for key, v := range r.URL.Query() {
			if strings.EqualFold(key, binding.ParamVersion) && len(v) > 0 {
				call.Params[binding.ParamVersion] = v[0]
			}
		}
	}
	return call
}

// ReadParams are the headers that are service parameters.
func ReadParams(h http.Header) binding.Params {
	p := make(binding.Params, 4)
	for key, values := range h {
		key, ok := paramKey(key)
		if !ok {
			continue
		}
		for _, v := range values {
			p.Add(key, v)
		}
	}
	return p
}

// paramKey is a header's name as a parameter key, and whether it is one.
func paramKey(name string) (string, bool) {
	if key, ok := usual[name]; ok {
		return key, key != ""
	}
	key := strings.ToLower(name)
	return key, !binding.ReservedParam(key)
}

// usual holds the headers of nearly every request and answer, to save folding
// their case; "" is no parameter.
var usual = map[string]string{
	"Accept": "", "Accept-Encoding": "", "Authorization": "", "Cache-Control": "", "Content-Length": "",
	"Content-Type": "", "Date": "", "User-Agent": "", "X-Accel-Buffering": "",
	"A2a-Version": binding.ParamVersion, "A2a-Extensions": binding.ParamExtensions,
}

// SetParams sets headers for service parameters.
func SetParams(h http.Header, params iter.Seq2[string, string]) {
	for k, v := range params {
		switch k {
		case binding.ParamVersion:
			h["A2a-Version"] = []string{v}
		case binding.ParamExtensions:
			h["A2a-Extensions"] = []string{v}
		default:
			h[textproto.CanonicalMIMEHeaderKey(k)] = []string{v}
		}
	}
}

// SetReply sets headers for the service parameters of an answer.
func SetReply(h http.Header, call *binding.Call) {
	for k, v := range call.Reply {
		h[textproto.CanonicalMIMEHeaderKey(k)] = []string{v}
	}
}

// MediaType is the media type of a Content-Type, lower case, without parameters.
func MediaType(h http.Header) string {
	v := h.Get("Content-Type")
	if v == "application/json" {
		return v
	}
	v, _, _ = strings.Cut(v, ";")
	return strings.ToLower(strings.TrimSpace(v))
}

// IsJSON reports whether a media type is JSON.
func IsJSON(mediaType string) bool {
	return mediaType == "application/json" ||
		strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json")
}
