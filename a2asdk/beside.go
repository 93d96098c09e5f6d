package a2asdk

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2awire/a2awire/binding"
)

// Reply are the service parameters of an answer (spec 3.2.6). Its methods may
// be called at the same time.
type Reply struct {
	mu     sync.Mutex
	params binding.Params
}

// Param is the value of a key, "" when there is none.
func (r *Reply) Param(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.params.Get(key)
}

// Params is a copy of all of them.
func (r *Reply) Params() binding.Params {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.params.Clone()
}

func (r *Reply) add(params binding.Params) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.params == nil {
		r.params = make(binding.Params, len(params))
	}
	maps.Copy(r.params, params)
}

// replyKey is of a context that a client calls with.
type replyKey struct{}

// WithReply is a context to call the SDK's client with, and what its answer
// will bring beside its result, which the client itself does not tell: the
// activated extensions and other service parameters. They are there after the
// call, and of a stream from the first event on. It is of use with transports
// of this package alone.
func WithReply(ctx context.Context) (context.Context, *Reply) {
	r := new(Reply)
	return context.WithValue(ctx, replyKey{}, r), r
}

// besideKey is of a context that a handler is asked with.
type besideKey struct{}

// beside is what a call over a binding has and the SDK's CallContext has not.
type beside struct {
	peer  string
	reply Reply
}

func besideOf(ctx context.Context) *beside {
	b, _ := ctx.Value(besideKey{}).(*beside)
	return b
}

// Peer says who called a handler or executor that [FromHandler] serves, for
// logs: an address or a client id. It is "" elsewhere.
func Peer(ctx context.Context) string {
	if b := besideOf(ctx); b != nil {
		return b.peer
	}
	return ""
}

// SetReply sets one service parameter of the answer of a handler or executor
// that [FromHandler] serves: before the call returns, or before the first
// event of a stream; later ones are not told. It does nothing elsewhere.
// It may be called at any time.
//
// Extensions are activated with the SDK's Extensions, and before the first
// event: those have no lock, and are read then, so that activating one later is
// a data race. What a2a-extensions is set to here is told in addition.
func SetReply(ctx context.Context, key, value string) {
	if b := besideOf(ctx); b != nil {
		p := binding.Params{}
		p.Set(key, value)
		b.reply.add(p)
	}
}

// asked is the context to ask a handler with, and what then puts the service
// parameters of the answer into the call.
func asked(ctx context.Context, call *binding.Call) (context.Context, func()) {
	b := new(beside)
	if call != nil {
		b.peer = call.Peer
	}
	ctx, cc := a2asrv.NewCallContext(context.WithValue(ctx, besideKey{}, b), toParams(call))
	return ctx, func() {
		for k, v := range b.reply.Params() {
			call.SetReply(k, v)
		}
		set := binding.SplitList(b.reply.Param(binding.ParamExtensions))
		call.ActivateExtensions(union(set, cc.Extensions().ActivatedURIs())...)
	}
}

// union is what is in one list or the other, once each, in their order.
func union(a, b []string) (out []string) {
	for _, s := range slices.Concat(a, b) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// answered hands the service parameters of an agent's answer to whoever asked
// the handler: as SetReply does, and the activated extensions to the SDK.
func answered(ctx context.Context, reply binding.Params) {
	uris := binding.SplitList(reply.Get(binding.ParamExtensions))
	if b := besideOf(ctx); b != nil {
		others := reply.Clone()
		delete(others, binding.ParamExtensions)
		b.reply.add(others)
	}
	if x, ok := a2asrv.ExtensionsFrom(ctx); ok {
		for _, uri := range uris {
			x.Activate(&a2a.AgentExtension{URI: uri})
		}
	}
}
