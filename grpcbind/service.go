package grpcbind

import (
	"context"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

// methods are the full names of the operations' methods.
var methods = func() map[*binding.Op]string {
	out := map[*binding.Op]string{}
	for _, op := range binding.Ops() {
		out[op] = "/" + pb.A2AService_ServiceDesc.ServiceName + "/" + op.Name
	}
	return out
}()

// serviceDesc is the specification's service (spec 10.3), with one handler for
// all methods of a kind.
var serviceDesc = func() grpc.ServiceDesc {
	d := grpc.ServiceDesc{
		ServiceName: pb.A2AService_ServiceDesc.ServiceName,
		HandlerType: (*any)(nil),
		Metadata:    pb.A2AService_ServiceDesc.Metadata, // where reflection finds the types
	}
	for _, op := range binding.Ops() {
		if op.Streaming {
			d.Streams = append(d.Streams, grpc.StreamDesc{StreamName: op.Name, Handler: streamHandler(op), ServerStreams: true})
		} else {
			d.Methods = append(d.Methods, grpc.MethodDesc{MethodName: op.Name, Handler: unaryHandler(op)})
		}
	}
	return d
}()

// Register serves an agent as a service of a server that its caller owns, which
// should be made with [ServerOptions]. What never reaches the service is that
// server's to answer, without a check of the version: methods that it does not
// have, and requests that are too large or no protobuf.
func Register(registrar grpc.ServiceRegistrar, agent binding.Agent, o *Options) {
	opts := o.resolve()
	registrar.RegisterService(&serviceDesc, &service{binding.NewInbound(agent, &opts.Options)})
}

// service is the implementation of all methods.
type service struct{ in *binding.Inbound }

func unaryHandler(op *binding.Op) grpc.MethodHandler {
	return func(srv any, ctx context.Context, dec func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		s := srv.(*service)
		req := op.NewRequest()
		if err := dec(req); err != nil {
			return nil, err // gRPC has answered already
		}
		if intercept == nil {
			return s.invoke(ctx, op, req)
		}
		info := &grpc.UnaryServerInfo{Server: srv, FullMethod: methods[op]}
		return intercept(ctx, req, info, func(ctx context.Context, req any) (any, error) {
			return s.invoke(ctx, op, req.(proto.Message))
		})
	}
}

func (s *service) invoke(ctx context.Context, op *binding.Op, req proto.Message) (any, error) {
	call := readCall(ctx)
	resp, err := s.in.Invoke(ctx, op, call, binding.MessagePayload(req))
	if md := replyMetadata(call); md != nil {
		_ = grpc.SetHeader(ctx, md) // they have not been sent yet
	}
	if err != nil {
		return nil, statusError(err)
	}
	m, err := resp.Message()
	if err != nil {
		return nil, statusError(err)
	}
	return m, nil
}

func streamHandler(op *binding.Op) grpc.StreamHandler {
	return func(srv any, stream grpc.ServerStream) error {
		s := srv.(*service)
		req := op.NewRequest()
		if err := stream.RecvMsg(req); err != nil {
			return err // gRPC has answered already
		}
		return s.stream(op, stream, req)
	}
}

// stream sends events as they come. A client that does not read slows its own
// stream alone, and one that is gone ends it.
func (s *service) stream(op *binding.Op, stream grpc.ServerStream, req proto.Message) error {
	ctx := stream.Context()
	call := readCall(ctx)
	started := false
	for ev, err := range s.in.Stream(ctx, op, call, binding.MessagePayload(req)) {
		if !started {
			started = true
			if md := replyMetadata(call); md != nil {
				_ = stream.SetHeader(md) // it goes out with the event, or the error
			}
		}
		if err != nil {
			return statusError(err)
		}
		m, err := ev.Message()
		if err != nil {
			return statusError(err)
		}
		if err := stream.SendMsg(m); err != nil {
			return err
		}
	}
	if !started {
		if md := replyMetadata(call); md != nil {
			_ = stream.SetHeader(md)
		}
	}
	return nil
}

// unknown answers methods that the service does not have. The version comes
// first, as before all else.
func (s *service) unknown(_ any, stream grpc.ServerStream) error {
	ctx := stream.Context()
	_, err := s.in.Invoke(ctx, nil, readCall(ctx), binding.Payload{})
	return statusError(err)
}

func statusError(err error) error { return status.FromProto(errmap.Status(err)).Err() }
