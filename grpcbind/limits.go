package grpcbind

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
)

// slack is what may be over the message limit before gRPC refuses it: the
// shared layer's refusal says more.
const slack = 64 << 10

// The bounds of metadata. What a client reads holds the details of errors.
const (
	maxRequestHeader = 64 << 10
	maxAnswerHeader  = 1 << 20
)

// The times of connections. Clients ping while calls are in flight, so that a
// stream finds out when its peer is gone; servers let them.
const (
	connectTimeout = 10 * time.Second
	maxBackoff     = 5 * time.Second
	clientPing     = 30 * time.Second
	serverPing     = time.Minute
	pingTimeout    = 15 * time.Second
	minPing        = 10 * time.Second
)

// ServerOptions are the limits of this binding for a grpc.Server that
// [Register] is used with. Without them that server refuses messages over
// 4 MiB, whatever Options say. [Binding] sets them by itself.
func ServerOptions(o *Options) []grpc.ServerOption {
	limit := o.resolve().MaxMessageBytes + slack
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(limit),
		grpc.MaxSendMsgSize(limit),
		grpc.MaxHeaderListSize(maxRequestHeader),
		grpc.ConnectionTimeout(connectTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: serverPing, Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
	}
}

// dialOptions have no time-out over a whole call, and no retries: a message
// must not be sent twice.
func dialOptions(limit int) []grpc.DialOption {
	limit += slack
	b := backoff.DefaultConfig
	b.BaseDelay, b.MaxDelay = 100*time.Millisecond, maxBackoff
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(limit)),
		grpc.WithMaxHeaderListSize(maxAnswerHeader),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: b, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: clientPing, Timeout: pingTimeout}),
	}
}
