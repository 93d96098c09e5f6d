//go:build interop

package rust_test

import (
	"testing"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/sdk"
)

// peer is the SDK, by the version of its core. Its parts have versions of their own.
var peer = sdk.SDK{
	Name: "Rust SDK", Package: "a2a-lf", Version: "0.4.2",
	Faults: []sdk.Fault{
		{
			Held: sdk.TheirFull, Transports: []string{"grpc"}, Does: sdk.Bare,
			Steps: sdk.Detailed(),
			Why:   "its gRPC client keeps the reason of an error's ErrorInfo and no other detail: status_to_a2a_error gives A2AError no details",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"grpc"}, Does: sdk.Sees(`"a2a-extensions":"` + sdk.ExtensionCite + `"`),
			Steps: []string{"mirror extensions"},
			Why:   "its gRPC client sends the last of several values of a service parameter: service_params_to_metadata inserts where it must append",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Does: sdk.Errs("SSE parse error"),
			Steps: []string{"error in stream InternalError", "error in stream UnsupportedOperationError"},
			Why:   "its REST client knows no error in a stream, and reads it as an event without a payload",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Does: sdk.Fails(binding.MethodNotFound),
			Steps: []string{"push get", "push delete", "push get deleted"},
			Why:   "its REST client does not escape an id with a slash in a path",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Does: sdk.Sees(sdk.PushID), Steps: []string{"push list deleted"},
			Why: "its REST client has deleted nothing, since it does not escape an id with a slash in a path",
		},
		{
			Held: sdk.TheirStrict, Does: sdk.Fails(binding.UnsupportedOperation), Steps: []string{"strict stream falls back"},
			Why: "its client does not look at the card's capabilities: it asks an agent without streams for one, and leaves the error to its caller",
		},
		{
			Held: sdk.OurFull | sdk.ViaFull, Does: sdk.Is("null"), Steps: []string{"activated extensions"},
			Why: "its server has no way to tell which extensions it has activated (docs/topics/extensions.md of A2A): its handlers give an answer no service parameters",
		},
		{
			Held: sdk.OurFull | sdk.ViaFull, Does: sdk.Sees(`"taskId":"no such task"`), Steps: []string{"push unknown"},
			Why: "its server keeps push notification configurations of tasks that it does not have (spec 3.1.7: TaskNotFoundError)",
		},
		{
			Held: sdk.OurFull, Does: sdk.Sees(`"pageSize":100,`), Steps: []string{"list too many"},
			Why: "its server answers with a page of 100 when it is asked for more (spec 3.1.4 has 1 to 100, and 6.5 refuses 150)",
		},
		{
			Held: sdk.OurFull, Does: sdk.Fails(binding.InvalidAgentResponse), Steps: []string{"missing messageId", "missing parts"},
			Why: "it takes a message without a messageId or without parts (spec 4.1.4), and answers with a task that has it in its history," +
				" which our client refuses",
		},
		{
			Held: sdk.OurFull, Transports: []string{"rest", "grpc"}, Does: sdk.Completed("echo: echo"), Steps: []string{"version"},
			Why: "its server looks at A2A-Version over JSON-RPC alone (spec 3.6.2)",
		},
		{
			Held: sdk.OurFull, Transports: []string{"rest"}, Does: sdk.Fails(binding.MethodNotFound), Steps: []string{"mirror tenant"},
			Why: "its REST server has no paths with a tenant (the bindings in a2a.proto)",
		},
		{
			Held: sdk.ViaFull, Transports: []string{"rest"}, Does: sdk.Fails(binding.Unavailable), Steps: []string{"mirror tenant"},
			Why: "its REST server has no paths with a tenant (the bindings in a2a.proto)",
		},
		{
			Held: sdk.OurStrict, Does: sdk.Completed("echo: echo hello"), Steps: []string{"strict unnamed"},
			Why: "its server has the card's capabilities, and takes no notice of an extension that they require (spec 3.3.4)",
		},
		{
			Held: sdk.OurStrict, Does: sdk.Streamed("task", "TASK_STATE_WORKING", "artifact echo: echo hello append=false last=true", "TASK_STATE_COMPLETED"),
			Steps: []string{"strict stream"},
			Why:   "its server takes a capability that the card does not name for one that it has (spec 3.3.4: false or not present)",
		},
		{
			Held: sdk.OurStrict, Does: sdk.Fails(binding.ExtendedAgentCardNotConfigured), Steps: []string{"strict card"},
			Why: "its server takes a capability that the card does not name for one that it has (spec 3.3.4: false or not present)",
		},
	},
}

func TestSDK(t *testing.T) { peer.Test(t) }
