package binding

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/internal/datamodel"
)

// Payload is one message of the data model: as a message, as ProtoJSON bytes,
// or both. It is immutable, may be shared, and decodes or encodes once, when
// asked. A relay between two JSON wires passes the bytes it got.
//
// The message and the bytes that it gives out belong to the Payload: read
// them, do not change them.
type Payload struct {
	p *payload
	// answer is the form in which a request's answers are wanted: that of the
	// request itself, unless the server that it came through says otherwise.
	answer form
}

type payload struct {
	typ *datamodel.Type // nil until somebody asks

	mu   sync.Mutex
	msg  proto.Message
	json []byte

	verdict  datamodel.Verdict
	size     int32 // of the message, once measured
	examined bool  // against the data model
}

// MessagePayload is the payload of a message, which must not change afterwards.
func MessagePayload(m proto.Message) Payload {
	return Payload{p: &payload{msg: m}}
}

// messagePayload is MessagePayload for who knows the type.
func messagePayload(t *datamodel.Type, m proto.Message) Payload {
	return Payload{p: &payload{typ: t, msg: m}}
}

func jsonPayload(t *datamodel.Type, b []byte) Payload {
	return Payload{p: &payload{typ: t, json: b}, answer: asJSON}
}

// IsZero reports whether the payload holds nothing, as beside an error.
func (p Payload) IsZero() bool { return p.p == nil }

// Message is the payload as a message. The error names the field that the data
// model refuses.
func (p Payload) Message() (proto.Message, error) {
	if p.p == nil {
		return nil, Errorf(Internal, "empty payload")
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	return p.p.message()
}

// kind is the type of what is held.
func (p *payload) kind() *datamodel.Type {
	if p.typ == nil {
		p.typ = datamodel.TypeOf(p.msg)
	}
	return p.typ
}

func (p *payload) message() (proto.Message, error) {
	if p.msg == nil {
		m := p.typ.New()
		v, err := p.typ.Unmarshal(p.json, m)
		if err != nil {
			return nil, err
		}
		p.msg, p.examined, p.verdict = m, true, v
	}
	return p.msg, nil
}

// JSON is the payload as ProtoJSON: the bytes it came as, if it came as bytes.
func (p Payload) JSON() ([]byte, error) {
	if p.p == nil {
		return nil, Errorf(Internal, "empty payload")
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if p.p.json == nil {
		b, err := p.p.kind().Append(nil, p.p.msg)
		if err != nil {
			return nil, err
		}
		p.p.json = b
	}
	return p.p.json, nil
}

// AppendJSON appends the payload as ProtoJSON, without keeping the bytes.
func (p Payload) AppendJSON(dst []byte) ([]byte, error) {
	if p.p == nil {
		return dst, Errorf(Internal, "empty payload")
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if p.p.json != nil {
		return append(dst, p.p.json...), nil
	}
	return p.p.kind().Append(dst, p.p.msg)
}

// HasJSON reports whether the payload already is JSON, so that JSON costs nothing.
func (p Payload) HasJSON() bool {
	if p.p == nil {
		return false
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	return p.p.json != nil
}

// Clone is a payload with a message of its own, for bindings without a wire.
func (p Payload) Clone() (Payload, error) {
	m, err := p.Message()
	if err != nil {
		return Payload{}, err
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	t := p.p.kind()
	return Payload{p: &payload{typ: t, msg: t.Clone(m), size: p.p.size, examined: p.p.examined, verdict: p.p.verdict}}, nil
}

// form is how a wire carries messages, or a caller wants them, so that what is
// examined need not be encoded or decoded again.
type form uint8

const (
	asProto form = iota
	asJSON
)

func formOf(traits []Trait) form {
	if slices.Contains(traits, CarriesJSON) {
		return asJSON
	}
	return asProto
}

// check holds the payload against the size limit and the data model: what
// every wire can carry and, with required, what the specification demands to
// be there. A payload is examined once, whoever asks. JSON that is wanted as
// JSON is not decoded.
func (p Payload) check(limit int, required bool, f form) error {
	if p.p == nil {
		return &datamodel.Error{Problem: "empty payload"}
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if n := len(p.p.json); n > limit {
		return tooLarge(n, limit)
	}
	if err := p.p.examine(f); err != nil {
		return err
	}
	if err := p.p.fits(limit); err != nil {
		return err
	}
	if n := len(p.p.json); n > limit {
		return tooLarge(n, limit)
	}
	if required && p.p.verdict.Missing {
		m, err := p.p.message()
		if err != nil {
			return err
		}
		return p.p.kind().Missing(m)
	}
	return nil
}

// examine holds the payload against the data model, if nobody has yet.
func (p *payload) examine(f form) (err error) {
	switch {
	case p.examined:
		return nil
	case p.msg == nil && f == asJSON:
		p.verdict, err = p.typ.ExamineJSON(p.json)
	case p.msg == nil:
		_, err = p.message()
	case f == asJSON:
		err = p.encode()
	default:
		err = p.kind().Examine(p.msg, &p.verdict)
	}
	p.examined = err == nil
	return err
}

// Neither form of a message is larger than this many times the other: JSON
// spends 47 bytes on an empty AgentSkill, whose required members are always
// written, and protobuf two; protobuf spends eleven on the "1," of a list. Below
// that share of the limit only one form is measured.
const formRatio = 32

// fits holds both forms of the message against the limit, so that the verdict
// is the same on every wire.
func (p *payload) fits(limit int) error {
	small := limit / formRatio
	enough := small // for the bound of the one form to say that the other fits, too
	if p.json != nil {
		enough = limit // that one is measured
	}
	if p.json != nil && len(p.json) <= small || p.verdict.Bound > 0 && p.verdict.Bound <= enough {
		return nil
	}
	if p.size == 0 {
		m, err := p.message()
		if err != nil {
			return err
		}
		p.size = int32(proto.Size(m)) // protobuf itself stops at 2 GiB
	}
	if n := int(p.size); n > limit {
		return tooLarge(n, limit)
	}
	if p.json == nil && int(p.size) > small {
		if err := p.encode(); err != nil {
			return err
		}
	}
	return nil
}

// event is a stream's event: a message, or the verdict on JSON that has been
// checked and not decoded.
func (p Payload) event(t *datamodel.Type) (proto.Message, datamodel.Verdict, error) {
	if p.p == nil {
		return nil, datamodel.Verdict{}, Errorf(Internal, "empty payload")
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if p.p.msg == nil && p.p.examined && p.p.typ == t {
		return nil, p.p.verdict, nil
	}
	m, err := p.p.message()
	return m, datamodel.Verdict{}, err
}

// encode makes the JSON form, and examines the message on the way.
func (p *payload) encode() error {
	const usual = 384 // of an event; larger ones grow
	b, v, err := p.kind().AppendExamined(make([]byte, 0, max(usual, int(p.size)+int(p.size)/4)), p.msg)
	if err != nil {
		return err
	}
	p.json, p.examined, p.verdict = b, true, v
	return nil
}

func tooLarge(n, limit int) *Error {
	return Errorf(ResourceExhausted, "message of %d bytes is over the limit of %d bytes", n, limit)
}

// TooLarge is the error for a message over the limit, for wires that notice
// before they have read it all.
func TooLarge(limit int) *Error {
	return Errorf(ResourceExhausted, "message is over the limit of %d bytes", limit)
}
