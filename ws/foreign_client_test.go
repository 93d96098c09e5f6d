package ws_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/ws"
)

// The proposal's dialect, as a client writes it that knows nothing else.
func TestForeignClient(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	for name, talk := range map[string]func(*peer){
		"an id comes back as it was": func(p *peer) {
			for _, id := range []string{`1`, `"1"`, `"a b"`, `"é\u00e9"`, `9007199254740993`, `1.50`, `-0`, `""`} {
				p.send(call(id, "GetTask", `{"id":"t-1"}`))
				p.expect(`{"jsonrpc":"2.0","id":` + id + `,"result":{"id":"t-1",`)
			}
		},
		`"1" and 1 at once`: func(p *peer) {
			p.send(send(`1`, "SendStreamingMessage", "for ever"))
			p.expect(`"id":1,"result":{"task":`)
			p.send(send(`"1"`, "SendStreamingMessage", "for ever"))
			p.expect(`"id":"1","result":{"task":`)
			p.send(`{"jsonrpc":"2.0","id":1,"cancelStream":true}`)
			p.expect(`{"jsonrpc":"2.0","id":1,"streamEnd":true}`)
			p.quiet()
			p.send(`{"jsonrpc":"2.0","id":"1","cancelStream":true}`)
			p.expect(`{"jsonrpc":"2.0","id":"1","streamEnd":true}`)
		},
		"a stream ends with streamEnd": func(p *peer) {
			p.send(send(`7`, "SendStreamingMessage", "stream 2"))
			p.expect(`"id":7,"result":{"task":`, `"id":7,"result":{"artifactUpdate":`, `"id":7,"result":{"artifactUpdate":`,
				`"id":7,"result":{"statusUpdate":`, `{"jsonrpc":"2.0","id":7,"streamEnd":true}`)
			p.quiet()
		},
		"an error ends a stream, and nothing follows": func(p *peer) {
			p.send(send(`"late"`, "SendStreamingMessage", "late"))
			p.expect(`"id":"late","result":{"task":`, `"id":"late","error":{"code":-32603,"message":"the model is gone"`)
			p.quiet()
			p.send(send(`"early"`, "SendStreamingMessage", "early"))
			p.expect(`"id":"early","error":{"code":-32005,`)
			p.quiet()
		},
		"an id is free when its call has ended": func(p *peer) {
			for range 3 {
				p.send(send(`7`, "SendStreamingMessage", "stream 0"))
				p.expect(`"task":`, `"statusUpdate":`, `"streamEnd":true`)
			}
		},
		"a cancel right behind its request": func(p *peer) {
			for range 20 {
				p.send(send(`7`, "SendStreamingMessage", "for ever"), `{"jsonrpc":"2.0","id":7,"cancelStream":true}`)
				for last := ""; last != `{"jsonrpc":"2.0","id":7,"streamEnd":true}`; {
					last = p.read()
					assert.NotContains(t, last, "error")
				}
			}
			p.quiet()
		},
		"a cancel of what is not in flight": func(p *peer) {
			p.send(`{"jsonrpc":"2.0","id":"none","cancelStream":true}`, `{"jsonrpc":"2.0","cancelStream":true}`)
			p.quiet()
		},
		"a cancel of a unary call ends its handler": func(p *peer) {
			p.send(call(`7`, "GetTask", `{"id":"wait"}`), `{"jsonrpc":"2.0","id":7,"cancelStream":true}`)
			p.expect(`"id":7,"error":{"code":-32603,`)
			p.quiet()
		},
		"unknown frames are passed over": func(p *peer) {
			p.send(`{"jsonrpc":"2.0","id":7,"pause":true}`, `{"jsonrpc":"2.0","id":7}`, `{}`, `{"jsonrpc":"2.0","control":"Hello"}`,
				`{"jsonrpc":"2.0","id":7,"cancelStream":false}`)
			p.quiet()
		},
		"the version is checked, and the connection stays": func(p *peer) {
			p.send(send(`"s"`, "SendStreamingMessage", "for ever"))
			p.expect(`"id":"s","result":`)
			for _, version := range []string{`{}`, `{"a2a-version":""}`, `{"a2a-version":"0.3"}`, `{"a2a-version":"2.0"}`} {
				p.send(`{"jsonrpc":"2.0","id":1,"method":"NoSuchMethod","serviceParams":` + version + `}`)
				p.expect(`"id":1,"error":{"code":-32009,`)
			}
			p.quiet()
			p.send(`{"jsonrpc":"2.0","id":"s","cancelStream":true}`)
			p.expect(`{"jsonrpc":"2.0","id":"s","streamEnd":true}`)
		},
		"delete answers an object": func(p *peer) {
			p.send(call(`1`, "DeleteTaskPushNotificationConfig", `{"taskId":"t","id":"p"}`))
			p.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		},
		"serviceParams of the answer": func(p *peer) {
			p.send(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}},"serviceParams":{"A2A-Version":"1.0","A2A-Extensions":"https://x.example/A"}}`)
			p.expect(`,"serviceParams":{"a2a-extensions":"https://x.example/A"}}`)
		},
	} {
		for _, subprotocol := range []string{"a2a.v1", "A2A.V1", "a2a.v1.flow"} {
			t.Run(name+"/"+subprotocol, func(t *testing.T) {
				talk(connect(t, url, nil, subprotocol))
			})
		}
	}
}

// A client without flow control gets all there is, and no frame of flow
// control does anything.
func TestForeignClientWithoutCredits(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	p := connect(t, url, nil, "a2a.v1")
	p.send(strings.Replace(send(`7`, "SendStreamingMessage", "stream 1000"), `"serviceParams"`, `"streamWindow":2,"serviceParams"`, 1),
		`{"jsonrpc":"2.0","id":7,"streamCredit":1}`)
	p.expect(`"task":`)
	for range 1000 {
		p.expect(`"artifactUpdate":`)
	}
	p.expect(`"statusUpdate":`, `"streamEnd":true`)
	p.quiet()
}

// Envelopes that are wrong, and what becomes of the connection.
func TestEnvelope(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	for name, c := range map[string]struct{ frame, want string }{
		"no jsonrpc":                    {`{"id":1,"method":"GetTask","params":{"id":"t1"}}`, `"id":1,"error":{"code":-32600,`},
		"jsonrpc 1.0":                   {`{"jsonrpc":"1.0","id":2,"method":"GetTask","params":{"id":"t1"}}`, `"id":2,"error":{"code":-32600,`},
		"id is an object":               {`{"jsonrpc":"2.0","id":{"k":3},"method":"GetTask","params":{"id":"t1"}}`, `"id":null,"error":{"code":-32600,`},
		"id is true":                    {`{"jsonrpc":"2.0","id":true,"method":"GetTask"}`, `"id":null,"error":{"code":-32600,`},
		"id is null":                    {`{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"t1"}}`, `"id":null,"error":{"code":-32600,`},
		"no id":                         {`{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t1"}}`, `"id":null,"error":{"code":-32600,`},
		"no id, not read-only":          {`{"jsonrpc":"2.0","method":"SendMessage","params":{}}`, `"id":null,"error":{"code":-32600,`},
		"params is a string":            {call(`4`, "GetTask", `"t1"`), `"id":4,"error":{"code":-32602,`},
		"params is an array":            {call(`4`, "GetTask", `["t1"]`), `"id":4,"error":{"code":-32602,`},
		"params is null":                {call(`4`, "GetTask", `null`), `"id":4,"error":{"code":-32602,`},
		"old method":                    {call(`1`, "message/send", `{}`), `"id":1,"error":{"code":-32601,`},
		"method in other case":          {call(`3`, "getTask", `{"id":"t1"}`), `"id":3,"error":{"code":-32601,`},
		"method is a number":            {`{"jsonrpc":"2.0","id":3,"method":7}`, `"id":3,"error":{"code":-32600,`},
		"no method":                     {`{"jsonrpc":"2.0","id":3,"params":{}}`, `"id":3,"error":{"code":-32600,`},
		"method twice":                  {`{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"CancelTask","params":{"id":"t1"}}`, `"error":{"code":-32600,"message":"method: is there twice"`},
		"Method":                        {`{"jsonrpc":"2.0","id":1,"Method":"GetTask","params":{"id":"t1"}}`, `"error":{"code":-32600,"message":"Method: differs in case`},
		"ServiceParams":                 {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"},"ServiceParams":{}}`, `"error":{"code":-32600,"message":"ServiceParams: differs in case`},
		"batch":                         {`[` + call(`1`, "GetTask", `{"id":"t1"}`) + `]`, `"id":null,"error":{"code":-32600,`},
		"empty batch":                   {`[]`, `"id":null,"error":{"code":-32600,`},
		"not an object":                 {`7`, `"id":null,"error":{"code":-32600,`},
		"missing field":                 {call(`2`, "GetTask", `{}`), `"id":2,"error":{"code":-32602,"message":"id: is required"`},
		"oneof twice":                   {call(`2`, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"","url":"https://x.example"}]}}`), `"id":2,"error":{"code":-32602,"message":"message.parts[0]`},
		"unknown enum":                  {call(`2`, "ListTasks", `{"status":"working"}`), `"id":2,"error":{"code":-32602,"message":"status: `},
		"number too large":              {call(`2`, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"e":1e400}}]}}`), `"id":2,"error":{"code":-32602,`},
		"unknown members":               {`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1","x":1},"meta":{},"serviceParams":{"a2a-version":"1.0"}}`, `"id":1,"result":`},
		"no params, one is due":         {`{"jsonrpc":"2.0","id":2,"method":"GetTask","serviceParams":{"a2a-version":"1.0"}}`, `"id":2,"error":{"code":-32602,"message":"id: is required"`},
		"no params, none is due":        {`{"jsonrpc":"2.0","id":2,"method":"ListTasks","serviceParams":{"a2a-version":"1.0"}}`, `"id":2,"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}}`},
		"params not JSON inside":        {call(`2`, "GetTask", `{"id":nope}`), `"id":2,"error":{"code":-32700,`},
		"serviceParams is a list":       {`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t1"},"serviceParams":[]}`, `"id":2,"error":{"code":-32602,"message":"serviceParams: `},
		"serviceParams hold a number":   {`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t1"},"serviceParams":{"a2a-version":1.0}}`, `"id":2,"error":{"code":-32602,"message":"serviceParams.a2a-version: `},
		"serviceParams is null":         {`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t1"},"serviceParams":null}`, `"id":2,"error":{"code":-32009,`},
		"a reserved parameter":          {`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t1"},"serviceParams":{"a2a-version":"1.0","Authorization":"Bearer x"}}`, `"id":2,"error":{"code":-32602,"message":"authorization: `},
		"a parameter with a line break": {`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t1"},"serviceParams":{"a2a-version":"1.0","x":"a\nb"}}`, `"id":2,"error":{"code":-32602,"message":"x: `},
		"a key twice in other case":     {`{"jsonrpc":"2.0","id":2,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}},"serviceParams":{"a2a-version":"1.0","a2a-extensions":"https://x.example/a","A2A-Extensions":"https://x.example/b"}}`, `"serviceParams":{"a2a-extensions":"https://x.example/a,https://x.example/b"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := connect(t, url, nil, "a2a.v1.flow")
			p.send(c.frame)
			got := p.read()
			assert.Contains(t, got, `{"jsonrpc":"2.0",`)
			assert.Contains(t, got, c.want)
			p.quiet()
		})
	}
}

// Every error of the table has its code on this wire.
func TestErrorsOnTheWire(t *testing.T) {
	_, url := serve(t, &agent{}, nil)
	p := connect(t, url, nil, "a2a.v1")
	c := dial(t, url, &ws.Options{Proposal: true})
	for _, row := range errmap.Table() {
		p.send(call(`1`, "GetTask", `{"id":"`+string(row.Code)+`"}`))
		p.expect(`"id":1,"error":{"code":` + strconv.Itoa(row.JSONRPC) + `,`)
		_, err := c.GetTask(t.Context(), nil, get(string(row.Code)))
		codes(t, row.Code, err)
		assert.True(t, binding.Flatten(err).Remote)
	}
}
