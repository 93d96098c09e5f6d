package binding

import (
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
type Payload struct{ p *payload }

type payload struct {
	typ *datamodel.Type

	mu      sync.Mutex
	msg     proto.Message
	json    []byte
	checked bool
}

// MessagePayload is the payload of a message, which must not change afterwards.
func MessagePayload(m proto.Message) Payload {
	return Payload{&payload{msg: m}}
}

func jsonPayload(t *datamodel.Type, b []byte) Payload {
	return Payload{&payload{typ: t, json: b}}
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

func (p *payload) message() (proto.Message, error) {
	if p.msg == nil {
		m := p.typ.New()
		if err := p.typ.Unmarshal(p.json, m); err != nil {
			return nil, err
		}
		p.msg = m
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
		b, err := datamodel.Append(nil, p.p.msg)
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
	return datamodel.Append(dst, p.p.msg)
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

// form is how a wire carries messages, so that what is checked need not be
// encoded, or decoded, again.
type form uint8

const (
	asProto form = iota
	asJSON
)

// check holds the payload against the data model and the size limit: what
// every wire can carry and, with required, what the specification demands to
// be there. It answers once and remembers.
func (p Payload) check(limit int, required bool, f form) error {
	if p.p == nil {
		return &datamodel.Error{Problem: "empty payload"}
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if p.p.checked {
		return nil
	}
	var err error
	switch {
	case p.p.json != nil:
		err = p.p.checkJSON(limit, required)
	case f == asJSON:
		err = p.p.encodeChecked(limit, required)
	default:
		err = p.p.checkMessage(limit, required)
	}
	if err == nil {
		p.p.checked = required
	}
	return err
}

// Neither form of a message is larger than this many times the other: JSON
// spends six bytes on a control character, protobuf eleven on the "1," of a
// list. Below that share of the limit only one form is measured.
const formRatio = 12

func (p *payload) checkJSON(limit int, required bool) error {
	n := len(p.json)
	if n > limit {
		return tooLarge(n, limit)
	}
	if p.msg == nil {
		m := p.typ.New()
		read := p.typ.Unmarshal
		if required {
			read = p.typ.UnmarshalChecked
		}
		if err := read(p.json, m); err != nil {
			return err
		}
		p.msg = m
	} else if required {
		if err := datamodel.Check(p.msg); err != nil {
			return err
		}
	}
	if n > limit/formRatio {
		if n := proto.Size(p.msg); n > limit {
			return tooLarge(n, limit)
		}
	}
	return nil
}

func (p *payload) encodeChecked(limit int, required bool) error {
	n := proto.Size(p.msg)
	if n > limit {
		return tooLarge(n, limit)
	}
	write := datamodel.AppendCarriable
	if required {
		write = datamodel.AppendChecked
	}
	b, err := write(make([]byte, 0, n+n/4+128), p.msg)
	if err != nil {
		return err
	}
	if len(b) > limit {
		return tooLarge(len(b), limit)
	}
	p.json = b
	return nil
}

func (p *payload) checkMessage(limit int, required bool) error {
	n := proto.Size(p.msg)
	if n > limit {
		return tooLarge(n, limit)
	}
	if n > limit/formRatio {
		return p.encodeChecked(limit, required)
	}
	if required {
		return datamodel.Check(p.msg)
	}
	return datamodel.Carriable(p.msg)
}

func tooLarge(n, limit int) *Error {
	return Errorf(ResourceExhausted, "message of %d bytes is over the limit of %d bytes", n, limit)
}

// TooLarge is the error for a message over the limit, for wires that notice
// before they have read it all.
func TooLarge(limit int) *Error {
	return Errorf(ResourceExhausted, "message is over the limit of %d bytes", limit)
}
