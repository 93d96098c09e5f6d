package equivalence

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// ParamPrefix begins the service parameters that scenarios make up. These and
// a2a-* are compared; a wire may add others.
const ParamPrefix = "eq-"

// renderMessage is a message as a log has it: the protobuf library's own
// ProtoJSON, not the bindings', with its random spaces taken out. It keeps the
// presence of fields. Of a large message it is the size and the hash.
func renderMessage(m proto.Message) string {
	if m == nil || !m.ProtoReflect().IsValid() {
		return "nothing"
	}
	if n := proto.Size(m); n > largeMessage {
		if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m); err == nil {
			return fmt.Sprintf("%s of %d bytes, SHA-256 %x", m.ProtoReflect().Descriptor().Name(), n, sha256.Sum256(b))
		}
	}
	b, err := protojson.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return "not ProtoJSON: " + err.Error()
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return "not JSON: " + err.Error()
	}
	return clip(out.String())
}

// largeMessage is the size from which a message is not written out.
const largeMessage = 16 << 10

// clip keeps long texts comparable, and failures readable.
func clip(s string) string {
	const most, head = 4096, 256
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes, SHA-256 %x)", strings.ToValidUTF8(s[:head], ""), len(s), sha256.Sum256([]byte(s)))
}

// renderParams are the service parameters that belong to the scenario.
func renderParams(p binding.Params) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		v := p[k]
		switch {
		case k == binding.ParamExtensions:
			v = strings.Join(binding.SplitList(v), ",")
		case k == binding.ParamVersion:
			v = binding.MajorMinor(v) // the rest does not count (spec 3.6), and a hop speaks its own
		case !strings.HasPrefix(k, "a2a-") && !strings.HasPrefix(k, ParamPrefix):
			continue
		}
		fmt.Fprintf(&b, " %s=%q", k, clip(v))
	}
	return b.String()
}

// asError is the error as every call must fail: with an *Error in its chain.
func asError(err error) *binding.Error {
	var e *binding.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e != nil:
		return e
	}
	return &binding.Error{Code: "NOT_A_BINDING_ERROR", Message: fmt.Sprintf("%T: %v", err, err)}
}

// renderError is an error as a log has it. The words of an error that this
// side made up are its own.
func renderError(e *binding.Error, verdict bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error %s", e.Code)
	if !verdict {
		fmt.Fprintf(&b, " remote=%t", e.Remote)
	}
	if e.Remote || verdict {
		fmt.Fprintf(&b, " %q", clip(e.Text()))
	}
	for _, d := range e.Details {
		fmt.Fprintf(&b, " [%s %s]", d.GetTypeUrl(), clip(base64.StdEncoding.EncodeToString(d.GetValue())))
	}
	return b.String()
}
