//go:build interop

package mqttpeers_test

import (
	"encoding/json"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/leg"
)

// Shapes of events.
const (
	submitted = "task TASK_STATE_SUBMITTED"
	working   = "TASK_STATE_WORKING"
	done      = "TASK_STATE_COMPLETED"
	canceled  = "TASK_STATE_CANCELED"
)

func chunk(i, n int) string { return fmt.Sprintf("chunk %d append=%t last=%t", i, i > 1, i == n) }

// chunks are the shapes of "stream N".
func chunks(n int) []string {
	out := []string{submitted, working}
	for i := 1; i <= n; i++ {
		out = append(out, chunk(i, n))
	}
	return append(out, done)
}

// numbered are items of a stream from a number on, of these shapes.
func numbered(from int, shapes ...string) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, len(shapes))
		for i, p := range o.Packets {
			assert.Equal(t, from+i, p.number(t))
			assert.Equal(t, shapes[i], event(t, p))
		}
	}
}

// event is the shape of an item of a stream.
func event(t require.TestingT, p packet) (s string) {
	answered(t, p, `"s"`, func(t require.TestingT, result json.RawMessage) {
		s = leg.Shape(leg.As(t, result, new(pb.StreamResponse)))
	})
	return s
}

// streamed is a whole stream, numbered from 0 on, with one end.
func streamed(shapes ...string) check { return rest(0, shapes...) }

// rest is a stream to its end, from a number on. The last item is the end, or an
// empty packet behind it is.
func rest(from int, shapes ...string) check {
	return func(t require.TestingT, o outcome) {
		require.NotEmpty(t, o.Packets)
		last := len(o.Packets) - 1
		for i, p := range o.Packets {
			assert.Equal(t, i == last, p.Properties["a2a-stream-end"] == "ok", "packet %d", i)
		}
		items := o.Packets
		if end := o.Packets[last]; end.Payload == "" {
			assert.Equal(t, from+last, end.number(t))
			items = items[:last]
		}
		numbered(from, shapes...)(t, outcome{Packets: items})
	}
}

// brokenOff is an error that ends a stream, with its number.
func brokenOff(number int, name string, code binding.Code) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, 1)
		assert.Equal(t, "error", o.Packets[0].Properties["a2a-stream-end"])
		assert.Equal(t, number, o.Packets[0].number(t))
		told(`"s"`, name, code)(t, o)
	}
}

// refusedStream is a stream that is an error and nothing else.
func refusedStream(code binding.Code) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, 1)
		assert.Equal(t, "error", o.Packets[0].Properties["a2a-stream-end"])
		assert.Equal(t, 0, o.Packets[0].number(t))
		refused(t, o.Packets[0], `"s"`, code)
	}
}

// plain is a stream to a requester who keeps to no window: no numbers, no end.
func plain(shapes ...string) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, len(shapes))
		for i, p := range o.Packets {
			assert.Equal(t, shapes[i], event(t, p))
			for key := range p.Properties {
				assert.NotContains(t, key, "a2a-stream")
			}
		}
	}
}

// beat is a heartbeat, which says which packet is next.
func beat(next string) check {
	return func(t require.TestingT, o outcome) {
		require.Len(t, o.Packets, 1)
		p := o.Packets[0]
		assert.Empty(t, p.Payload)
		assert.Equal(t, next, p.Properties["a2a-stream-heartbeat"])
		assert.Equal(t, -1, p.number(t), "heartbeats have no number")
	}
}
