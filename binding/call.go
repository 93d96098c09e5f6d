package binding

import (
	"iter"
	"log/slog"
	"maps"
	"strings"
)

// Version is the protocol version this library speaks (spec 3.6).
const Version = "1.0"

// The service parameters of the specification (spec 3.2.6), as [Params] keys.
const (
	ParamVersion    = "a2a-version"
	ParamExtensions = "a2a-extensions"
)

// Call is what travels beside a request, both ways. A nil *Call is an empty
// one. It belongs to one call: do not use it for two at the same time.
type Call struct {
	// Params are the service parameters of the request (spec 3.2.6). Clients
	// add a2a-version by themselves.
	Params Params
	// Reply are the service parameters of the answer. An agent sets them
	// before it returns, or before the first event of a stream; a client reads
	// them after the call, or from the first event on.
	Reply Params
	// Credential is what the caller authenticates with, as the transport
	// carried it: printable ASCII. A relay never forwards it unless it is told to.
	Credential Credential
	// Peer says who called, for logs: an address or a client id. Servers set it.
	Peer string
}

// SetReply sets one service parameter of the answer. It does nothing on a nil Call.
func (c *Call) SetReply(key, value string) {
	if c == nil {
		return
	}
	if c.Reply == nil {
		c.Reply = Params{}
	}
	c.Reply.Set(key, value)
}

// Param is the value of one service parameter of the request, "" when there
// is none. It may be called on a nil Call.
func (c *Call) Param(key string) string {
	if c == nil {
		return ""
	}
	return c.Params.Get(key)
}

// Extensions are the extension URIs that the request names (spec 3.2.6).
func (c *Call) Extensions() []string { return SplitList(c.Param(ParamExtensions)) }

// ActivateExtensions tells the caller which extensions were activated.
func (c *Call) ActivateExtensions(uris ...string) {
	if len(uris) > 0 {
		c.SetReply(ParamExtensions, strings.Join(uris, ","))
	}
}

// Outgoing ranges over the service parameters that a client puts on its wire:
// Params, and a2a-version when Params have none.
func (c *Call) Outgoing() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if c == nil {
			yield(ParamVersion, Version)
			return
		}
		if _, ok := c.Params[ParamVersion]; !ok && !yield(ParamVersion, Version) {
			return
		}
		for k, v := range c.Params {
			if !yield(k, v) {
				return
			}
		}
	}
}

// Params are service parameters: keys without case, kept in lower case, and
// values with it (spec 3.2.6). Several values of one key are joined with ", ".
// A value is printable ASCII without spaces around it, and all of a call are
// 32 KiB at most, which is what every wire can carry. Get and Set fold the case
// of keys; who ranges over a Params made by this library finds lower-case keys.
type Params map[string]string

// Get is the value of a key, "" when there is none.
func (p Params) Get(key string) string { return p[strings.ToLower(key)] }

// Set replaces the value of a key.
func (p Params) Set(key, value string) { p[strings.ToLower(key)] = value }

// Add appends a value to those of a key.
func (p Params) Add(key, value string) {
	key = strings.ToLower(key)
	if old, ok := p[key]; ok {
		value = old + ", " + value
	}
	p[key] = value
}

// Clone is a copy, nil for nil.
func (p Params) Clone() Params { return maps.Clone(p) }

// check names what of a call not every wire can carry. It does not show it.
func (c *Call) check() error {
	if err := c.Params.check(); err != nil {
		return err
	}
	if v := string(c.Credential); !validValue(v) || len(v) > maxCredentialBytes {
		return InvalidField("credential", "is not printable ASCII without spaces around it, of at most %d bytes", maxCredentialBytes)
	}
	return nil
}

// What may go beside a request, so that HTTP and gRPC servers take it with their
// own headers in 64 KiB, and MQTT in a text. A parameter counts as in HTTP/2: 32
// bytes more than its key and value have.
const (
	maxParamsBytes     = 32 << 10
	maxCredentialBytes = 24 << 10
)

