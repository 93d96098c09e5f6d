package schema

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Transport gives each exchange's texts to a test.
type Transport struct {
	Next http.RoundTripper
	// Request is given a request and its body, before it is sent. What it
	// returns is given each text of the answer.
	Request func(r *http.Request, body []byte) (answer func(resp *http.Response, text []byte))
}

// RoundTrip sends a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	answer := t.Request(r, sent)
	resp, err := t.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &answered{ReadCloser: resp.Body, give: func(b *answered) {
		switch {
		case resp.Header.Get("Content-Type") == "text/event-stream":
			Events(b.text.String(), func(data []byte) { answer(resp, data) })
		case b.whole || int64(b.text.Len()) == resp.ContentLength: // else its reader had enough
			answer(resp, b.text.Bytes())
		}
	}}
	return resp, nil
}

// CloseIdleConnections closes those of the transport below.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.Next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// answered is a body that gives what was read of it when it is closed.
type answered struct {
	io.ReadCloser
	text  bytes.Buffer
	whole bool
	give  func(*answered)
}

func (b *answered) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.text.Write(p[:n])
	b.whole = b.whole || errors.Is(err, io.EOF)
	return n, err
}

func (b *answered) Close() error {
	if b.give != nil {
		b.give(b)
		b.give = nil
	}
	return b.ReadCloser.Close()
}

// Events calls a function with the data of each Server-Sent Event of a text.
// Only the last may be cut short, by a client that has left.
func Events(text string, f func(data []byte)) {
	events := strings.Split(text, "\n\n")
	for _, event := range events[:len(events)-1] {
		var data []string
		for line := range strings.SplitSeq(event, "\n") {
			if d, ok := strings.CutPrefix(line, "data: "); ok {
				data = append(data, d)
			}
		}
		if len(data) > 0 {
			f([]byte(strings.Join(data, "\n")))
		}
	}
}
