package grpcbind

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/a2awire/a2awire/binding"
)

// Dial connects to the agent at an address: see the package's comment. It does
// not use the network: calls connect when they need to, over one connection.
// The context bounds the dialling alone.
func Dial(_ context.Context, target string, o *Options) (binding.Client, error) {
	_, client, err := dial(target, o)
	return client, err
}

func dial(target string, o *Options) (*conn, binding.Client, error) {
	opts := o.resolve()
	a, err := parseAddress(target)
	if err != nil {
		return nil, nil, binding.Errorf(binding.InvalidParams, "grpcbind: dial: %w", err)
	}
	creds := insecure.NewCredentials()
	if a.secure {
		config := opts.TLS.Clone()
		if config == nil {
			config = new(tls.Config)
		}
		creds = credentials.NewTLS(config)
	}
	all := append(dialOptions(opts.MaxMessageBytes), grpc.WithTransportCredentials(creds))
	cc, err := grpc.NewClient(a.target(), append(all, opts.DialOptions...)...)
	if err != nil {
		return nil, nil, binding.Errorf(binding.InvalidParams, "grpcbind: dial: %w", err)
	}
	c := &conn{cc: cc, limit: opts.MaxMessageBytes}
	return c, binding.Remote(binding.Outbound(c, &opts.Options, binding.EndsCalls)), nil
}

// conn is the client side.
type conn struct {
	cc    *grpc.ClientConn
	limit int
}

func (c *conn) Close() error { return c.cc.Close() }

func (c *conn) Invoke(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (binding.Payload, error) {
	req, err := p.Message()
	if err != nil {
		return binding.Payload{}, err
	}
	out := metadata.NewOutgoingContext(ctx, callMetadata(call))
	var header, trailer metadata.MD
	resp := op.NewResponse()
	err = c.cc.Invoke(out, methods[op], req, resp, grpc.Header(&header), grpc.Trailer(&trailer))
	call.Reply = readParams(header, trailer)
	if err != nil {
		return binding.Payload{}, readError(ctx, err, c.limit)
	}
	return binding.MessagePayload(resp), nil
}

var streamDesc = grpc.StreamDesc{ServerStreams: true}

func (c *conn) Stream(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		// Its end releases the stream.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.open(ctx, op, call, p)
		if err != nil {
			yield(binding.Payload{}, readError(ctx, err, c.limit))
			return
		}
		for started := false; ; started = true {
			ev := op.NewResponse()
			err := stream.RecvMsg(ev)
			if !started || err != nil {
				header, _ := stream.Header()
				call.Reply = readParams(header, trailerAfter(stream, err))
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(binding.Payload{}, readError(ctx, err, c.limit))
				return
			}
			if !yield(binding.MessagePayload(ev), nil) {
				cancel()
				drop(stream, op)
				return
			}
		}
	}
}

// open starts a stream and sends the request.
func (c *conn) open(ctx context.Context, op *binding.Op, call *binding.Call, p binding.Payload) (grpc.ClientStream, error) {
	req, err := p.Message()
	if err != nil {
		return nil, err
	}
	stream, err := c.cc.NewStream(metadata.NewOutgoingContext(ctx, callMetadata(call)), &streamDesc, methods[op])
	if err != nil {
		return nil, err
	}
	// io.EOF is a stream that the server ended already; RecvMsg says why.
	if err := stream.SendMsg(req); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return stream, stream.CloseSend()
}

// drop reads a stream whose context has ended to its end, so that it is
// released when drop returns.
func drop(stream grpc.ClientStream, op *binding.Op) {
	for err := error(nil); err == nil; {
		err = stream.RecvMsg(op.NewResponse())
	}
}

// trailerAfter is the trailer of a stream that has ended with an error, io.EOF
// too: before that there is none.
func trailerAfter(stream grpc.ClientStream, err error) metadata.MD {
	if err == nil {
		return nil
	}
	return stream.Trailer()
}