// check names the first parameter that not every wire can carry.
func (p Params) check() error {
	size := 0
	for k, v := range p {
		size += len(k) + len(v) + 32
		switch {
		case k == ParamVersion && v == Version: // nearly all there ever is
		case !validKey(k):
			return InvalidField(k, "is not a service parameter key: lower-case letters, digits, '-', '_' and '.'")
		case ReservedParam(k):
			return InvalidField(k, "is not a service parameter: the transport owns this name")
		case !validValue(v):
			return InvalidField(k, "has a value that is not printable ASCII without spaces around it")
		}
	}
	if size > maxParamsBytes {
		longest := ""
		for k, v := range p {
			if longest == "" || len(k)+len(v) > len(longest)+len(p[longest]) {
				longest = k
			}
		}
		return InvalidField(longest[:min(len(longest), 128)], "makes the service parameters longer than %d bytes", maxParamsBytes)
	}
	return nil
}

func validKey(k string) bool {
	for i := range len(k) {
		c := k[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return k != ""
}

func validValue(v string) bool {
	for i := range len(v) {
		if v[i] < 0x20 || v[i] > 0x7e {
			return false
		}
	}
	return v == strings.Trim(v, " ")
}

// SplitList takes a comma-separated value apart and drops spaces and empty entries.
func SplitList(v string) []string {
	if v == "" {
		return nil
	}
	var out []string
	for e := range strings.SplitSeq(v, ",") {
		if e = strings.TrimSpace(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}

// reserved holds names that belong to a transport or carry credentials, and
// so never are service parameters, on any binding alike.
var reserved = map[string]bool{
	"accept": true, "accept-charset": true, "accept-encoding": true, "accept-language": true, "accept-ranges": true,
	"age": true, "allow": true, "alt-svc": true, "authorization": true, "cache-control": true, "connection": true,
	"content-disposition": true, "content-encoding": true, "content-language": true, "content-length": true,
	"content-location": true, "content-range": true, "content-type": true, "cookie": true, "date": true, "dnt": true,
	"etag": true, "expect": true, "expires": true, "forwarded": true, "from": true, "host": true, "if-match": true,
	"if-modified-since": true, "if-none-match": true, "if-range": true, "if-unmodified-since": true,
	"keep-alive": true, "last-modified": true, "link": true, "location": true, "max-forwards": true, "origin": true,
	"pragma": true, "priority": true, "proxy-authenticate": true, "proxy-authorization": true,
	"proxy-connection": true, "range": true, "referer": true, "referrer-policy": true, "refresh": true,
	"retry-after": true, "server": true, "set-cookie": true, "strict-transport-security": true, "te": true,
	"trailer": true, "transfer-encoding": true, "upgrade": true, "upgrade-insecure-requests": true,
	"user-agent": true, "vary": true, "via": true, "warning": true, "www-authenticate": true,
	"x-real-ip": true, "x-content-type-options": true, "x-accel-buffering": true,
}

// ReservedParam reports whether a lower-case name belongs to a transport, so
// that a wire neither sends nor reads it as a service parameter.
func ReservedParam(key string) bool {
	return reserved[key] || strings.HasPrefix(key, "grpc-") || strings.HasSuffix(key, "-bin") ||
		strings.HasPrefix(key, "sec-") || strings.HasPrefix(key, "x-forwarded-") ||
		strings.HasPrefix(key, "access-control-")
}

// Credential is what a caller authenticates with, as the transport carries it:
// "Bearer …". It prints as a placeholder, so that no log shows it.
type Credential string

// String hides the credential.
func (c Credential) String() string {
	if c == "" {
		return ""
	}
	return "[credential]"
}

// GoString hides the credential.
func (c Credential) GoString() string { return c.String() }

// LogValue hides the credential.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText hides the credential from encoders.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Reveal is the credential itself, for the transport that sends it and the
// authenticator that checks it.
func (c Credential) Reveal() string { return string(c) }
