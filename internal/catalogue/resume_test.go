package catalogue_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// direct are the entries whose streams are lost with a connection. A broker
// keeps what its client's connection loses.
func direct() (out []catalogue.Entry) {
	for _, e := range catalogue.Entries() {
		if e.Broker == nil {
			out = append(out, e)
		}
	}
	return out
}

// proxy passes TCP connections on to a server. Its buffers are small, so that
// little is under way when it is cut.
type proxy struct {
	l  net.Listener
	to string
	wg sync.WaitGroup // what accepts and what passes bytes on

	mu     sync.Mutex
	live   map[net.Conn]bool // both sides
	held   chan struct{}     // closed when bytes pass again; nil while they do
	closed bool
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{l: l, to: to, live: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) accept() {
	for {
		near, err := p.l.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.pass(near) })
	}
}

// pass passes bytes both ways until either side is closed.
func (p *proxy) pass(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer far.Close()
	const small = 32 << 10
	_ = near.(*net.TCPConn).SetWriteBuffer(small)
	_ = far.(*net.TCPConn).SetReadBuffer(small)
	if !p.enter(near, far) {
		return
	}
	defer p.leave(near, far)
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { p.copy(far, near) })
	p.copy(near, far)
}

func (p *proxy) copy(dst, src net.Conn) {
	defer dst.Close()
	defer src.Close()
	b := make([]byte, 16<<10)
	for {
		n, err := src.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		held := p.held
		p.mu.Unlock()
		if held != nil {
			<-held
		}
		if _, err := dst.Write(b[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) enter(cs ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range cs {
		p.live[c] = true
	}
	return !p.closed
}

func (p *proxy) leave(cs ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range cs {
		delete(p.live, c)
	}
}

// cut closes all connections, both sides of them, and goes on accepting. What
// happens meanwhile does not get through.
func (p *proxy) cut(meanwhile func()) {
	held := make(chan struct{})
	p.mu.Lock()
	p.held = held
	p.mu.Unlock()
	meanwhile()
	p.mu.Lock()
	p.held = nil
	for c := range p.live {
		_ = c.Close()
	}
	p.mu.Unlock()
	close(held)
}

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.l.Close()
	p.cut(func() {})
	p.wg.Wait()
}

// line is the reference agent on a wire that can be cut, and one that cannot.
type line struct {
	proxy      *proxy
	cut, uncut binding.Client
}

func newLine(t *testing.T, e catalogue.Entry) *line {
	t.Helper()
	s, err := e.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: loopback(t, e)}, newAgent(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	host := hostOf(s.Interface().GetUrl())
	l := &line{proxy: newProxy(t, host)}
	proxied := proto.Clone(s.Interface()).(*pb.AgentInterface)
	proxied.Url = strings.Replace(proxied.GetUrl(), host, l.proxy.l.Addr().String(), 1)
	l.cut, l.uncut = dial(t, e, proxied), dial(t, e, s.Interface())
	return l
}

func dial(t *testing.T, e catalogue.Entry, iface *pb.AgentInterface) binding.Client {
	t.Helper()
	c, err := e.Make(binding.Options{}).Dial(t.Context(), iface)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// hostOf is the host and port of an interface's URL, which need not have a scheme.
func hostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	host, _, _ := strings.Cut(url, "/")
	return host
}

// authorize lets a task go on that waits for it, and completes it.
func (l *line) authorize(t *testing.T, id string) {
	m := say("go on")
	m.Message.TaskId = id
	resp, err := l.uncut.SendMessage(t.Context(), nil, m)
	require.NoError(t, err)
	require.Equal(t, pb.TaskState_TASK_STATE_COMPLETED, resp.GetTask().GetStatus().GetState())
}

// replica is what a client makes of a stream: the task, and what it saw.
type replica struct {
	task *pb.Task
	seen []string
}

func (r *replica) apply(ev *pb.StreamResponse) {
	switch x := ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		r.task = x.Task
		r.seen = append(r.seen, "task "+state(x.Task.GetStatus()))
	case *pb.StreamResponse_StatusUpdate:
		r.task.Status = x.StatusUpdate.GetStatus()
		r.seen = append(r.seen, state(x.StatusUpdate.GetStatus()))
	case *pb.StreamResponse_ArtifactUpdate:
		if a := x.ArtifactUpdate.GetArtifact(); x.ArtifactUpdate.GetAppend() {
			last := r.task.Artifacts[len(r.task.Artifacts)-1]
			last.Parts = append(last.Parts, a.GetParts()...)
		} else {
			r.task.Artifacts = append(r.task.Artifacts, a)
		}
		r.seen = append(r.seen, "artifact")
	}
}

func state(s *pb.TaskStatus) string { return strings.TrimPrefix(s.GetState().String(), "TASK_STATE_") }

// text are the parts of the task's only artifact.
func (r *replica) text(t *testing.T) (out []string) {
	require.Len(t, r.task.GetArtifacts(), 1)
	for _, p := range r.task.GetArtifacts()[0].GetParts() {
		out = append(out, p.GetText())
	}
	return out
}

// interruption is when the line is cut, and what the client sees of the task.
type interruption struct {
	name      string
	authorize bool // while the line is cut, and not after it
	seen      []string
}

var interruptions = []interruption{
	{"at work", false, []string{"task SUBMITTED", "WORKING", "AUTH_REQUIRED", "task AUTH_REQUIRED", "WORKING", "artifact", "COMPLETED"}},
	{"ended meanwhile", true, []string{"task SUBMITTED", "WORKING", "AUTH_REQUIRED", "task COMPLETED"}},
}

// patient is a context that shows a stream which hangs.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// interrupt reads a stream whose line is cut once, while its task waits, and
// wants the task whole.
func (l *line) interrupt(t *testing.T, client binding.Agent, in interruption) {
	t.Helper()
	var r replica
	for ev, err := range client.SendStreamingMessage(patient(t), nil, say("auth")) {
		require.NoError(t, err)
		r.apply(ev)
		switch len(r.seen) {
		case 3:
			l.proxy.cut(func() {
				if in.authorize {
					l.authorize(t, r.task.GetId())
				}
			})
		case 4:
			if !in.authorize {
				l.authorize(t, r.task.GetId())
			}
		}
	}
	assert.Equal(t, in.seen, r.seen)
	assert.Equal(t, "COMPLETED", state(r.task.GetStatus()))
	assert.Equal(t, []string{"got: go on"}, r.text(t))
}

// A resumed stream survives the loss of its connection, on every wire.
func TestResumeAfterCut(t *testing.T) { // spec 3.5.2, 12.5
	for _, e := range direct() {
		for _, in := range interruptions {
			t.Run(e.Name+" "+in.name, func(t *testing.T) {
				l := newLine(t, e)
				l.interrupt(t, binding.Resume(l.cut, nil), in)
			})
		}
	}
}

// So does one in the midst of its events, with every byte of them.
func TestResumeAfterCutInTheMidst(t *testing.T) {
	for _, e := range direct() {
		t.Run(e.Name, func(t *testing.T) {
			const n, size = 100, 64 << 10 // more than is under way, and less than a message may have
			l := newLine(t, e)
			var r replica
			snapshots := 0
			for ev, err := range binding.Resume(l.cut, nil).SendStreamingMessage(patient(t), nil, say(fmt.Sprintf("chunks %d %d", n, size))) {
				require.NoError(t, err)
				r.apply(ev)
				if ev.GetTask() != nil {
					snapshots++
				}
				if len(r.seen) == 5 {
					l.proxy.cut(func() {})
				}
			}
			assert.Greater(t, snapshots, 1, "the stream was interrupted")
			assert.Equal(t, "COMPLETED", state(r.task.GetStatus()))
			text := r.text(t)
			require.Len(t, text, n)
			for i, s := range text {
				assert.Len(t, s, size)
				assert.True(t, strings.HasPrefix(s, fmt.Sprintf("chunk %d ", i+1)), "%.20s", s)
			}
		})
	}
}

// A relay that resumes hides the loss from a client that does not.
func TestResumeInARelay(t *testing.T) {
	for _, front := range catalogue.Entries() {
		for _, back := range direct() {
			for _, in := range interruptions {
				t.Run(front.Name+"-to-"+back.Name+" "+in.name, func(t *testing.T) {
					l := newLine(t, back)
					s, err := front.Make(binding.Options{}).Serve(t.Context(), &pb.AgentInterface{Url: loopback(t, front)},
						bridge.Relay(binding.Resume(l.cut, nil), nil))
					require.NoError(t, err)
					t.Cleanup(func() { require.NoError(t, s.Close()) })
					l.interrupt(t, dial(t, front, s.Interface()), in)
				})
			}
		}
	}
}

// Without it, the loss is an error and never a clean end.
func TestCutIsUnavailable(t *testing.T) {
	for _, e := range direct() {
		t.Run(e.Name, func(t *testing.T) {
			l := newLine(t, e)
			var r replica
			var last error
			for ev, err := range l.cut.SendStreamingMessage(patient(t), nil, say("auth")) {
				if last = err; err != nil {
					continue
				}
				if r.apply(ev); len(r.seen) == 3 {
					l.proxy.cut(func() { l.authorize(t, r.task.GetId()) })
				}
			}
			assert.Equal(t, interruptions[0].seen[:3], r.seen)
			require.ErrorIs(t, last, binding.ErrUnavailable)
			var failed *binding.Error
			require.ErrorAs(t, last, &failed)
			assert.False(t, failed.Remote, "the agent did not say so")
		})
	}
}
