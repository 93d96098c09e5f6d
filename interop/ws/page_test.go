//go:build interop

package ws_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is a page in a browser, and what it has done on its WebSocket connections.
type page struct {
	t       *testing.T
	b       *browser
	session string

	mu      sync.Mutex
	changed chan struct{} // closed at every event
	log     traffic
}

// traffic is what a page's WebSocket connections came to.
type traffic struct {
	statuses []int    // of handshakes that succeeded
	failures []string // of connections
	sent     []string // frames
	faults   []string // exceptions and errors in the console
}

// open opens a page in a window of its own.
func (b *browser) open(t *testing.T, url string) *page {
	t.Helper()
	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	t.Cleanup(func() { b.call(t, "", "Target.closeTarget", target, nil) })
	var attached struct{ SessionID string }
	b.call(t, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &page{t: t, b: b, session: attached.SessionID, changed: make(chan struct{})}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Network", "Runtime", "Log", "Page"} {
		p.call(domain+".enable", nil, nil)
	}
	var went struct{ ErrorText string }
	p.call("Page.navigate", map[string]any{"url": url}, &went)
	require.Empty(t, went.ErrorText)
	return p
}

func (p *page) call(method string, params, result any) {
	p.t.Helper()
	p.b.call(p.t, p.session, method, params, result)
}

// event takes down what is of interest.
func (p *page) event(method string, params json.RawMessage) {
	var e struct {
		ErrorMessage string
		Response     struct {
			Status      int
			PayloadData string
		}
		Entry            struct{ Level, Text, URL string }
		ExceptionDetails struct{ Exception struct{ Description string } }
	}
	if json.Unmarshal(params, &e) != nil {
		return // of another kind
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case method == "Network.webSocketHandshakeResponseReceived":
		p.log.statuses = append(p.log.statuses, e.Response.Status)
	case method == "Network.webSocketFrameError":
		p.log.failures = append(p.log.failures, e.ErrorMessage)
	case method == "Network.webSocketFrameSent":
		p.log.sent = append(p.log.sent, e.Response.PayloadData)
	case method == "Runtime.exceptionThrown":
		p.log.faults = append(p.log.faults, e.ExceptionDetails.Exception.Description)
	case method == "Log.entryAdded" && e.Entry.Level == "error":
		p.log.faults = append(p.log.faults, e.Entry.Text+" "+e.Entry.URL)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until the traffic is as it should be, and is what it is.
func (p *page) until(so func(traffic) bool) traffic {
	p.t.Helper()
	ctx := within(p.t)
	for {
		p.mu.Lock()
		changed, log := p.changed, p.log
		log.sent = slices.Clone(log.sent)
		p.mu.Unlock()
		if so(log) {
			return log
		}
		select {
		case <-changed:
		case <-ctx.Done():
			require.Fail(p.t, "the page did not do what it should", "%+v", log)
		}
	}
}

// sent is how many frames of the page have a text in them, once there is one.
func (p *page) sent(part string) int {
	p.t.Helper()
	has := func(frame string) bool { return strings.Contains(frame, part) }
	log := p.until(func(l traffic) bool { return slices.ContainsFunc(l.sent, has) })
	return len(slices.DeleteFunc(log.sent, func(f string) bool { return !has(f) }))
}

// do runs a statement in the page.
func (p *page) do(format string, args ...any) {
	p.t.Helper()
	p.eval(fmt.Sprintf(format, args...)+"; null", nil)
}

// wait waits until an expression about the document is true.
func (p *page) wait(format string, args ...any) {
	p.t.Helper()
	condition := fmt.Sprintf(format, args...)
	var is bool
	p.eval(`new Promise((resolve) => {
		const late = setTimeout(() => resolve(false), 15_000);
		const look = () => { if (`+condition+`) { observer.disconnect(); clearTimeout(late); resolve(true); } };
		const observer = new MutationObserver(look);
		observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		look();
	})`, &is)
	require.True(p.t, is, "%s: is not so; the page shows %q", condition, p.lines())
}

// eval is the value of an expression in the page, once it has settled.
func (p *page) eval(expression string, value any) {
	p.t.Helper()
	var evaluated struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &evaluated)
	require.Empty(p.t, string(evaluated.ExceptionDetails), "%s", expression)
	if value != nil {
		require.NoError(p.t, json.Unmarshal(evaluated.Result.Value, value))
	}
}

// connected waits until the page has a connection.
func (p *page) connected() {
	p.t.Helper()
	p.wait(`document.querySelector('#connection')?.dataset.is === 'open'`)
}

// say sends a message as a user does.
func (p *page) say(text string) {
	p.t.Helper()
	p.do(`document.querySelector('#text').value = %q; document.querySelector('#send').click()`, text)
}

// press clicks a button that can be clicked.
func (p *page) press(id string) {
	p.t.Helper()
	p.wait(`!document.querySelector('#%s').disabled`, id)
	p.do(`document.querySelector('#%s').click()`, id)
}

// shows waits until the last line of the conversation is of a kind and
// begins with a text.
func (p *page) shows(kind, text string) {
	p.t.Helper()
	p.wait(`(({ dataset, lastChild } = { dataset: {} }) => dataset.kind === %q && lastChild.textContent.startsWith(%q))`+
		`([...document.querySelectorAll('#lines li')].at(-1))`, kind, text)
}

// lines are those of the conversation: their kinds and texts.
func (p *page) lines() (lines []string) {
	p.t.Helper()
	p.eval(`[...document.querySelectorAll('#lines li')].map((line) => line.dataset.kind + ' ' + line.lastChild.textContent)`, &lines)
	return lines
}

// attribute is a data attribute of an element.
func (p *page) attribute(id, name string) (value string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`document.querySelector('#%s').dataset[%q]`, id, name), &value)
	return value
}
