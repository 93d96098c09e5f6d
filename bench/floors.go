//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// transport is a bare net/http client with enough idle connections.
func transport() *http.Transport {
	return &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true}
}

// echo is a bare net/http server that answers with the request's body.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// post sends a body and reads the answer, as bare net/http does.
func post(ctx context.Context, client *http.Client, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	return err
}

func floorHTTP() (func(context.Context) error, func(), error) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	t := transport()
	client := &http.Client{Transport: t}
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + string(text(request())) + `}`)
	return func(ctx context.Context) error { return post(ctx, client, s.URL, body) }, func() { t.CloseIdleConnections(); s.Close() }, nil
}

// floorSSE writes events that were encoded before, flushing each, and counts
// them at the other end.
func floorSSE(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		var frames [][]byte
		for _, ev := range stream(n) {
			frames = append(frames, []byte(`data: {"jsonrpc":"2.0","id":1,"result":`+string(text(ev))+"}\n\n"))
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			f := w.(http.Flusher)
			for _, frame := range frames {
				_, _ = w.Write(frame)
				f.Flush()
			}
		}))
		t := transport()
		client := &http.Client{Transport: t}
		body := text(request())
		op := func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
			if err != nil {
				return err
			}
			resp, err := client.Do(r)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			lines, got := bufio.NewReader(resp.Body), 0
			for {
				line, err := lines.ReadSlice('\n')
				if bytes.HasPrefix(line, []byte("data: ")) {
					got++
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					return err
				}
			}
			if got != n {
				return fmt.Errorf("%d events of %d", got, n)
			}
			return nil
		}
		return op, func() { t.CloseIdleConnections(); s.Close() }, nil
	}
}

// floorProxy is httputil.ReverseProxy in front of a backend.
func floorProxy() (func(context.Context) error, func(), error) {
	back := httptest.NewServer(http.HandlerFunc(backend))
	u, err := url.Parse(back.URL)
	if err != nil {
		return nil, nil, err
	}
	t := transport()
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.Transport = t
	front := httptest.NewServer(proxy)
	op, stop := through(front.URL)
	return op, func() { stop(); front.Close(); t.CloseIdleConnections(); back.Close() }, nil
}

// through sends the same JSON-RPC request to a front, with a bare client.
func through(url string) (func(context.Context) error, func()) {
	t := transport()
	client := &http.Client{Transport: t}
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + string(text(request())) + `}`)
	return func(ctx context.Context) error { return post(ctx, client, url, body) }, t.CloseIdleConnections
}

// backend answers a JSON-RPC request with as much as an agent would, and the
// request's id.
func backend(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	const before = `"id":`
	i := bytes.Index(body, []byte(before)) + len(before)
	id := body[i : i+bytes.IndexByte(body[i:], ',')]
	w.Header().Set("Content-Type", "application/json")
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"result":`...)
	out = append(out, answerText...)
	_, _ = w.Write(append(out, '}'))
}

var answerText = text(newStub(0).answer)

type grpcEcho struct {
	pb.UnimplementedA2AServiceServer
	answer *pb.SendMessageResponse
	events []*pb.StreamResponse
}

func (e *grpcEcho) SendMessage(context.Context, *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return e.answer, nil
}

func (e *grpcEcho) SendStreamingMessage(_ *pb.SendMessageRequest, s grpc.ServerStreamingServer[pb.StreamResponse]) error {
	for _, ev := range e.events {
		if err := s.Send(ev); err != nil {
			return err
		}
	}
	return nil
}

// floorGRPC is grpc-go with the generated stubs and nothing else.
func floorGRPC(n int) (pb.A2AServiceClient, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	s := grpc.NewServer()
	pb.RegisterA2AServiceServer(s, &grpcEcho{answer: newStub(0).answer, events: stream(n)})
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	cc, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	return pb.NewA2AServiceClient(cc), func() { _ = cc.Close(); s.Stop(); <-done }, nil
}

func floorGRPCUnary() (func(context.Context) error, func(), error) {
	c, stop, err := floorGRPC(0)
	req := request()
	return func(ctx context.Context) error { _, err := c.SendMessage(ctx, req); return err }, stop, err
}

func floorGRPCStream(n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		c, stop, err := floorGRPC(n)
		req := request()
		return func(ctx context.Context) error {
			s, err := c.SendStreamingMessage(ctx, req)
			if err != nil {
				return err
			}
			for got := 0; ; got++ {
				_, err := s.Recv()
				switch {
				case errors.Is(err, io.EOF) && got == n:
					return nil
				case err != nil:
					return fmt.Errorf("%d events of %d: %w", got, n, err)
				}
			}
		}, stop, err
	}
}
