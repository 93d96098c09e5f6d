//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/coder/websocket"
)

// bareSocket is coder/websocket with nothing above it: a server that does
// something with a connection, and a client's end of it.
func bareSocket(serve func(*websocket.Conn)) (*websocket.Conn, func(), error) {
	ctx := context.Background()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		serve(c)
		_ = c.CloseNow()
	}))
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http"), nil) //nolint:bodyclose // the connection is the body
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return c, func() { _ = c.CloseNow(); s.Close() }, nil
}

// floorSocketStream sends frames that were encoded before, on request, and
// counts them at the other end. One caller has one connection.
func floorSocketStream(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		var frames [][]byte
		for _, ev := range stream(n) {
			frames = append(frames, []byte(`{"jsonrpc":"2.0","id":"1","result":`+string(text(ev))+"}"))
		}
		free := make(chan *websocket.Conn, callerCounts[1])
		var stops []func()
		for range callerCounts[1] {
			c, stop, err := bareSocket(func(c *websocket.Conn) {
				for {
					if _, _, err := c.Read(context.Background()); err != nil {
						return
					}
					for _, f := range frames {
						if c.Write(context.Background(), websocket.MessageText, f) != nil {
							return
						}
					}
				}
			})
			if err != nil {
				return nil, nil, err
			}
			free <- c
			stops = append(stops, stop)
		}
		op := func(context.Context) error {
			c := <-free
			defer func() { free <- c }()
			if err := c.Write(context.Background(), websocket.MessageText, []byte("go")); err != nil {
				return err
			}
			for i := range n {
				if _, _, err := c.Read(context.Background()); err != nil {
					return fmt.Errorf("%d events of %d: %w", i, n, err)
				}
			}
			return nil
		}
		return op, func() {
			for _, stop := range stops {
				stop()
			}
		}, nil
	}
}
