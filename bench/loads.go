//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http/httptest"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"net/http"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/bridge"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/rest"
	"github.com/a2awire/a2awire/ws"
)

// loads are what is measured, in groups of which the first is the floor.
func loads() []load {
	const (
		unaryHTTP = "unary, 1 KiB, over HTTP"
		unaryGRPC = "unary, 1 KiB, over gRPC"
		local     = "unary, 1 KiB, in-process"
		relayed   = "relay, JSON-RPC to JSON-RPC"
		socket    = "unary, 1 KiB, one WebSocket"
		broker    = "unary, 1 KiB, over MQTT"
	)
	all := []load{
		{unaryHTTP, "net/http POST echo", floorHTTP},
		{unaryHTTP, "jsonrpc", unary(jsonrpc.Binding{}, "http://127.0.0.1:0")},
		{unaryHTTP, "rest", unary(rest.Binding{}, "http://127.0.0.1:0")},
		{unaryGRPC, "grpc-go", floorGRPCUnary},
		{unaryGRPC, "grpcbind", unary(grpcbind.Binding{}, "grpc://127.0.0.1:0")},
		{local, "cloning both messages", cloning},
		{local, "inproc", unary(inproc.New(nil), "")},
		{relayed, "httputil.ReverseProxy", floorProxy},
		{relayed, "bridge", relay},
		{socket, "net/http POST, protojson", floorProtoJSON},
		{socket, "ws", unary(ws.Binding{}, "ws://127.0.0.1:0")},
		{socket, "ws, passed on", passing(ws.Binding{}, "ws://127.0.0.1:0", 0)},
		{broker, "bare paho", floorPaho(0)},
		{broker, "mqtt", overBroker(unary)},
	}
	for _, n := range []int{101, 10_000} {
		http, grpc := fmt.Sprintf("stream of %d events, over HTTP", n), fmt.Sprintf("stream of %d events, over gRPC", n)
		onSocket := fmt.Sprintf("stream of %d events, one WebSocket", n)
		onBroker := fmt.Sprintf("stream of %d events, over MQTT", n)
		all = append(all,
			load{http, "pre-encoded SSE", floorSSE(n)},
			load{http, "jsonrpc", streaming(jsonrpc.Binding{}, "http://127.0.0.1:0", n)},
			load{http, "rest", streaming(rest.Binding{}, "http://127.0.0.1:0", n)},
			load{grpc, "grpc-go", floorGRPCStream(n)},
			load{grpc, "grpcbind", streaming(grpcbind.Binding{}, "grpc://127.0.0.1:0", n)},
			load{onBroker, "bare paho", floorPaho(n)},
			load{onBroker, "mqtt", overBroker(func(b binding.Binding, url string) func() (func(context.Context) error, func(), error) {
				return streaming(b, url, n)
			})},
			load{onSocket, "jsonrpc, over SSE", streaming(jsonrpc.Binding{}, "http://127.0.0.1:0", n)},
			load{onSocket, "coder/websocket alone", floorSocketStream(n)},
			load{onSocket, "coding the payloads", coding(n)},
			load{onSocket, "ws", streaming(ws.Binding{}, "ws://127.0.0.1:0", n)},
			load{onSocket, "ws, passed on", passing(ws.Binding{}, "ws://127.0.0.1:0", n)},
		)
	}
	return all
}

// serve serves a stub with a binding and dials it.
func serve(b binding.Binding, url string, events int) (binding.Client, func(), error) {
	return serveAgent(b, url, newStub(events))
}

func serveAgent(b binding.Binding, url string, agent binding.Agent) (binding.Client, func(), error) {
	ctx := context.Background()
	s, err := b.Serve(ctx, &pb.AgentInterface{Url: url}, agent)
	if err != nil {
		return nil, nil, err
	}
	c, err := b.Dial(ctx, s.Interface())
	if err != nil {
		return nil, nil, err
	}
	return c, func() { _ = c.Close(); _ = s.Close() }, nil
}

func unary(b binding.Binding, url string) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		c, stop, err := serve(b, url, 0)
		req := request()
		return func(ctx context.Context) error { _, err := c.SendMessage(ctx, nil, req); return err }, stop, err
	}
}

func streaming(b binding.Binding, url string, n int) func() (func(context.Context) error, func(), error) {
	return func() (func(context.Context) error, func(), error) {
		c, stop, err := serve(b, url, n)
		req := request()
		return func(ctx context.Context) error {
			got := 0
			for _, err := range c.SendStreamingMessage(ctx, nil, req) {
				if err != nil {
					return err
				}
				got++
			}
			if got != n {
				return fmt.Errorf("%d events of %d", got, n)
			}
			return nil
		}, stop, err
	}
}

func cloning() (func(context.Context) error, func(), error) {
	req, resp := request(), newStub(0).answer
	return func(context.Context) error { proto.Clone(req); proto.Clone(resp); return nil }, func() {}, nil
}

// relay is the bridge in front of the backend that the reverse proxy has.
func relay() (func(context.Context) error, func(), error) {
	back := httptest.NewServer(http.HandlerFunc(backend))
	c, err := jsonrpc.Dial(context.Background(), back.URL, nil)
	if err != nil {
		return nil, nil, err
	}
	front := httptest.NewServer(jsonrpc.Handler(bridge.Relay(c, nil), nil))
	op, stop := through(front.URL)
	return op, func() { stop(); front.Close(); _ = c.Close(); back.Close() }, nil
}
