//go:build interop

package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/ws"
)

// example is the folder of the example that the browser is shown.
const example = "../../examples/browser"

// The page of the example, served by it, as its user sees it.
func TestBrowser(t *testing.T) {
	url, stop := serveExample(t)
	b := startBrowser(t)
	for _, c := range []struct {
		name string
		use  func(*testing.T, *page)
	}{
		{"a conversation", func(t *testing.T, p *page) {
			p.say("stream 5")
			p.shows("status", "COMPLETED")
			assert.Equal(t, shown(5), p.lines())
			assert.Equal(t, "COMPLETED", p.attribute("task", "state"))
		}},
		{"credits", func(t *testing.T, p *page) {
			p.say("stream 100")
			p.shows("status", "COMPLETED")
			assert.Equal(t, shown(100), p.lines())
			assert.Equal(t, 1, p.sent(`"streamWindow":16`))
			assert.Equal(t, 103/8, p.sent(`"streamCredit":8`))
		}},
		{"cancel", func(t *testing.T, p *page) {
			p.say("long 60")
			p.shows("status", "WORKING")
			p.press("cancel")
			p.shows("status", "CANCELED")
			assert.Equal(t, []string{"you long 60", "task SUBMITTED", "status WORKING", "status CANCELED"}, p.lines())
			assert.Equal(t, 1, p.sent(`"method":"CancelTask"`))
		}},
		{"stop listening", func(t *testing.T, p *page) {
			p.say("long 60")
			p.shows("status", "WORKING")
			p.press("leave")
			assert.Equal(t, 1, p.sent(`"cancelStream":true`))
			p.press("cancel") // the task goes on, so that it can be
			p.shows("task", "CANCELED")
		}},
		{"a second message", func(t *testing.T, p *page) {
			p.say("input")
			p.shows("status", "INPUT_REQUIRED: ")
			p.say("blue")
			p.shows("status", "COMPLETED")
			assert.Contains(t, p.lines(), "artifact got: blue")
		}},
		{"a message to a task that is listened to", func(t *testing.T, p *page) {
			p.say("auth")
			p.shows("status", "AUTH_REQUIRED: ")
			p.say("granted")
			p.shows("status", "COMPLETED")
			assert.Contains(t, p.lines(), "artifact got: granted")
		}},
		{"an error", func(t *testing.T, p *page) {
			p.say("error TaskNotFoundError")
			p.shows("error", "TASK_NOT_FOUND: TaskNotFoundError, as asked")
			p.say("message <b>hello</b>")
			p.shows("message", "<b>hello</b>")
		}},
		{"the server stops", func(t *testing.T, p *page) {
			p.say("stream 1")
			p.shows("status", "COMPLETED")
			stop()
			p.wait(`document.querySelector('#connection').textContent === 'closed with 1001 the server is shutting down'`)
			p.say("stream 1")
			p.shows("error", "the agent cannot be reached")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.open(t, url)
			p.connected()
			log := p.until(func(l traffic) bool { return len(l.statuses) == 1 })
			assert.Equal(t, []int{http.StatusSwitchingProtocols}, log.statuses)
			assert.Empty(t, log.faults)
			c.use(t, p)
		})
	}
}

// shown are the lines of "stream N".
func shown(n int) []string {
	out := []string{fmt.Sprintf("you stream %d", n), "task SUBMITTED", "status WORKING"}
	for i := 1; i <= n; i++ {
		out = append(out, fmt.Sprintf("artifact chunk %d", i))
	}
	return append(out, "status COMPLETED")
}

// The same page, served by another origin than the agent's: refused, and let
// in where the agent names that origin.
func TestBrowserFromAnotherOrigin(t *testing.T) {
	other := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(example, "page"))))
	t.Cleanup(other.Close)
	agent := reference(t)
	refusing := mount(t, ws.NewHandler(agent, nil))
	open := mount(t, ws.NewHandler(agent, &ws.Options{Origins: []string{strings.TrimPrefix(other.URL, "http://")}}))
	b := startBrowser(t)

	p := b.open(t, other.URL+"/?agent="+refusing)
	p.shows("error", "the agent cannot be reached, or refuses this page")
	assert.Equal(t, "closed", p.attribute("connection", "is"))
	log := p.until(func(l traffic) bool { return len(l.failures) > 0 })
	assert.Contains(t, log.failures[0], "Unexpected response code: 403")
	p.say("stream 5")
	p.wait(`document.querySelectorAll('#lines [data-kind=error]').length === 2`)
	assert.Len(t, p.lines(), 3, "nothing has come of it")

	p = b.open(t, other.URL+"/?agent="+open)
	p.connected()
	p.say("stream 5")
	p.shows("status", "COMPLETED")
	assert.Equal(t, shown(5), p.lines())
}

// serveExample builds and runs the example: its URL, and what stops it as
// Ctrl-C does. It ends with the test.
func serveExample(t *testing.T) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	binary := filepath.Join(t.TempDir(), "browser")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, example).CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.CommandContext(ctx, binary)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	stop = sync.OnceFunc(func() { assert.NoError(t, cmd.Process.Signal(os.Interrupt)) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	t.Cleanup(func() {
		stop()
		if !t.Failed() {
			assert.NoError(t, cmd.Wait(), "the example did not stop in good order\n%s", stderr.String())
		} else {
			cancel()
			_ = cmd.Wait()
		}
	})
	require.NoError(t, err)
	return strings.TrimSpace(line), stop
}
