package rest

import (
	"context"
	"net/http"
	"testing"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/golden"
)

func TestGoldens(t *testing.T) {
	golden.Run(t, "HTTP and JSON", golden.HTTP(
		func(agent binding.Agent) http.Handler { return Handler(agent, nil) },
		func(url string, rt http.RoundTripper) (binding.Client, error) {
			return Dial(context.Background(), url, &Options{Transport: rt})
		}))
}
