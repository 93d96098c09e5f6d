package bridge

import (
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// What ends at a hop. All other service parameters cross it, both ways: they
// are between the caller and the agent (spec 3.2.6).
var (
	// own are each hop's own.
	own = map[string]bool{binding.ParamVersion: true, "a2a-authorization": true, "a2a-timeout-ms": true}
	// secrets are credentials by their usual names. The names of the upstream's
	// API keys are added from its card. They cross only with the credential.
	secrets = map[string]bool{
		"api-key": true, "apikey": true, "x-api-key": true, "x-apikey": true, "x-auth-token": true,
		"x-access-token": true, "x-csrf-token": true, "x-xsrf-token": true, "x-amz-security-token": true,
		"x-goog-api-key": true, "x-functions-key": true, "x-id-token": true, "x-session-token": true,
		"x-vault-token": true,
	}
)

// crossing are the parameters that go on.
func crossing(p binding.Params, withSecrets bool, keys map[string]bool) binding.Params {
	out := make(binding.Params, len(p))
	for k, v := range p {
		if !own[k] && (withSecrets || !secrets[k] && !keys[k]) {
			out[k] = v
		}
	}
	return out
}

// keyHeaders are the names of the headers in which a card wants API keys.
func keyHeaders(card *pb.AgentCard) map[string]bool {
	var out map[string]bool
	for _, s := range card.GetSecuritySchemes() {
		k := s.GetApiKeySecurityScheme()
		if k == nil || !strings.EqualFold(k.GetLocation(), "header") {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[strings.ToLower(k.GetName())] = true
	}
	return out
}
