//go:build interop

package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/interop/leg"
)

// browser is a headless Chromium that is driven over two pipes, in the
// DevTools protocol: JSON messages, each with a zero byte behind it.
// One goroutine at a time may use it.
type browser struct {
	to io.Writer

	mu      sync.Mutex
	next    int
	waiting map[int]chan<- answer // nil once Chromium has ended
	pages   map[string]*page      // by session
}

// answer is what a command came to.
type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startBrowser starts Chromium, which ends with the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "--no-first-run",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
		"--disable-extensions", "--disable-sync", "about:blank",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium's sandbox does not work for root
	}
	cmd := exec.CommandContext(ctx, chromium(), args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4 in the child
	cmd.WaitDelay = 5 * time.Second                // for what it may leave behind
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	require.NoError(t, errors.Join(theirIn.Close(), theirOut.Close()))
	b := &browser{to: in, waiting: map[int]chan<- answer{}, pages: map[string]*page{}}
	var reading sync.WaitGroup
	reading.Go(func() { b.read(out) })
	t.Cleanup(func() {
		defer cancel()
		text, err := b.command(make(chan answer, 1), "", "Browser.close", nil)
		if assert.NoError(t, err, "Chromium has ended") {
			_, err = in.Write(text)
			assert.NoError(t, err)
		}
		assert.NoError(t, cmd.Wait(), "Chromium: %v\n%s", ctx.Err(), leg.Clip(stderr.String()))
		reading.Wait()
		assert.NoError(t, errors.Join(in.Close(), out.Close()))
	})
	return b
}

// read takes messages until Chromium has ended.
func (b *browser) read(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			break
		}
		var m struct {
			answer
			ID        int
			Method    string
			Params    json.RawMessage
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			break
		}
		b.mu.Lock()
		waiting, p := b.waiting[m.ID], b.pages[m.SessionID]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case waiting != nil:
			waiting <- m.answer
		case p != nil && m.Method != "":
			p.event(m.Method, m.Params)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, waiting := range b.waiting {
		close(waiting)
	}
	b.waiting = nil
}

// call sends a command to a session, "" for the browser's own, and reads its
// result. A browser that has ended, or takes too long and so is killed, fails the test.
func (b *browser) call(t *testing.T, session, method string, params, result any) {
	t.Helper()
	done := make(chan answer, 1)
	text, err := b.command(done, session, method, params)
	require.NoError(t, err)
	_, err = b.to.Write(text)
	require.NoError(t, err, "%s: Chromium has ended", method)
	a, ok := <-done
	require.True(t, ok, "%s: Chromium has ended", method)
	require.Nil(t, a.Error, "%s: %+v", method, a.Error)
	if result != nil {
		require.NoError(t, json.Unmarshal(a.Result, result))
	}
}

// command registers a command and is its message.
func (b *browser) command(done chan<- answer, session, method string, params any) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		return nil, io.ErrClosedPipe
	}
	b.next++
	b.waiting[b.next] = done
	text, err := json.Marshal(struct {
		ID        int    `json:"id"`
		Method    string `json:"method"`
		Params    any    `json:"params,omitempty"`
		SessionID string `json:"sessionId,omitempty"`
	}{b.next, method, params, session})
	return append(text, 0), err
}
