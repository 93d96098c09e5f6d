//go:build unix

package main

import (
	"context"
	"fmt"
	"iter"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"bytes"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/a2awire/a2awire/binding"
)

// passer is what a relay is to a server: a Conn whose answers are JSON already.
type passer struct {
	answer []byte
	events [][]byte
}

func newPasser(n int) passer {
	p := passer{answer: answerText}
	for _, ev := range stream(n) {
		p.events = append(p.events, text(ev))
	}
	return p
}

func (p passer) Invoke(_ context.Context, op *binding.Op, _ *binding.Call, _ binding.Payload) (binding.Payload, error) {
	return op.ResponseJSON(p.answer), nil
}

func (p passer) Stream(_ context.Context, op *binding.Op, _ *binding.Call, _ binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		for _, ev := range p.events {
			if !yield(op.ResponseJSON(ev), nil) {
				return
			}
		}
	}
}

func (passer) Close() error { return nil }

// passing carries JSON that neither side encodes: what a relay between two
// JSON wires does. Both ends still check it.
func passing(b binding.Binding, url string, n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		c, stop, err := serveAgent(b, url, binding.Remote(newPasser(n)))
		if err != nil {
			return nil, nil, err
		}
		req := text(request())
		if n == 0 {
			return func(ctx context.Context) error {
				_, err := c.Conn().Invoke(ctx, binding.OpSendMessage, new(binding.Call), binding.OpSendMessage.RequestJSON(req))
				return err
			}, stop, nil
		}
		return func(ctx context.Context) error {
			got := 0
			for _, err := range c.Conn().Stream(ctx, binding.OpSendStreamingMessage, new(binding.Call), binding.OpSendStreamingMessage.RequestJSON(req)) {
				if err != nil {
					return err
				}
				got++
			}
			if got != n {
				return fmt.Errorf("%d events of %d", got, n)
			}
			return nil
		}, stop, nil
	}
}

// coding encodes and decodes the events of a stream, and carries them nowhere.
func coding(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		events := stream(n)
		return func(context.Context) error {
			for _, ev := range events {
				b, err := binding.MessagePayload(ev).JSON()
				if err != nil {
					return err
				}
				if _, err := binding.OpSendStreamingMessage.ResponseJSON(b).Message(); err != nil {
					return err
				}
			}
			return nil
		}, func() {}, nil
	}
}

// floorProtoJSON is bare net/http with the messages coded by protojson.
func floorProtoJSON() (func(context.Context) error, func(), error) {
	answer := newStub(0).answer
	serve := func(r *http.Request) ([]byte, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if err := protojson.Unmarshal(body, new(pb.SendMessageRequest)); err != nil {
			return nil, err
		}
		return protojson.Marshal(answer)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := serve(r)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(out)
	}))
	t := transport()
	client := &http.Client{Transport: t}
	req := request()
	return func(ctx context.Context) error {
		body, err := protojson.Marshal(req)
		if err != nil {
			return err
		}
		return postFor(ctx, client, s.URL, body, new(pb.SendMessageResponse))
	}, func() { t.CloseIdleConnections(); s.Close() }, nil
}

func postFor(ctx context.Context, client *http.Client, url string, body []byte, into proto.Message) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(text, into)
}
