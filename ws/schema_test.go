package ws_test

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/schema"
)

// definitions are those of the frames (SPEC.md, section 1.3).
func definitions(t testing.TB) *schema.Schema {
	object := map[string]any{"type": "object", "minProperties": 1, "additionalProperties": map[string]any{"type": "string"}}
	count := map[string]any{"type": "integer", "minimum": 1}
	always := map[string]any{"const": true}
	s, err := schema.Model().JSONRPC(schema.Wire{
		Call:    map[string]any{"serviceParams": object, "streamWindow": count},
		Answer:  map[string]any{"serviceParams": object, "streamEnd": always},
		Signals: map[string]any{"cancelStream": always, "streamCredit": count},
		Ends:    []string{"streamEnd"},
	}).Compile()
	require.NoError(t, err)
	return s
}

// watched is a listener whose connections are held against the schema.
type watched struct {
	net.Listener
	w *schema.Watch
}

func (l watched) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	key := c.RemoteAddr().String()
	return &watchedConn{
		Conn: c,
		from: messages{give: func(m []byte) { l.w.Call(key, m) }},
		to:   messages{give: func(m []byte) { l.w.Answer(key, m) }},
	}, nil
}

// watchedConn reads along at a server's connection.
type watchedConn struct {
	net.Conn
	from, to messages
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.from.add(p[:n])
	return n, err
}

func (c *watchedConn) Write(p []byte) (int, error) {
	c.to.add(p) // before the answer can be acted on
	return c.Conn.Write(p)
}

// messages are the text messages of one direction, behind its handshake.
type messages struct {
	give func([]byte)

	mu      sync.Mutex
	open    bool // the handshake is over
	raw     []byte
	message []byte
}

func (m *messages) add(p []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.raw = append(m.raw, p...)
	if !m.open {
		end := bytes.Index(m.raw, []byte("\r\n\r\n"))
		if end < 0 {
			return
		}
		m.raw, m.open = m.raw[end+4:], true
	}
	for m.frame() {
	}
}

// frame takes one frame (RFC 6455, 5.2) off, if it is whole.
func (m *messages) frame() bool {
	if len(m.raw) < 2 {
		return false
	}
	const text, continuation = 1, 0
	final, opcode, masked, size, head := m.raw[0]&0x80 != 0, m.raw[0]&0x0f, m.raw[1]&0x80 != 0, int(m.raw[1]&0x7f), 2
	switch {
	case size == 126 && len(m.raw) >= 4:
		size, head = int(binary.BigEndian.Uint16(m.raw[2:])), 4
	case size == 127 && len(m.raw) >= 10:
		size, head = int(binary.BigEndian.Uint64(m.raw[2:])), 10
	case size > 125:
		return false
	}
	var mask []byte
	if masked {
		head += 4
	}
	if len(m.raw) < head+size {
		return false
	}
	if masked {
		mask = m.raw[head-4 : head]
	}
	if opcode == text || opcode == continuation {
		for i, b := range m.raw[head : head+size] {
			if masked {
				b ^= mask[i%4]
			}
			m.message = append(m.message, b)
		}
		if final {
			m.give(m.message)
			m.message = nil
		}
	}
	m.raw = m.raw[head+size:]
	return true
}
