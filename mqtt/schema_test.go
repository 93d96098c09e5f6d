package mqtt_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/eclipse/paho.golang/packets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/schema"
)

// watched is a way to a broker on which all that is published is held against
// the schema.
func watched(t testing.TB, brokerURL string, w *schema.Watch) (url string) {
	const scheme = "mqtt://"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(brokerURL, scheme))
			if !assert.NoError(t, err) {
				_ = near.Close()
				continue
			}
			all.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
			all.Go(func() { forward(near, far, w); _ = far.Close() })
		}
	})
	return scheme + l.Addr().String()
}

// forward passes a client's packets on. Each is looked at before it goes, so
// that a call is known when its answer comes.
func forward(from io.Reader, to io.Writer, w *schema.Watch) {
	from = bufio.NewReader(from)
	for {
		var raw bytes.Buffer
		p, err := packets.ReadPacket(io.TeeReader(from, &raw))
		if err == nil {
			if m, ok := p.Content.(*packets.Publish); ok && len(m.Payload) > 0 {
				hold(w, m)
			}
		}
		if _, werr := to.Write(raw.Bytes()); werr != nil || err != nil {
			return
		}
	}
}

func hold(w *schema.Watch, p *packets.Publish) {
	key := string(p.Properties.CorrelationData)
	switch {
	case strings.Contains(p.Topic, "/discovery/"):
		w.Check("AgentCard", p.Payload)
	case p.Properties.ResponseTopic != "":
		w.Call(key, p.Payload)
	case p.Properties.ContentType == "": // the client hears whether its topic works
		w.Check("Empty", p.Payload)
	default:
		w.Answer(key, p.Payload)
	}
}
