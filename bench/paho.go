//go:build unix

package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// The broker is in the process too: what it costs is in the figures, of the
// floor and of ours alike.

// barePaho is a client of a broker that hands what arrives to a function.
func barePaho(ctx context.Context, url, id, topic string, got func(*paho.Client, *paho.Publish)) (*paho.Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(url, "mqtt://"))
	if err != nil {
		return nil, err
	}
	c := paho.NewClient(paho.ClientConfig{ClientID: id, Conn: conn, OnPublishReceived: []func(paho.PublishReceived) (bool, error){
		func(p paho.PublishReceived) (bool, error) { got(p.Client, p.Packet); return true, nil },
	}})
	if _, err := c.Connect(ctx, &paho.Connect{ClientID: id, KeepAlive: 30, CleanStart: true}); err != nil {
		return nil, err
	}
	_, err = c.Subscribe(ctx, &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: topic, QoS: 1}}})
	return c, err
}

// floorPaho answers each request with one message, or with a stream of them,
// QoS 1, by response topic and correlation data, and nothing else.
func floorPaho(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		ctx := context.Background()
		broker, err := embedded.Start(nil)
		if err != nil {
			return nil, nil, err
		}
		answers := [][]byte{[]byte(`{"jsonrpc":"2.0","id":"1","result":` + string(answerText) + `}`)}
		if n > 0 {
			answers = nil
			for _, ev := range stream(n) {
				answers = append(answers, []byte(`{"jsonrpc":"2.0","id":"1","result":`+string(text(ev))+"}"))
			}
		}
		// The broker drops what waits for a client beyond 65,536 packets, and the
		// library has nothing against it.
		onTheWay := make(chan struct{}, 1<<15)
		var answering sync.WaitGroup
		server, err := barePaho(ctx, broker.URL(), "server", "bench/request", func(c *paho.Client, p *paho.Publish) {
			answering.Go(func() {
				for _, a := range answers {
					onTheWay <- struct{}{}
					_, err := c.PublishWithOptions(ctx, &paho.Publish{QoS: 1, Topic: p.Properties.ResponseTopic, Payload: a,
						Properties: &paho.PublishProperties{CorrelationData: p.Properties.CorrelationData}},
						paho.PublishOptions{Method: paho.PublishMethod_AsyncSend})
					if err != nil {
						return
					}
				}
			})
		})
		if err != nil {
			return nil, nil, err
		}
		var waiting sync.Map
		client, err := barePaho(ctx, broker.URL(), "client", "bench/reply", func(_ *paho.Client, p *paho.Publish) {
			select {
			case <-onTheWay:
			default: // delivered twice
			}
			if c, ok := waiting.Load(string(p.Properties.CorrelationData)); ok {
				c.(chan struct{}) <- struct{}{}
			}
		})
		if err != nil {
			return nil, nil, err
		}
		body := []byte(`{"jsonrpc":"2.0","id":"1","method":"SendMessage","params":` + string(text(request())) + `}`)
		var ids atomic.Int64
		op := func(ctx context.Context) error {
			id := strconv.FormatInt(ids.Add(1), 10)
			got := make(chan struct{}, len(answers))
			waiting.Store(id, got)
			defer waiting.Delete(id)
			_, err := client.Publish(ctx, &paho.Publish{QoS: 1, Topic: "bench/request", Payload: body,
				Properties: &paho.PublishProperties{ResponseTopic: "bench/reply", CorrelationData: []byte(id)}})
			if err != nil {
				return err
			}
			for i := range answers {
				select {
				case <-got:
				case <-ctx.Done():
					return fmt.Errorf("%d answers of %d: %w", i, len(answers), ctx.Err())
				}
			}
			return nil
		}
		return op, func() {
			answering.Wait()
			for _, c := range []*paho.Client{client, server} {
				_ = c.Disconnect(&paho.Disconnect{})
				<-c.Done()
			}
			_ = broker.Close()
		}, nil
	}
}

// overBroker is a load over a broker of its own.
func overBroker(load func(b binding.Binding, url string) func() (func(context.Context) error, func(), error)) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		broker, err := embedded.Start(nil)
		if err != nil {
			return nil, nil, err
		}
		op, stop, err := load(mqtt.Binding{}, broker.URL())()
		if err != nil {
			return nil, nil, fmt.Errorf("mqtt: %w", err)
		}
		return op, func() { stop(); _ = broker.Close() }, nil
	}
}
