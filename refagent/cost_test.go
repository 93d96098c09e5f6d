package refagent

import (
	"runtime"
	"strconv"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// grown is a task with that many events.
func grown(t testing.TB, a *Agent, events int) *task {
	tk := a.newTask("", "c", message("x"))
	require.NoError(t, a.store.add(tk, tk.status))
	for range events {
		tk.add(&pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("chunk")}}, true, false)
	}
	return tk
}

// Appending an event costs what it costs whatever came before: memory is
// counted, not time.
func TestAppendEvent_CostsTheEventNotTheTask(t *testing.T) {
	a := newAgent(t, &Options{MaxTaskEvents: 1 << 30})
	cost := func(events int) (allocs, size float64) {
		const n = 5000
		tk := grown(t, a, events)
		artifact := &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("chunk")}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			tk.add(artifact, true, false)
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
	}
	allocs, size := cost(10)
	lateAllocs, lateSize := cost(10_000)
	assert.InDelta(t, allocs, lateAllocs, 1)
	assert.Less(t, lateSize, 2*size)
}

// Readers of the log copy nothing.
func TestReadLog_CostsNothing(t *testing.T) {
	tk := grown(t, newAgent(t, nil), 10_000)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if events, _ := tk.since(0); len(events) != 10_000 {
			t.Error("not the whole log")
		}
	}))
}

// A page costs the way to it and the page, wherever it lies: the nodes on the
// way are counted, not time. Walking there would be a thousand times as many.
func TestListPage_CostsThePageNotItsPlace(t *testing.T) {
	const n = 20_000
	a := listed(t, n)
	x := a.store.indexes[filter{}]
	deepest := 0
	var descend func(*node, int)
	descend = func(n *node, depth int) {
		if n != nil {
			deepest = max(deepest, depth)
			descend(n.left, depth+1)
			descend(n.right, depth+1)
		}
	}
	descend(x.root, 1)
	assert.Less(t, deepest, 64, "a treap of 20,000 is about 35 deep")

	for _, rank := range []int{0, n / 2, n - 51} {
		behind := first()
		for _, e := range a.store.tasks {
			if rank > 0 && x.rank(e.nodes[0].key) == rank {
				behind = e.nodes[0].key
			}
		}
		seen := 0
		x.walk(behind, func(*node) bool { seen++; return seen < 50 })
		assert.Equal(t, 50, seen, "a walk meets only what it is asked for")
		page, total := a.store.list(filter{}, oldest, behind, 50)
		assert.Len(t, page, 50)
		assert.Equal(t, n, total)
	}
}

// listed is an agent with that many ended tasks.
func listed(t testing.TB, n int) *Agent {
	a := newAgent(t, &Options{MaxTasks: n})
	for range n {
		tk := a.newTask("", "c", message("x"))
		require.NoError(t, a.store.add(tk, tk.status))
		tk.set(pb.TaskState_TASK_STATE_COMPLETED, "")
	}
	return a
}

func BenchmarkAppendEvent(b *testing.B) {
	for _, events := range []int{10, 10_000} {
		b.Run(strconv.Itoa(events), func(b *testing.B) {
			a := newAgent(b, &Options{MaxTaskEvents: 1 << 40, MaxTaskBytes: 1 << 50})
			tk := grown(b, a, events)
			artifact := &pb.Artifact{ArtifactId: "a", Parts: []*pb.Part{textPart("chunk")}}
			b.ReportAllocs()
			for b.Loop() {
				tk.add(artifact, true, false)
			}
		})
	}
}

func BenchmarkListPage(b *testing.B) {
	const n = 100_000
	a := listed(b, n)
	token := ""
	for range n/maxPageSize - 1 {
		token = listTasks(b, a, &pb.ListTasksRequest{PageSize: proto.Int32(maxPageSize), PageToken: token}).GetNextPageToken()
	}
	for name, token := range map[string]string{"first": "", "last": token} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				resp := listTasks(b, a, &pb.ListTasksRequest{PageSize: proto.Int32(maxPageSize), PageToken: token})
				if len(resp.GetTasks()) != maxPageSize || resp.GetTotalSize() != n {
					b.Fatal("not a whole page")
				}
			}
		})
	}
}

func BenchmarkEcho(b *testing.B) {
	a := newAgent(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		send(b, a, say("x"))
	}
}
