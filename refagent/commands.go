package refagent

import (
	"math"
	"strconv"
	"strings"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// command is what a message starts. One that answers at once has direct,
// which may leave the answer to run by giving neither message nor error.
type command struct {
	word    string
	usage   string // for the card
	does    string // for the card
	example string
	// accepts says whether the arguments are ones of this command; nil is any.
	// What is not accepted is echoed.
	accepts func(args []string) bool
	direct  func(d *direct) (text string, err error)
	run     func(r *run)
}

// direct is a message that may be answered without a task.
type direct struct {
	text      string
	args      []string
	streaming bool
}

// commands are the lines of text that drive the agent.
var commands = []*command{
	echo,
	{
		word: "message", usage: "message X", example: "message hello",
		does:    "Answers with the Message X, without a task.",
		accepts: atLeast(1),
		direct:  func(d *direct) (string, error) { return rest(d.text), nil },
	},
	{
		word: "stream", usage: "stream N", example: "stream 3",
		does:    "Gives an artifact in N chunks, \"chunk 1\" to \"chunk N\".",
		accepts: func(args []string) bool { return len(args) == 1 && isCount(args[0]) },
		run:     func(r *run) { chunks(r, count(r.args[0]), chunkText) },
	},
	{
		word: "chunks", usage: "chunks N BYTES", example: "chunks 3 1024",
		does:    "Gives an artifact in N chunks of BYTES bytes.",
		accepts: func(args []string) bool { return len(args) == 2 && isCount(args[0]) && isCount(args[1]) },
		run:     sizedChunks,
	},
	{
		word: "input", usage: "input", example: "input",
		does: "Asks for input (INPUT_REQUIRED); the next message on the task gives the artifact \"got: <text>\".",
		run: func(r *run) {
			_ = r.working() && r.wait(pb.TaskState_TASK_STATE_INPUT_REQUIRED, "What shall the task go on with?", got)
		},
	},
	{
		word: "auth", usage: "auth", example: "auth",
		does: "Asks for authorization (AUTH_REQUIRED); the next message on the task gives the artifact \"got: <text>\".",
		run: func(r *run) {
			_ = r.working() && r.wait(pb.TaskState_TASK_STATE_AUTH_REQUIRED, "Send any message to authorize the task.", got)
		},
	},
	{
		word: "long", usage: "long N", example: "long 2.5",
		does:    "Works for N seconds, and can be canceled; then gives the artifact \"long done\".",
		accepts: func(args []string) bool { return len(args) == 1 && isSeconds(args[0]) },
		run: func(r *run) {
			_ = r.working() && r.sleep(seconds(r.args[0])) && r.artifact(textPart("long done")) && r.completed()
		},
	},
	{
		word: "fail", usage: "fail", example: "fail",
		does: "Fails, with a status message.",
		run:  func(r *run) { _ = r.working() && r.set(pb.TaskState_TASK_STATE_FAILED, "The task failed, as asked.") },
	},
	{
		word: "reject", usage: "reject", example: "reject",
		does: "Rejects the task, with a status message.",
		run:  func(r *run) { r.set(pb.TaskState_TASK_STATE_REJECTED, "The task was rejected, as asked.") },
	},
	{
		word: "error", usage: "error NAME", example: "error TaskNotCancelableError",
		does:    "Answers with the error of that name, with details.",
		accepts: func(args []string) bool { return len(args) == 1 && isFault(args[0]) },
		direct:  func(d *direct) (string, error) { return "", newFault(d.args[0]) },
	},
	{
		word: "error-after", usage: "error-after N NAME", example: "error-after 2 InternalError",
		does:    "Streams N events, the Task first, then that error. Without a stream, it answers with the error.",
		accepts: func(args []string) bool { return len(args) == 2 && isCount(args[0]) && isFault(args[1]) },
		direct: func(d *direct) (string, error) {
			if d.streaming && count(d.args[0]) > 0 {
				return "", nil
			}
			return "", newFault(d.args[1])
		},
		run: errorAfter,
	},
	{
		word: "mirror", usage: "mirror", example: "mirror",
		does: "Gives an artifact whose data is the request as the agent saw it: params, tenant, metadata, serviceParameters.",
		run:  mirror,
	},
}

// echo is also what happens to a text that is no command.
var echo = &command{
	word: "echo", usage: "echo X", example: "echo hello",
	does: "Gives the artifact \"echo: <the whole text>\". So does whatever is not a command.",
	run: func(r *run) {
		_ = r.working() && r.artifact(textPart("echo: "+r.text)) && r.completed()
	},
}

// got is what a message starts that a task was waiting for. The task already works.
var got = &command{
	run: func(r *run) { _ = r.artifact(textPart("got: "+r.text)) && r.completed() },
}

// commandOf is what a message asks for by its text, and the arguments.
func commandOf(text string) (*command, []string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return echo, nil
	}
	for _, c := range commands {
		if c.word == words[0] && (c.accepts == nil || c.accepts(words[1:])) {
			return c, words[1:]
		}
	}
	return echo, nil
}

// textOf is the text of a message's first text part.
func textOf(m *pb.Message) string {
	for _, p := range m.GetParts() {
		if t, ok := p.GetContent().(*pb.Part_Text); ok {
			return t.Text
		}
	}
	return ""
}

// rest is a text behind its first word.
func rest(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return strings.TrimSpace(text[i:])
	}
	return ""
}

func atLeast(n int) func([]string) bool {
	return func(args []string) bool { return len(args) >= n }
}

const (
	maxCount   = 1 << 30
	maxSeconds = 1 << 20
)

func isCount(s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && n <= maxCount
}

// count is a number that isCount.
func count(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func isSeconds(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsNaN(f) && f >= 0 && f <= maxSeconds
}

// seconds is a number that isSeconds.
func seconds(s string) time.Duration {
	f, _ := strconv.ParseFloat(s, 64)
	return time.Duration(f * float64(time.Second))
}

func chunkText(i int) string { return "chunk " + strconv.Itoa(i) }

func chunks(r *run, n int, text func(int) string) {
	ok := r.working()
	for i := 1; ok && i <= n; i++ {
		ok = r.chunk(textPart(text(i)), i == 1, i == n)
	}
	_ = ok && r.completed()
}

// sizedChunks refuses what the task could not keep before it makes it.
func sizedChunks(r *run) {
	n, size := count(r.args[0]), count(r.args[1])
	if size > r.task.maxBytes {
		r.set(pb.TaskState_TASK_STATE_REJECTED, "A chunk of that size is more than a task may have.")
		return
	}
	chunks(r, n, func(i int) string {
		s := chunkText(i) + " "
		if len(s) >= size {
			return s[:size]
		}
		return s + strings.Repeat("x", size-len(s))
	})
}

// errorAfter gives n events, of which the Task was the first.
func errorAfter(r *run) {
	ok := true
	for i, n := 2, count(r.args[0]); ok && i <= n; i++ {
		if i == 2 {
			ok = r.working()
		} else {
			ok = r.chunk(textPart(chunkText(i-2)), i == 3, false)
		}
	}
	if ok && r.ctx.Err() == nil {
		r.task.abort(newFault(r.args[1]))
	}
}
