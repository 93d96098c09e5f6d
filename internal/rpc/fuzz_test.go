package rpc

import (
	"testing"

	"github.com/a2awire/a2awire/binding"
)

// Whatever a server answers, the client has a payload or an error.
func FuzzResponse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":1}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m","data":[{"@type":"a/b"}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ReadResponse(body)
		if err != nil {
			return
		}
		p, err := r.Payload(binding.OpGetTask, "1")
		if (err == nil) == p.IsZero() {
			t.Fatalf("payload %v and error %v", p, err)
		}
	})
}
