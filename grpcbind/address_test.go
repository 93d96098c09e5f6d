package grpcbind

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func TestParseAddress(t *testing.T) {
	for _, tc := range []struct {
		in, target, out string
		secure          bool
	}{
		{"127.0.0.1:50051", "passthrough:///127.0.0.1:50051", "127.0.0.1:50051", false},
		{"localhost:50051", "passthrough:///localhost:50051", "localhost:50051", false},
		{"[::1]:50051", "passthrough:///[::1]:50051", "[::1]:50051", false},
		{"agent.example:50051", "dns:///agent.example:50051", "agent.example:50051", true},
		{"agent.example", "dns:///agent.example:443", "agent.example:443", true},
		{"10.0.0.1:50051", "dns:///10.0.0.1:50051", "10.0.0.1:50051", true},
		{"http://agent.example", "dns:///agent.example:80", "http://agent.example:80", false},
		{"grpc://agent.example:50051", "dns:///agent.example:50051", "grpc://agent.example:50051", false},
		{"https://agent.example/a2a/grpc", "dns:///agent.example:443", "https://agent.example:443", true},
		{"GRPCS://agent.example:1", "dns:///agent.example:1", "grpcs://agent.example:1", true},
		{"https://127.0.0.1:1", "passthrough:///127.0.0.1:1", "https://127.0.0.1:1", true},
		{"dns:///agent.example:50051", "dns:///agent.example:50051", "dns:///agent.example:50051", true},
		{"dns:///localhost:50051", "passthrough:///localhost:50051", "dns:///localhost:50051", false},
	} {
		a, err := parseAddress(tc.in)
		require.NoError(t, err, tc.in)
		assert.Equal(t, []any{tc.target, tc.out, tc.secure}, []any{a.target(), a.String(), a.secure}, tc.in)
	}
	for _, in := range []string{"", ":50051", "ftp://agent.example", "https://", "agent.example:port", "https://u:p@agent.example", "dns://8.8.8.8/agent.example"} {
		_, err := Dial(t.Context(), in, nil)
		require.ErrorIs(t, err, binding.ErrInvalidParams, in)
		assert.ErrorContains(t, err, "grpcbind: dial: ", in)
	}
}

// A card shows host:port where that says the same, for clients that take a
// card's URL as a target.
func TestShownAddress(t *testing.T) {
	for in, want := range map[string]string{
		"grpc://127.0.0.1:1": "127.0.0.1:1", "http://localhost:1": "localhost:1", "127.0.0.1:1": "127.0.0.1:1",
		"grpcs://127.0.0.1:1": "grpcs://127.0.0.1:1", "https://a.example:1": "a.example:1", "grpc://a.example:1": "grpc://a.example:1",
	} {
		a, err := parseAddress(in)
		require.NoError(t, err)
		assert.Equal(t, want, a.shown(), in)
		again, err := parseAddress(a.shown())
		require.NoError(t, err)
		assert.Equal(t, a.secure, again.secure, in)
	}
}
