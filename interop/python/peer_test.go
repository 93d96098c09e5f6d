//go:build interop

package python_test

import (
	"testing"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/sdk"
)

const (
	unescaped = "its client's REST transport puts ids into paths as they are (client/transports/rest.py), so that" +
		" one with a slash is another path; RFC 3986 wants it escaped"
	unmatched = "its server's REST routes match paths that were unescaped before, and {push_id} takes no slash" +
		" (server/routes/rest_routes.py): a configuration with one in its id can be neither got nor deleted"
)

// The known faults are of this version, which [leg.Python] looks for.
var peer = sdk.SDK{
	Name: "Python SDK", Package: "a2a-sdk", Version: "1.3.0",
	Faults: []sdk.Fault{
		{
			Held: sdk.TheirFull, Transports: []string{"grpc"},
			Steps: sdk.Detailed(),
			Does:  sdk.Bare,
			Why: "its client's gRPC transport drops the metadata of ErrorInfo (client/transports/grpc.py, _map_grpc_error)," +
				" which its other transports keep as the error's data",
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Steps: []string{"push get", "push delete", "push get deleted"},
			Does: sdk.Errs("METHOD_NOT_FOUND"), Why: unescaped,
		},
		{
			Held: sdk.TheirFull, Transports: []string{"rest"}, Steps: []string{"push list deleted"},
			Does: sdk.Sees(sdk.PushID), Why: unescaped,
		},
		{
			Held: sdk.OurFull, Transports: []string{"rest"}, Steps: []string{"push get", "push delete", "push get deleted"},
			Does: sdk.Errs("404"), Why: unmatched,
		},
		{
			// The bridge does not pass on what is no answer of an agent.
			Held: sdk.ViaFull, Transports: []string{"rest"}, Steps: []string{"push get", "push delete", "push get deleted"},
			Does: sdk.Fails(binding.Unavailable), Why: unmatched,
		},
		{
			Held: sdk.OurFull | sdk.ViaFull, Transports: []string{"rest"}, Steps: []string{"push list deleted"},
			Does: sdk.Sees(sdk.PushID), Why: unmatched,
		},
		{
			Held: sdk.OurFull | sdk.ViaFull, Steps: []string{"activated extensions"}, Does: sdk.Is("null"),
			Why: "its server gives an agent no means to say which extensions it activated: its responses never have A2A-Extensions" +
				" (SHOULD in the specification's topic on extensions)",
		},
		{
			Held: sdk.OurFull, Transports: []string{"grpc"}, Steps: []string{"version"}, Does: sdk.Completed("echo: echo"),
			Why: "its server's gRPC handler does not look at A2A-Version (spec 3.6.2), which validate_version in its HTTP routes does",
		},
		{
			Held: sdk.OurStrict, Steps: []string{"strict unnamed"}, Does: sdk.Completed("echo: echo hello"),
			Why: "its server takes requests that do not name an extension which its card requires (spec 3.3.4): nothing in it raises" +
				" ExtensionSupportRequiredError",
		},
		{
			Held: sdk.OurStrict, Steps: []string{"strict push inline"}, Does: sdk.Completed("echo: echo hello"),
			Why: "its server drops a push notification configuration without a word where it has no push notifications" +
				" (spec 3.3.2; 3.3.4 names the four operations alone)",
		},
	},
}

func TestSDK(t *testing.T) {
	peer.Client = []string{python, "client.py"}
	peer.Server = []string{python, "server.py"}
	peer.Test(t)
}
