package refagent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// How a webhook is called (spec 4.3.3, 13.2).
const (
	webhookTimeout = 15 * time.Second // for one try
	webhookTries   = 3
	webhookBackoff = time.Second // before the second try; doubled before each later one
	webhookAnswer  = 64 << 10    // what is read of an answer, so that its connection can be used again
)

// sender calls webhooks.
type sender struct {
	client *http.Client
	own    bool // the client, to be closed
}

func newSender(o *Options) *sender {
	s := &sender{client: o.WebhookClient}
	if s.client == nil {
		s.client, s.own = guardedClient(o.AllowPrivateWebhooks), true
	}
	c := *s.client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &c
	return s
}

// guardedClient connects to public addresses alone, by itself: a proxy would
// connect to others for it.
func guardedClient(allowPrivate bool) *http.Client {
	d := &net.Dialer{Timeout: webhookTimeout}
	if !allowPrivate {
		d.Control = controlPublic
	}
	return &http.Client{Transport: &http.Transport{
		DialContext:         d.DialContext,
		TLSHandshakeTimeout: webhookTimeout,
		IdleConnTimeout:     time.Minute,
		MaxIdleConns:        100,
		ForceAttemptHTTP2:   true,
	}}
}

func (s *sender) close() {
	if s.own {
		s.client.CloseIdleConnections()
	}
}

// errRefused is an answer that another try would not change.
var errRefused = errors.New("refused")

// send posts an event, with a few tries. The error has neither the
// URL nor the credentials in it.
func (s *sender) send(ctx context.Context, c *pb.TaskPushNotificationConfig, ev *pb.StreamResponse) error {
	body, err := binding.MessagePayload(ev).JSON()
	if err != nil {
		return err
	}
	wait := webhookBackoff
	for try := 1; ; try++ {
		err = s.post(ctx, c, body)
		if err == nil || errors.Is(err, errRefused) || try == webhookTries {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait *= 2
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

func (s *sender) post(ctx context.Context, c *pb.TaskPushNotificationConfig, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.GetUrl(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: not an address", errRefused)
	}
	req.Header.Set("Content-Type", "application/a2a+json")
	if auth := c.GetAuthentication(); auth.GetCredentials() != "" {
		req.Header.Set("Authorization", auth.GetScheme()+" "+auth.GetCredentials())
	}
	if c.GetToken() != "" {
		req.Header.Set("X-A2A-Notification-Token", c.GetToken())
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, webhookAnswer)
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return fmt.Errorf("status %d", code)
	default:
		return fmt.Errorf("%w: status %d", errRefused, code)
	}
}

// withoutURL is why a call failed, without the URL that the client's error has.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, errNotPublic) {
		return fmt.Errorf("%w: %w", errRefused, errNotPublic)
	}
	return err
}
