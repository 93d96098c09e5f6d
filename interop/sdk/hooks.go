//go:build interop

package sdk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hooks takes the place of the network for an agent's webhooks.
type hooks chan *http.Request

func newHooks() hooks { return make(hooks, 64) }

// client is what the agent calls its webhooks with.
func (h hooks) client() *http.Client { return &http.Client{Transport: h} }

// RoundTrip takes a delivery, or drops it when nobody waits for so many.
func (h hooks) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	taken := r.Clone(context.WithoutCancel(r.Context()))
	taken.Body = io.NopCloser(bytes.NewReader(body))
	select {
	case h <- taken:
	default:
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// delivered waits for a delivery with a token.
func (h hooks) delivered(t *testing.T, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		select {
		case r := <-h:
			if r.Header.Get("X-A2A-Notification-Token") == token {
				assert.Equal(t, Webhook, r.URL.String())
				return
			}
		case <-ctx.Done():
			require.Fail(t, "no webhook was called with the token", token)
		}
	}
}
