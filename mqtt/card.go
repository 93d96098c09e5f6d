package mqtt

import (
	"slices"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/eclipse/paho.golang/paho"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// maxCardBytes bounds a card, as registries at brokers do.
const maxCardBytes = 64 << 10

// Will is what a broker publishes when it loses an agent: the agent's card, as
// offline.
type Will struct {
	topic   string
	payload []byte
	user    paho.UserProperties
}

// NewWill is the will of an agent that will be served at an address, at the
// broker that brokerURL names, with these options. The error is a card that
// cannot be published.
func NewWill(brokerURL string, address Address, o *Options) (*Will, error) {
	u, _, err := parseBroker(brokerURL)
	if err != nil {
		return nil, err
	}
	opts := o.resolve()
	payload, err := cardOf(u.String(), address, &opts)
	if err != nil {
		return nil, err
	}
	return newWill(opts.topics(), address, payload), nil
}

func newWill(t topics, a Address, payload []byte) *Will {
	return &Will{topic: t.discovery(a), payload: payload, user: statusProperties(statusOffline, sourceWill)}
}

func statusProperties(status, source string) paho.UserProperties {
	return paho.UserProperties{{Key: propStatus, Value: status}, {Key: propStatusSource, Value: source}}
}

// cardOf is an agent's card as it is now, with its interfaces at the broker. A
// card that is signed stays as it is. An agent that has none gets the least
// that says where it is.
func cardOf(broker string, a Address, o *Options) ([]byte, error) {
	card := o.Card()
	if card == nil {
		card = &pb.AgentCard{
			Name: a.Agent, Description: "An agent at " + a.String(), Version: "1",
			Capabilities:      &pb.AgentCapabilities{Streaming: proto.Bool(true)},
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
			Skills: []*pb.AgentSkill{{Id: a.Agent, Name: a.Agent, Description: "An agent without a card", Tags: []string{"mqtt"}}},
		}
	}
	if len(card.GetSignatures()) == 0 {
		card = proto.Clone(card).(*pb.AgentCard)
		if err := complete(card, broker, a, o); err != nil {
			return nil, err
		}
	}
	payload, err := binding.MessagePayload(card).JSON()
	if err != nil {
		return nil, err
	}
	if len(payload) > maxCardBytes {
		return nil, binding.Errorf(binding.ResourceExhausted, "mqtt: a card of %d bytes is over the limit of %d bytes", len(payload), maxCardBytes)
	}
	return payload, nil
}

// complete adds this binding's interfaces and parameters to a card. Parameters
// that it has already are of another place: of the agent behind a bridge, say.
func complete(card *pb.AgentCard, broker string, a Address, o *Options) error {
	url := broker + "/" + a.String()
	for _, i := range []*pb.AgentInterface{
		{Url: url, ProtocolBinding: Protocol, ProtocolVersion: binding.Version},
		{Url: url, ProtocolBinding: ProfileProtocol, ProtocolVersion: binding.Version},
	} {
		if !lists(card, i.GetProtocolBinding()) {
			card.SupportedInterfaces = append(card.SupportedInterfaces, i)
		}
	}
	if card.Capabilities == nil {
		card.Capabilities = new(pb.AgentCapabilities)
	}
	params := map[string]any{
		"root": o.Root, "org": a.Org, "unit": a.Unit, "agent": a.Agent,
		"streamWindow": maxWindow, "maxPacketBytes": o.packetBytes,
	}
	if o.Pool != "" {
		params["pool"] = o.Pool
	}
	values, err := structpb.NewStruct(params)
	if err != nil {
		return binding.Errorf(binding.InvalidParams, "mqtt: the card's parameters: %w", err)
	}
	caps := card.GetCapabilities()
	caps.Extensions = slices.DeleteFunc(caps.GetExtensions(), func(x *pb.AgentExtension) bool { return x.GetUri() == Protocol })
	caps.Extensions = append(caps.Extensions, &pb.AgentExtension{Uri: Protocol, Description: "Where the agent is at its MQTT broker", Params: values})
	return nil
}

// lists reports whether a card has an interface of a binding.
func lists(card *pb.AgentCard, protocol string) bool {
	return slices.ContainsFunc(card.GetSupportedInterfaces(), func(i *pb.AgentInterface) bool {
		return i.GetProtocolBinding() == protocol
	})
}

// readCard reads a card, strictly.
func readCard(payload []byte) (*pb.AgentCard, error) {
	if len(payload) > maxCardBytes {
		return nil, binding.TooLarge(maxCardBytes)
	}
	m, err := binding.OpGetExtendedAgentCard.ResponseJSON(payload).Message()
	if err != nil {
		return nil, err
	}
	return m.(*pb.AgentCard), nil
}
