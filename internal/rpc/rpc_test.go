package rpc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// What is not a request, by the code it is refused with (JSON-RPC 2.0, 5.1).
func TestReadRequest(t *testing.T) {
	for in, code := range map[string]binding.Code{
		``:                                       binding.JSONParse,
		`{`:                                      binding.JSONParse,
		`{"jsonrpc":"2.0"} x`:                    binding.JSONParse,
		`[]`:                                     binding.InvalidRequest,
		`[{"jsonrpc":"2.0"}]`:                    binding.InvalidRequest,
		`"x"`:                                    binding.InvalidRequest,
		`{"id":1,"method":"M"}`:                  binding.InvalidRequest,
		`{"jsonrpc":2.0,"id":1}`:                 binding.InvalidRequest,
		`{"jsonrpc":"2.0"}`:                      binding.InvalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"M"}`: binding.InvalidRequest,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"M"}`:        binding.InvalidRequest,
		`{"jsonrpc":"2.0","ID":1,"id":2,"method":"M"}`:        binding.InvalidRequest,
		`{"jsonrpc":"2.0","x":1,"x":2,"method":"M"}`:          binding.InvalidRequest,
		`{"jsonrpc":"2.0","id":1,"method":"M","params":[1]}`:  binding.InvalidParams,
		`{"jsonrpc":"2.0","id":1,"method":"M","params":null}`: binding.InvalidParams,
	} {
		_, err := ReadRequest([]byte(in))
		require.Error(t, err, in)
		assert.Equal(t, code, binding.CodeOf(err), in)
	}
	r, err := ReadRequest([]byte(` {"method":"Get\u0054ask", "extra":[{}], "id":"\u0031", "params":{"id":"t"}, "jsonrpc":"2.0"} `))
	require.NoError(t, err)
	assert.Equal(t, Request{ID: []byte(`"\u0031"`), Method: "GetTask", Params: []byte(`{"id":"t"}`)}, r)
	p, err := r.Payload(binding.OpGetTask).JSON()
	require.NoError(t, err)
	assert.Equal(t, `{"id":"t"}`, string(p))
	null, err := ReadRequest([]byte(`{"jsonrpc":"2.0","id":null,"method":"GetTask"}`))
	require.NoError(t, err)
	assert.Equal(t, `null`, string(null.ID), "an id all the same: it is answered, as null")
	notification, err := ReadRequest([]byte(`{"jsonrpc":"2.0","method":"GetTask"}`))
	require.NoError(t, err)
	assert.Nil(t, notification.ID)
	none, err := Request{}.Payload(binding.OpGetTask).JSON()
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(none))
	assert.True(t, Request{}.Payload(nil).IsZero())
}

func TestAppend(t *testing.T) {
	call := append(AppendCall(nil, "7", "GetTask", []byte(`{"id":"t"}`)), '}')
	assert.Equal(t, `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t"}}`, string(call))
	result, err := AppendResult(nil, []byte(`"a"`), binding.OpGetTask.ResponseJSON([]byte(`{}`)))
	require.NoError(t, err)
	assert.Equal(t, `{"jsonrpc":"2.0","id":"a","result":{}}`, string(result))
	for id, want := range map[string]string{`3`: `"id":3,`, ``: `"id":null,`} {
		raw := []byte(id)
		if id == "" {
			raw = nil
		}
		assert.Contains(t, string(AppendError(nil, raw, binding.ErrTaskNotFound)), want)
	}
	assert.Contains(t, string(AppendError(nil, []byte("3"), binding.Errorf(binding.JSONParse, "x"))), `"id":null,`)
	r, err := ReadResponse(AppendError(nil, []byte(`3`), binding.ErrTaskNotFound))
	require.NoError(t, err)
	_, err = r.Payload(binding.OpGetTask, "3")
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
	r, err = ReadResponse([]byte(`{"jsonrpc":"2.0","id":"4","result":{},"error":null}`))
	require.NoError(t, err)
	_, err = r.Payload(binding.OpGetTask, "4")
	require.NoError(t, err, "an id that came back as a string")
	_, err = r.Payload(binding.OpGetTask, "5")
	require.ErrorIs(t, err, binding.ErrInvalidAgentResponse)
}
