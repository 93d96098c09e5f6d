//go:build interop

package ws_test

import (
	"encoding/json"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// endings are the steps that refuse a handshake or close a connection.
func endings() []step {
	chosen := func(subprotocol string) check { return header("Sec-WebSocket-Protocol", subprotocol) }
	out := []step{
		{"offer both", atTheEnd, chosen("a2a.v1.flow")},
		{"offer both, the other first", atTheEnd, chosen("a2a.v1.flow")},
		{"offer the proposal", atTheEnd, chosen("a2a.v1")},
		{"offer in capitals", atTheEnd, chosen("A2A.V1")},
		{"own origin", atTheEnd, chosen("a2a.v1.flow")},
		{"no subprotocol", atTheEnd, status(400, binding.InvalidRequest)},
		{"another subprotocol", atTheEnd, status(400, binding.InvalidRequest)},
		{"foreign origin", atTheEnd, bare(403)},
		{"null origin", atTheEnd, bare(403)},
		{"foreign host", atTheEnd, status(403, binding.PermissionDenied)},
		{"no credential", atTheEnd, all(status(401, binding.Unauthenticated), header("WWW-Authenticate", challenge))},
		{"wrong credential", atTheEnd, all(status(401, binding.Unauthenticated), header("WWW-Authenticate", challenge))},
		{"one too many", atTheEnd, status(503, binding.Unavailable)},
		{"no upgrade", atTheEnd, all(bare(426), header("Upgrade", "websocket"))},

		{"oversize for the agent alone", atTheEnd, refusal(`1`, binding.ResourceExhausted)},
		{"expired", atTheEnd, closed(4001, parts(
			part{1, renewal},
			part{1, refusal(`1`, binding.Unauthenticated)}))},
		{"renewed", atTheEnd, parts(
			part{1, renewal},
			part{1, refusal(`1`, binding.Unauthenticated)},
			part{1, refusal(`1`, binding.PermissionDenied)},
			part{1, result(`1`, exactly(`{}`))},
			part{1, result(`2`, message("hello"))})},
		{"idle", atTheEnd, closed(1001, nothing)},
		{"mute", atTheEnd, closed(1001, nothing)},
		{"shutdown", atTheEnd, all(bare(204), closed(1001, parts(
			part{1, refusal(`1`, binding.Unavailable)},
			part{0, streamed(`"s"`, chunks(3)...)})))},
		{"stopped", atTheEnd, status(503, binding.Unavailable)},
	}
	for _, bad := range []struct {
		name string
		code int
		is   check
	}{
		{"not JSON", 1002, refusal(`null`, binding.JSONParse)},
		{"binary", 1003, nothing},
		{"not UTF-8", 1007, nothing},
		{"oversize", 1009, nothing},
		{"id in flight", 4000, nothing},
	} {
		for _, dialect := range dialects {
			out = append(out, step{bad.name + " (" + dialect.name + ")", atTheEnd, closed(bad.code, bad.is)})
		}
	}
	return out
}

// challenge is what a handshake without a good credential is answered with.
const challenge = `Bearer realm="interop"`

// renewal is the frame that asks for a new authentication.
func renewal(t require.TestingT, o outcome) {
	f := o.only(t)
	assert.Equal(t, "ReauthenticationRequired", f.Control)
	var params struct{ GraceMs int }
	require.NoError(t, json.Unmarshal(f.Params, &params))
	assert.Equal(t, 5000, params.GraceMs)
	assert.Nil(t, f.ID)
}
