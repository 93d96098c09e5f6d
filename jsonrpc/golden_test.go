package jsonrpc_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
	"github.com/a2awire/a2awire/jsonrpc"
)

func TestGoldens(t *testing.T) {
	golden.Run(t, "JSON-RPC over HTTP", golden.HTTP(
		func(agent binding.Agent) http.Handler { return jsonrpc.Handler(agent, nil) },
		func(url string, rt http.RoundTripper) (binding.Client, error) {
			return jsonrpc.Dial(context.Background(), url, &jsonrpc.Options{Transport: rt})
		}))
}
