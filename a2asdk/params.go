package a2asdk

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2awire/a2awire/binding"
)

// authorization is the service parameter in which the SDK has the credential.
const authorization = "authorization"

// legacyVersion is what the SDK's servers of older protocols leave in the
// service parameters of a call that they have translated to 1.0.
const legacyVersion = "0.3"

// toParams are the service parameters that a handler sees. Lists are split:
// the SDK looks for a URI among the values.
func toParams(call *binding.Call) *a2asrv.ServiceParams {
	kv := map[string][]string{}
	if call != nil {
		for k, v := range call.Params {
			kv[k] = []string{v}
			if k == binding.ParamExtensions {
				kv[k] = binding.SplitList(v)
			}
		}
		if c := call.Credential.Reveal(); c != "" {
			kv[authorization] = []string{c}
		}
	}
	return a2asrv.NewServiceParams(kv)
}

// crosses reports whether a lower-case name is one of a service parameter. The
// SDK puts all headers of a request among them; those of the transport, and of
// gRPC the pseudo-headers, stay out.
func crosses(k string) bool {
	return k != "" && k[0] != ':' && !binding.ReservedParam(k)
}

// fromParams is the call that service parameters describe: one value for each
// key, the credential apart. Spellings of one key are joined in their order.
func fromParams(params map[string][]string) *binding.Call {
	call := &binding.Call{Params: make(binding.Params, len(params))}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		k := strings.ToLower(key)
		for _, v := range params[key] {
			old, set := call.Params[k]
			switch {
			case k == authorization:
				if call.Credential == "" { // the first counts, as of a header
					call.Credential = binding.Credential(v)
				}
			case !crosses(k):
			case k == binding.ParamVersion && set && slices.Contains(strings.Split(old, ", "), v):
				// The SDK's client adds its own to one that the caller has set.
			default:
				call.Params.Add(k, v)
			}
		}
	}
	return call
}

// handled is the call that a handler was asked with.
func handled(ctx context.Context) *binding.Call {
	var params map[string][]string
	if cc, ok := a2asrv.CallContextFrom(ctx); ok {
		params = maps.Collect(cc.ServiceParams().List())
	}
	call := fromParams(params)
	if binding.MajorMinor(call.Param(binding.ParamVersion)) == legacyVersion {
		delete(call.Params, binding.ParamVersion)
	}
	call.Peer = Peer(ctx)
	return call
}
