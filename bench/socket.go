//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/coder/websocket"
)

// gathering is a connection below a WebSocket, whose frames gather while it is
// held, and go out many in a system call.
type gathering struct {
	net.Conn
	out  *bufio.Writer
	held bool
}

func (g *gathering) Write(p []byte) (int, error) {
	if g.held {
		return g.out.Write(p)
	}
	return g.Conn.Write(p)
}

func (g *gathering) release() error {
	g.held = false
	return g.out.Flush()
}

type gatheringListener struct{ net.Listener }

func (l gatheringListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gathering{Conn: c, out: bufio.NewWriterSize(c, 32<<10)}, nil
}

type gatheringKey struct{}

// bareSocket is coder/websocket with nothing above it: a server that does
// something with a connection, and a client's end of it.
func bareSocket(serve func(*websocket.Conn, *gathering)) (*websocket.Conn, func(), error) {
	ctx := context.Background()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		serve(c, r.Context().Value(gatheringKey{}).(*gathering))
		_ = c.CloseNow()
	}))
	s.Listener = gatheringListener{s.Listener}
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, gatheringKey{}, c)
	}
	s.Start()
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http"), nil) //nolint:bodyclose // the connection is the body
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return c, func() { _ = c.CloseNow(); s.Close() }, nil
}

// floorSocketStream sends frames that were encoded before, on request, many in
// a system call, and counts them at the other end. One caller has one connection.
func floorSocketStream(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		var frames [][]byte
		for _, ev := range stream(n) {
			frames = append(frames, []byte(`{"jsonrpc":"2.0","id":"1","result":`+string(text(ev))+"}"))
		}
		free := make(chan *websocket.Conn, callerCounts[1])
		var stops []func()
		for range callerCounts[1] {
			c, stop, err := bareSocket(func(c *websocket.Conn, g *gathering) {
				for {
					if _, _, err := c.Read(context.Background()); err != nil {
						return
					}
					g.held = true
					for _, f := range frames {
						if c.Write(context.Background(), websocket.MessageText, f) != nil {
							return
						}
					}
					if g.release() != nil {
						return
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
			frame := make([]byte, 4<<10)
			for i := range n {
				_, r, err := c.Reader(context.Background())
				for err == nil {
					_, err = r.Read(frame)
				}
				if !errors.Is(err, io.EOF) {
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
