package ws

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/rpc"
)

func spec(t *testing.T) string {
	b, err := os.ReadFile("SPEC.md")
	require.NoError(t, err)
	return string(b)
}

// recorded are the frames of the golden files, by direction.
func recorded(t *testing.T) map[string]map[string]bool {
	out := map[string]map[string]bool{">": {}, "<": {}}
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, f := range a.Files {
			for line := range strings.Lines(string(f.Data)) {
				out[f.Name[len(f.Name)-1:]][strings.TrimSpace(line)] = true
			}
		}
	}
	return out
}

// Each sample frame crossed a wire, byte for byte, in the tests that write the
// golden files; and there is one of each kind.
func TestSpecSamples(t *testing.T) {
	golden := recorded(t)
	kinds := map[string]bool{}
	for line := range strings.Lines(spec(t)) {
		arrow, frame, ok := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !ok || arrow != "->" && arrow != "<-":
			continue
		case arrow == "->":
			assert.True(t, golden[">"][frame], "no client sent %s", frame)
			f, err := readRequest([]byte(frame))
			if err != nil {
				kinds["unreadable"] = true
				continue
			}
			for name, member := range map[string][]byte{"call": f.method, "cancel": f.cancelStream, "credit": f.streamCredit, "window": f.streamWindow} {
				kinds[name] = kinds[name] || member != nil
			}
			if f.method != nil {
				kinds[rpc.Text(f.method)] = true
			}
		default:
			assert.True(t, golden["<"][frame], "no server sent %s", frame)
			f, err := readResponse([]byte(frame))
			require.NoError(t, err, frame)
			for name, member := range map[string][]byte{"result": f.result, "error": f.err, "end": f.streamEnd, "reply": f.serviceParams, "control": f.control} {
				kinds[name] = kinds[name] || member != nil
			}
		}
	}
	for _, kind := range []string{
		"unreadable", "call", "cancel", "credit", "window", "result", "error", "end", "reply", "control",
		"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "SubscribeToTask", "CreateTaskPushNotificationConfig",
		"ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig", "GetExtendedAgentCard", methodAuthenticate,
	} {
		assert.True(t, kinds[kind], "no sample of %s", kind)
	}
}

// rows are the rows of the table behind a heading, cell by cell.
func rows(t *testing.T, heading string) [][]string {
	_, text, ok := strings.Cut(spec(t), "\n"+heading+"\n")
	require.True(t, ok, heading)
	var out [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			out = append(out, cells)
		case len(out) > 0:
			return out[2:] // behind the head and its line
		}
	}
	return nil
}

func TestSpecErrors(t *testing.T) {
	var want [][]string
	for _, r := range errmap.Table() {
		want = append(want, []string{"`" + string(r.Code) + "`", fmt.Sprint(r.JSONRPC)})
	}
	assert.Equal(t, want, rows(t, "## 4. Errors"))
}

func TestSpecCloseCodes(t *testing.T) {
	documented := map[websocket.StatusCode]bool{}
	for _, row := range rows(t, "### 4.1. Close codes") {
		var code websocket.StatusCode
		_, err := fmt.Sscan(row[0], &code)
		require.NoError(t, err)
		documented[code] = true
		got := lost(websocket.CloseError{Code: code})
		assert.Equal(t, row[2], "`"+string(got.Code)+"`", "%d", code)
	}
	for code := range closeErrors {
		assert.True(t, documented[code], "%d", code)
	}
}

func TestSpecMembers(t *testing.T) {
	text := spec(t)
	says := func(what string) { assert.Contains(t, text, what) }
	for _, member := range slices.Concat(requestMembers[:], responseMembers[:]) {
		says("| `" + member + "` |")
	}
	for _, p := range (&Options{}).subprotocols() {
		says("| `" + p + "` |")
	}
	for _, name := range append(Aliases(), Protocol) {
		says("`" + name + "`")
	}
}

func TestSpecLimits(t *testing.T) {
	minutes := func(d time.Duration) string { return fmt.Sprintf("%d min", d/time.Minute) }
	seconds := func(d time.Duration) string { return fmt.Sprintf("%d s", d/time.Second) }
	mib := func(n int) string { return fmt.Sprintf("%d MiB", n>>20) }
	frame := httpwire.BodyLimit(binding.DefaultMaxMessageBytes)
	want := map[string]string{
		"message":                               mib(binding.DefaultMaxMessageBytes),
		"frame":                                 fmt.Sprintf("%d MiB and %d KiB", frame>>20, frame>>10&1023),
		"streams in flight on a connection":     fmt.Sprint(DefaultMaxStreams),
		"other calls in flight on a connection": fmt.Sprint(DefaultMaxCalls),
		"connections of a server":               fmt.Sprint(DefaultMaxConnections),
		"connections of one principal":          fmt.Sprint(DefaultMaxPerIdentity),
		"window of a stream":                    fmt.Sprintf("%d items, %s", DefaultWindow, mib(WindowBytes)),
		"handshake":                             seconds(handshakeTime),
		"silence before a ping":                 seconds(DefaultPing),
		"wait for a sign of life after it":      seconds(DefaultPong),
		"nothing in flight":                     minutes(DefaultIdle),
		"grace of an expired authentication":    seconds(reauthenticationTime),
	}
	got := map[string]string{}
	for _, row := range rows(t, "## 8. Limits and time") {
		got[row[0]] = row[1]
	}
	assert.Equal(t, want, got)
	// The sums of section 5.5 are written with separators.
	var numbers []string
	for _, n := range regexp.MustCompile(`\d{1,3}(,\d{3})+`).FindAllString(spec(t), -1) {
		numbers = append(numbers, strings.ReplaceAll(n, ",", ""))
	}
	assert.Subset(t, []string{fmt.Sprint(WindowBytes), fmt.Sprint(WindowBytes / 2), fmt.Sprint(mux.MaxGrant)}, numbers)
	assert.Subset(t, numbers, []string{fmt.Sprint(WindowBytes), fmt.Sprint(WindowBytes / 2), fmt.Sprint(mux.MaxGrant)})
}
