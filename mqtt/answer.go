package mqtt

import (
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/rpc"
)

// readAnswer is the answer in a reply to the JSON-RPC request id.
func readAnswer(m *message, op *binding.Op, id string) (binding.Payload, error) {
	r, err := rpc.ReadResponse(m.payload)
	if err != nil {
		return binding.Payload{}, binding.Errorf(binding.InvalidAgentResponse, "mqtt: the reply is not a JSON-RPC response: %w", err)
	}
	if r.Error != nil {
		if e, ok := readTransportError(r.Error); ok {
			return binding.Payload{}, e
		}
	}
	return r.Payload(op, id)
}

// replyParams are the service parameters of an answer.
func replyParams(m *message) binding.Params {
	p := m.params()
	delete(p, binding.ParamVersion) // says who answers, not how
	return p
}
