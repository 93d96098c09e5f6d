package grpcbind

import (
	"context"
	"net"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/a2awire/a2awire/binding"
)

// credentialKey is the metadata entry that carries the credential.
const credentialKey = "authorization"

// readCall is the call that a request's metadata describe (spec 10.2).
func readCall(ctx context.Context) *binding.Call {
	md, _ := metadata.FromIncomingContext(ctx)
	call := &binding.Call{Params: readParams(md)}
	if v := md[credentialKey]; len(v) > 0 {
		call.Credential = binding.Credential(v[0])
	}
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		call.Peer = peerName(p.Addr)
	}
	return call
}

// peerName is a peer's address, which for each call is made anew.
func peerName(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().String()
	}
	return a.String()
}

// readParams are the metadata that are service parameters. All values of a key
// count; of two sets, those of the first.
func readParams(sets ...metadata.MD) binding.Params {
	var p binding.Params
	for i, md := range sets {
		for k, vs := range md {
			if k == "" || k[0] == ':' || binding.ReservedParam(k) || i > 0 && len(sets[0][k]) > 0 {
				continue
			}
			if p == nil {
				p = make(binding.Params, len(md))
			}
			for _, v := range vs {
				p.Add(k, v)
			}
		}
	}
	return p
}

// callMetadata are the metadata of a request.
func callMetadata(call *binding.Call) metadata.MD {
	md := make(metadata.MD, len(call.Params)+2)
	for k, v := range call.Outgoing() {
		md[k] = []string{v}
	}
	if call.Credential != "" {
		md[credentialKey] = []string{call.Credential.Reveal()}
	}
	return md
}

// replyMetadata are the service parameters of an answer, nil for none. Values
// that gRPC would refuse are left out: the shared layer has made the call an
// error that says so.
func replyMetadata(call *binding.Call) metadata.MD {
	if len(call.Reply) == 0 {
		return nil
	}
	md := make(metadata.MD, len(call.Reply))
	for k, v := range call.Reply {
		if printable(v) && !binding.ReservedParam(k) {
			md[k] = []string{v}
		}
	}
	return md
}

func printable(v string) bool {
	for i := range len(v) {
		if v[i] < 0x20 || v[i] > 0x7e {
			return false
		}
	}
	return true
}
