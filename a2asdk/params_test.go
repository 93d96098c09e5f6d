package a2asdk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestFromParams(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     map[string][]string
		params binding.Params
		cred   binding.Credential
	}{
		{"none", nil, binding.Params{}, ""},
		{"the client's version and the caller's", map[string][]string{"A2A-Version": {"1.0"}, "a2a-version": {"1.0"}}, binding.Params{"a2a-version": "1.0"}, ""},
		{"versions that differ", map[string][]string{"A2A-Version": {"1.0"}, "a2a-version": {"2.0", "1.0"}}, binding.Params{"a2a-version": "1.0, 2.0"}, ""},
		{"an empty version", map[string][]string{"A2A-Version": {""}, "a2a-version": {""}}, binding.Params{"a2a-version": ""}, ""},
		{"spellings", map[string][]string{"x-KEY": {"4", "4"}, "X-Key": {"2", "3"}, "x-key": {"5"}, "X-KEY": {"1"}}, binding.Params{"x-key": "1, 2, 3, 4, 4, 5"}, ""},
		{"credentials", map[string][]string{"authorization": {"Bearer caller"}, "Authorization": {"Bearer own", "Bearer other"}}, binding.Params{}, "Bearer own"},
		{
			"of transports",
			map[string][]string{"User-Agent": {"x"}, "content-type": {"y"}, "Content-Length": {"1"}, ":authority": {"z"}, "grpc-timeout": {"1S"}, "": {"w"}, "x-custom": {"v"}},
			binding.Params{"x-custom": "v"}, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 20 { // whatever the order of the map
				call := fromParams(c.in)
				require.Equal(t, c.params, call.Params)
				require.Equal(t, c.cred, call.Credential)
			}
		})
	}
}
