package equivalence

import (
	"context"
	"iter"
	"runtime"
	"strings"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// benchEvents is the length of the stream that is measured.
const benchEvents = 101

// RunBenchmarks measures a binding, client and server in this process: a
// unary call of 1 KiB that is answered at once, by one caller and by 32, and a
// stream of 101 events.
func RunBenchmarks(b *testing.B, mk Maker) {
	agent := newBenchAgent()
	client := mk(b, agent)
	req := send("bench", strings.Repeat("x", 1024))
	unary := func() error {
		_, err := client.SendMessage(b.Context(), nil, req)
		return err
	}
	b.Run("unary", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := unary(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unary-32", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(max(1, 32/runtime.GOMAXPROCS(0)))
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if err := unary(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
	b.Run("stream-101", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range client.SendStreamingMessage(b.Context(), nil, req) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != benchEvents {
				b.Fatalf("%d events of %d", n, benchEvents)
			}
		}
	})
}

// benchAgent answers at once, with messages made before.
type benchAgent struct {
	binding.Unimplemented
	answer *pb.SendMessageResponse
	events []*pb.StreamResponse
}

func newBenchAgent() *benchAgent {
	a := &benchAgent{answer: &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: text("answer", strings.Repeat("y", 1024))}}}
	a.events = append(a.events, taskEvent("t"))
	for i := range benchEvents - 1 {
		a.events = append(a.events, chunk("t", i, strings.Repeat("z", 64)))
	}
	return a
}

// SendMessage answers at once.
func (a *benchAgent) SendMessage(context.Context, *binding.Call, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return a.answer, nil
}

// SendStreamingMessage yields the events at once.
func (a *benchAgent) SendStreamingMessage(context.Context, *binding.Call, *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		for _, ev := range a.events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}
