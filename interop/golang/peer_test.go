//go:build interop

package golang_test

import (
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/sdk"
)

const (
	atServer = sdk.OurFull | sdk.OurStrict | sdk.ViaFull | sdk.ViaStrict
	atClient = sdk.TheirFull | sdk.TheirStrict
	// agentsLast is the end of a history whose last message is the agent's.
	agentsLast = `"text":"What shall it be?"}]}]}`
)

var peer = sdk.SDK{
	Name: "Go SDK", Package: "github.com/a2aproject/a2a-go/v2", Version: "2.3.1",
	Faults: []sdk.Fault{
		{
			Held: atClient, Transports: []string{"jsonrpc"}, Does: sdk.Is("[]"),
			Steps: []string{"subscribe finished", "subscribe unknown", "error before stream", "strict stream", "strict subscribe"},
			Why:   "its client reads a JSON-RPC error in place of a stream, which JSON-RPC 2.0 and spec 9.4.2 have, as a stream without events that ended well",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Does: sdk.Fails(binding.MethodNotFound),
			Steps: []string{"push get", "push delete", "push get deleted"},
			Why:   "its client does not escape an id with a slash in a path",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Does: sdk.Sees(sdk.PushID),
			Steps: []string{"push list deleted"},
			Why:   "its client has deleted nothing, since it does not escape an id with a slash in a path",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"grpc"}, Does: sdk.Errs("pageSize: must be between 1 and 100, got 0"),
			Steps: []string{"list", "list by status"},
			Why:   "its client sends a page size of 0 for none (spec 3.1.4 has 1 to 100)",
		},
		{
			Held: atServer, Does: sdk.Fails(binding.TaskNotFound), Steps: []string{"subscribe finished"},
			Why: "its server knows tasks at work alone when asked to subscribe (spec 3.1.6: UnsupportedOperationError)",
		},
		{
			Held: atServer, Does: sdk.Sees(`"history":[{`), Steps: []string{"send without history"},
			Why: "its server takes no notice of a message's historyLength (spec 3.2.4)",
		},
		{
			Held: atServer, Does: sdk.Sees(agentsLast), Steps: []string{"history all", "history one"},
			Why: "its server puts the message of a status into the history behind the one that answers it",
		},
		{
			Held: atServer, Does: sdk.Fails(binding.Internal), Steps: []string{"push get deleted"},
			Why: "its server has INTERNAL_ERROR for a push notification configuration that is not there (spec 3.1.8: TaskNotFoundError)",
		},
		{
			Held: atServer, Does: sdk.Sees(`"taskId":"no such task"`), Steps: []string{"push unknown"},
			Why: "its server keeps push notification configurations of tasks that it does not have (spec 3.1.7: TaskNotFoundError)",
		},
		{
			Held: sdk.OurFull, Does: sdk.Completed("echo: echo"), Steps: []string{"version"},
			Why: "its server takes any A2A-Version (spec 3.6.2)",
		},
		{
			Held: sdk.OurFull, Does: sdk.Fails(binding.InvalidRequest), Steps: []string{"list too many"},
			Why: "its server has INVALID_REQUEST for a page size that is out of bounds, where it has INVALID_PARAMS for other fields (spec 9.5)",
		},
		{
			Held: sdk.OurFull | sdk.ViaFull, Transports: []string{"jsonrpc", "rest"}, Does: sdk.Is("null"), Steps: []string{"activated extensions"},
			Why: "its server tells over gRPC alone which extensions it has activated (spec 3.2.6)",
		},
		{
			Held: sdk.OurStrict, Transports: []string{"grpc"}, Does: sdk.Fails(binding.ExtensionSupportRequired), Steps: []string{"strict card"},
			Why: "its gRPC server does not read the service parameters of GetExtendedAgentCard",
		},
	},
}
