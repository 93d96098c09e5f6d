package rest

import (
	"net/http"
	"strings"
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

// answerType is the media type of an answer: application/a2a+json, unless the
// client names application/json and not that.
func answerType(h http.Header) string {
	accept := h["Accept"]
	if len(accept) == 0 || accept[0] == acceptAnswer {
		return typeA2A
	}
	out := typeA2A
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
				out = typeJSON
			}
		}
	}
	return out
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
