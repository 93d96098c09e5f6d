//go:build interop

package js_test

import (
	"testing"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/interop/sdk"
)

var peer = sdk.SDK{
	Name: "JavaScript SDK", Package: "@a2a-js/sdk", Version: "1.3.0",
	Client: []string{"node", "client.mjs"},
	Server: []string{"node", "server.mjs"},
	Faults: []sdk.Fault{
		{
			Held: sdk.OurFull, Steps: []string{"missing parts"}, Does: sdk.Fails(binding.InvalidAgentResponse),
			Why: "it takes a message without parts (spec 4.1.4), and answers with a task that has it in its history," +
				" which our client refuses",
		},
		{
			Held: sdk.OurStrict | sdk.ViaStrict, Transports: []string{"jsonrpc", "rest"},
			Steps: []string{"strict large"}, Does: sdk.Fails(binding.ResourceExhausted),
			Why: "it reads bodies of up to 100 kB, unless whoever mounts it reads them before; its client and its gRPC server take 4 MiB",
		},
		{
			Held: sdk.OurStrict, Steps: []string{"strict push inline"}, Does: sdk.Completed("echo: echo hello"),
			Why: "it drops a push notification configuration without a word where it has no push notifications" +
				" (spec 3.3.2; 3.3.4 names the four operations alone)",
		},
	},
}

func TestSDK(t *testing.T) { peer.Test(t) }
