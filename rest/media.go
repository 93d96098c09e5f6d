package rest

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/a2awire/a2awire/internal/httpwire"
)

// The media types of bodies (spec 11.1).
const (
	typeA2A    = "application/a2a+json"
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// What a client accepts.
const (
	acceptAnswer = typeA2A + ", " + typeJSON
	acceptStream = typeEvents + ", " + acceptAnswer
)

// answerType is the media type of an answer: what the client accepts by name,
// application/a2a+json before application/json. A client that names neither is
// answered in kind: one that writes application/json, as A2A 1.0.0 has it, may
// read nothing else, and all others get what A2A 1.0.1 says.
func answerType(h http.Header) string {
	accept := h["Accept"]
	if len(accept) == 1 && accept[0] == acceptAnswer {
		return typeA2A
	}
	named := ""
	for _, line := range accept {
		for entry := range strings.SplitSeq(line, ",") {
			t, params, _ := strings.Cut(entry, ";")
			if refusedQuality(params) {
				continue
			}
			switch t = strings.TrimSpace(t); {
			case strings.EqualFold(t, typeA2A):
				return typeA2A
			case strings.EqualFold(t, typeJSON):
				named = typeJSON
			}
		}
	}
	if named == "" && httpwire.MediaType(h) == typeJSON {
		return typeJSON
	}
	return cmp.Or(named, typeA2A)
}

// refusedQuality reports whether parameters of an Accept entry say q=0, which
// is that the type is not accepted (RFC 9110, 12.4.2).
func refusedQuality(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			return strings.Trim(v, "0.") == "" && v != ""
		}
	}
	return false
}
