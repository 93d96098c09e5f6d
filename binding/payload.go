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

// check decodes the payload and holds it against the data model and the size
// limit: what every wire can carry and, with required, what the specification
// demands to be there. It answers once and remembers.
func (p Payload) check(limit int, required bool) error {
	if p.p == nil {
		return &datamodel.Error{Problem: "empty payload"}
	}
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	if p.p.checked {
		return nil
	}
	if err := p.p.size(limit); err != nil {
		return err
	}
	m, err := p.p.message()
	if err != nil {
		return err
	}
	if required {
		err = datamodel.Check(m)
	} else {
		err = datamodel.Carriable(m)
	}
	if err != nil {
		return err
	}
	p.p.checked = required
	return nil
}

// Neither form of a message is larger than this many times the other: JSON
// spends six bytes on a control character, protobuf eleven on the "1," of a list.
const (
	jsonPerProto = 8
	protoPerJSON = 8
)

// size holds both forms of the message against the limit, so that the verdict
// is the same on every wire. The form that is not at hand is measured only
// when it could be over.
func (p *payload) size(limit int) error {
	if limit <= 0 {
		return nil
	}
	if n := len(p.json); n > limit {
		return tooLarge(n, limit)
	} else if p.json != nil && n <= limit/protoPerJSON {
		return nil
	}
	m, err := p.message()
	if err != nil {
		return err
	}
	n := proto.Size(m)
	if n > limit {
		return tooLarge(n, limit)
	}
	if p.json == nil && n > limit/jsonPerProto {
		b, err := datamodel.Append(nil, m)
		if err != nil {
			return err
		}
		if len(b) > limit {
			return tooLarge(len(b), limit)
		}
		p.json = b
	}
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
