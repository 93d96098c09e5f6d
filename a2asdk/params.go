package a2asdk

import (
	"context"
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

// fromParams is the call that service parameters describe: one value for each
// key, the credential apart.
func fromParams(params map[string][]string) *binding.Call {
	call := &binding.Call{Params: make(binding.Params, len(params))}
	for k, vs := range params {
		k = strings.ToLower(k)
		for _, v := range vs {
			if k == authorization {
				call.Credential = binding.Credential(v)
				continue
			}
			call.Params.Add(k, v)
		}
	}
	return call
}

// handled is the call that a handler was asked with. The SDK's servers put all
// headers into the service parameters; those of the transport stay out.
func handled(ctx context.Context) *binding.Call {
	kv := map[string][]string{}
	if cc, ok := a2asrv.CallContextFrom(ctx); ok {
		for k, vs := range cc.ServiceParams().List() {
			if k == authorization || k != "" && k[0] != ':' && !binding.ReservedParam(k) {
				kv[k] = vs
			}
		}
	}
	call := fromParams(kv)
	if binding.MajorMinor(call.Param(binding.ParamVersion)) == legacyVersion {
		delete(call.Params, binding.ParamVersion)
	}
	call.Peer = Peer(ctx)
	return call
}
