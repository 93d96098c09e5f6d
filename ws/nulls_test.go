package ws_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/a2awire/a2awire/ws"
)

// Members that are null say no more than members that are not there (JSON-RPC 5).
func TestForeignServerNulls(t *testing.T) {
	for name, frames := range map[string][]string{
		"error":         {`{"jsonrpc":"2.0","id":"1","result":` + working + `,"error":null}`, `{"jsonrpc":"2.0","id":"1","result":` + completed + `,"error":null}`, signal(`"1"`, `"streamEnd":true`)},
		"serviceParams": {`{"jsonrpc":"2.0","id":"1","result":` + working + `,"serviceParams":null}`, result(`"1"`, completed), signal(`"1"`, `"streamEnd":true`)},
		"control":       {`{"jsonrpc":"2.0","id":"1","result":` + working + `,"control":null}`, result(`"1"`, completed), signal(`"1"`, `"streamEnd":true`)},
		"result":        {result(`"1"`, working), result(`"1"`, completed), `{"jsonrpc":"2.0","id":"1","result":null,"streamEnd":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			url := foreign(t, "a2a.v1", func(p *peer) { p.read(); p.send(frames...) })
			n, err := collect(within(t), dial(t, url, &ws.Options{SharedStreams: true}))
			assert.Equal(t, 2, n)
			assert.NoError(t, err)
		})
	}
}
