package errmap

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// challengeKey is the ErrorInfo metadata entry that carries a WWW-Authenticate
// challenge over any wire (spec 3.3.2, authentication errors).
const challengeKey = "wwwAuthenticate"

// HTTPStatus is the HTTP status of an error (spec 5.4).
func HTTPStatus(err error) int { return rowOf(binding.CodeOf(err)).HTTP }

// SetHeader sets the headers that go with an error: WWW-Authenticate, Retry-After.
func SetHeader(h http.Header, err error) {
	e := binding.Flatten(err)
	if e.Code == binding.Unauthenticated {
		if c := e.Info().GetMetadata()[challengeKey]; c != "" && !strings.ContainsAny(c, "\r\n") {
			h.Set("WWW-Authenticate", c)
		}
	}
	if r, ok := detail(e.Details, new(errdetails.RetryInfo)); ok {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(r.GetRetryDelay().AsDuration().Seconds()))))
	}
}

// AppendHTTP appends an HTTP error body (spec 11.6). Status is the one it is
// sent with.
func AppendHTTP(dst []byte, status int, err error) []byte {
	e := binding.Flatten(err)
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, `,"status":`...)
	dst = strictjson.AppendString(dst, rowOf(e.Code).GRPC.String())
	dst = append(dst, `,"message":`...)
	dst = strictjson.AppendString(dst, clean(e.Text()))
	dst = append(dst, `,"details":`...)
	dst = appendDetails(dst, e.Details)
	return append(dst, "}}"...)
}

// IsHTTPError reports whether an object is an error body rather than an event,
// for streams in which both may stand.
func IsHTTPError(raw []byte) bool {
	return fields(fields(raw)["error"]) != nil
}

// ReadHTTP reads an HTTP answer that is an error: a body as spec 11.6 has it, a
// bare google.rpc.Status, a problem+json (spec 6.5), a JSON-RPC error, or what
// a proxy writes, of which the status is kept. The header may be nil.
func ReadHTTP(status int, h http.Header, body []byte) *binding.Error {
	e, ok := readBody(status, body)
	if !ok {
		c := byHTTP(status)
		if status == http.StatusNotFound {
			c = binding.MethodNotFound // no agent said so: the path leads nowhere
		}
		e = &binding.Error{Code: c, Message: fmt.Sprintf("HTTP %d %s", status, http.StatusText(status))}
		// Who asks for credentials speaks for the agent, body or not.
		e.Remote = status == http.StatusUnauthorized || status == http.StatusForbidden
	}
	return WithHeader(e, h)
}

// WithHeader is an error with what the headers beside it add: the challenge of
// a 401, the delay of a Retry-After. The header may be nil.
func WithHeader(e *binding.Error, h http.Header) *binding.Error {
	if c := h.Get("WWW-Authenticate"); c != "" && e.Code == binding.Unauthenticated {
		e = e.WithInfo(challengeKey, c)
	}
	if d, ok := retryAfter(h.Get("Retry-After")); ok {
		if _, has := detail(e.Details, new(errdetails.RetryInfo)); !has {
			e = e.With(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
		}
	}
	return e
}

func retryAfter(v string) (time.Duration, bool) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > 1<<30 {
		return 0, false
	}
	return time.Duration(n) * time.Second, true
}

// fields are the members of an object, nil when it is none.
func fields(raw []byte) map[string][]byte {
	f := map[string][]byte{}
	if members(raw, func(key string, value []byte) { f[key] = value }) != nil {
		return nil
	}
	return f
}

func readBody(status int, body []byte) (*binding.Error, bool) {
	f := fields(body)
	if nested := fields(f["error"]); nested != nil {
		f, body = nested, f["error"]
	}
	// Some answer with JSON-RPC's code, and in a stream with its error object alone.
	if n, err := strconv.Atoi(string(f["code"])); err == nil && n < 0 && f["type"] == nil {
		return ReadJSONRPC(body), true
	}
	switch {
	case f["message"] != nil || f["details"] != nil:
		return wireError(bodyCode(status, f), text(f["message"]), readDetails(f["details"])), true
	case f["type"] != nil || f["detail"] != nil || f["title"] != nil:
		return problem(status, f), true
	}
	return nil, false
}

// bodyCode is what a body says apart from its details: the name of a gRPC
// code, the number of one, or an HTTP status.
func bodyCode(status int, f map[string][]byte) binding.Code {
	if n, ok := code.Code_value[text(f["status"])]; ok {
		return byGRPC(code.Code(n))
	}
	if n, err := strconv.ParseInt(string(f["code"]), 10, 32); err == nil {
		if _, ok := code.Code_name[int32(n)]; ok {
			return byGRPC(code.Code(n))
		}
	}
	return byHTTP(status)
}

// problem reads a problem+json: the last part of its type is the error's name.
func problem(status int, f map[string][]byte) *binding.Error {
	message := text(f["detail"])
	if message == "" {
		message = text(f["title"])
	}
	e := &binding.Error{Code: byHTTP(status), Message: message, Remote: true}
	name := text(f["type"])
	name = name[strings.LastIndexAny(name, "/:")+1:]
	reason := strings.ToUpper(strings.ReplaceAll(strings.TrimSuffix(name, "-error"), "-", "_"))
	if c, ok := byReason(reason); ok {
		e.Code = c
	}
	if bad := violations(f["errors"]); bad != nil {
		e = e.With(bad)
	}
	return e
}

func violations(raw []byte) *errdetails.BadRequest {
	s := strictjson.Scanner{In: raw}
	if s.Peek() != '[' || s.Open('[') != nil {
		return nil
	}
	bad := new(errdetails.BadRequest)
	for first := true; ; first = false {
		more, err := s.More(']', first)
		if err != nil || !more {
			return bad
		}
		one, err := s.Skip()
		if err != nil {
			return bad
		}
		v := new(errdetails.BadRequest_FieldViolation)
		_ = members(one, func(key string, value []byte) {
			switch key {
			case "field":
				v.Field = text(value)
			case "message":
				v.Description = text(value)
			}
		})
		bad.FieldViolations = append(bad.FieldViolations, v)
	}
}
