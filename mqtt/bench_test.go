package mqtt_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/eclipse/paho.golang/paho"
	"github.com/stretchr/testify/require"
)

// BenchmarkBare is what a round trip costs with the client library alone: a
// request and a reply of 1 KiB, both at QoS 1.
func BenchmarkBare(b *testing.B) {
	url := broker(b).URL()
	payload := []byte(strings.Repeat("x", 1024))
	for name, callers := range map[string]int{"unary": 1, "unary-32": 32} {
		b.Run(name, func(b *testing.B) {
			agent, client := bare(b, url), bare(b, url)
			topic := "$a2a/v1/request/" + freshPath()
			agent.subscribe(b, topic)
			client.subscribe(b, topic+"/reply")
			stop, done := make(chan struct{}), make(chan struct{})
			publish := func(c *bareClient, topic string) {
				_, err := c.client.Publish(b.Context(), &paho.Publish{Topic: topic, QoS: 1, Payload: payload, Properties: new(paho.PublishProperties)})
				require.NoError(b, err)
			}
			go func() {
				defer close(done)
				var all sync.WaitGroup
				defer all.Wait()
				for {
					select {
					case <-agent.got:
						all.Go(func() { publish(agent, topic+"/reply") })
					case <-stop:
						return
					}
				}
			}()
			b.ResetTimer()
			b.SetParallelism(max(1, callers/2))
			if callers == 1 {
				for b.Loop() {
					publish(client, topic)
					<-client.got
				}
			} else {
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						publish(client, topic)
						<-client.got
					}
				})
			}
			b.StopTimer()
			close(stop)
			<-done
		})
	}
}
