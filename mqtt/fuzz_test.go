package mqtt

import (
	"context"
	"strings"
	"testing"

	"github.com/a2awire/a2awire/binding"
)

// FuzzProperties reads what a peer may write into the properties of a packet.
func FuzzProperties(f *testing.F) {
	f.Add("a2a-version", "1.0", "$a2a/v1/reply/a/b/c/d")
	f.Add("A2A-Stream-Seq", "18446744073709551616", "$a2a/v1/reply/#")
	f.Add("authorization", "Bearer x", "")
	f.Fuzz(func(t *testing.T, key, value, topic string) {
		m := packet("c", "{}", key, value, key, value)
		p := m.params()
		for k := range p {
			if own[k] || binding.ReservedParam(k) || k != strings.ToLower(k) {
				t.Fatalf("%q is not a service parameter", k)
			}
		}
		if n, ok := m.number(key); ok && n > 1<<63-1 {
			t.Fatalf("%q is the number %d", value, n)
		}
		ts := topics{DefaultRoot}
		if ts.checkReply(topic) == nil && (strings.ContainsAny(topic, "+#") || !strings.HasPrefix(topic, DefaultRoot+"/reply/")) {
			t.Fatalf("a reply may go to %q", topic)
		}
	})
}

// FuzzReply reads what an agent may answer.
func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"m","data":{"a2a_error":"transport_protocol_error"}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"m","data":{"a2a_error":"payload_too_large","details":7}}}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		p, err := readAnswer(&message{payload: payload}, binding.OpGetTask, "1")
		if (err == nil) == p.IsZero() {
			t.Fatalf("%v and %v", p, err)
		}
		if err == nil {
			_, _ = p.Message()
		}
		_, _ = readCard(payload)
	})
}

// FuzzReceiver takes packets in any order: three bytes are a number, what it
// is of, and how large the packet is.
func FuzzReceiver(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 1, 1, 0, 1, 3, 1, 0})
	f.Add([]byte{9, 2, 0, 0, 3, 200})
	f.Add([]byte{1, 0, 0, 0, 0, 8, 2, 0, 8}) // an item without a payload
	f.Fuzz(func(t *testing.T, script []byte) {
		r := newReceiver(4, false)
		for ; len(script) >= 3; script = script[3:] {
			n := string('0' + script[0]%10)
			m := packet("c", strings.Repeat("x", int(script[2])))
			switch script[1] % 4 {
			case 0:
				m.add(propSeq, n)
			case 1:
				m.add(propSeq, n)
				m.add(propEnd, endOK)
			case 2:
				m.add(propHeartbeat, n)
			}
			r.deliver(m)
			if s := r.look(); len(r.held) > r.window+1 || s.gap && s.ended {
				t.Fatalf("%d held, %+v", len(r.held), s)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		last := -1
		for {
			m, _, ok, _ := r.q.Take(ctx)
			if !ok {
				return
			}
			if seq, numbered := m.number(propSeq); numbered {
				if int(seq) != last+1 && last >= 0 {
					t.Fatalf("%d after %d", seq, last)
				}
				last = int(seq)
			}
		}
	})
}
