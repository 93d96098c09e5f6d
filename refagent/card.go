package refagent

import (
	"context"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// cardVersion is the version of the agent, not of the protocol.
const cardVersion = "1.0.0"

// Card is the public card (spec 4.4.1), with these supportedInterfaces. The
// extended card has those of the latest Card. An interface without a
// protocolVersion gets the one of this library.
func (a *Agent) Card(interfaces ...*pb.AgentInterface) *pb.AgentCard {
	own := make([]*pb.AgentInterface, len(interfaces))
	for i, x := range interfaces {
		own[i] = proto.Clone(x).(*pb.AgentInterface)
		setDefault(&own[i].ProtocolVersion, binding.Version)
	}
	a.mu.Lock()
	a.interfaces = own
	a.mu.Unlock()
	return a.card(own)
}

// GetExtendedAgentCard is spec 3.1.11: the card with one skill more, for
// everyone, since the agent authenticates nobody. Before the first Card there
// are no interfaces to tell of, and it is not configured.
func (a *Agent) GetExtendedAgentCard(ctx context.Context, call *binding.Call, _ *pb.GetExtendedAgentCardRequest) (*pb.AgentCard, error) {
	if err := a.begin(ctx, call, binding.OpGetExtendedAgentCard); err != nil {
		return nil, err
	}
	a.mu.Lock()
	interfaces := a.interfaces
	a.mu.Unlock()
	if len(interfaces) == 0 {
		return nil, binding.ErrExtendedAgentCardNotConfigured
	}
	card := a.card(interfaces)
	card.Skills = append(card.Skills, tckSkill())
	return card, nil
}

func (a *Agent) card(interfaces []*pb.AgentInterface) *pb.AgentCard {
	card := &pb.AgentCard{
		Name: a.o.Name, Description: a.o.Description, Version: cardVersion,
		Capabilities: &pb.AgentCapabilities{
			Streaming:         proto.Bool(!a.o.NoStreaming),
			PushNotifications: proto.Bool(!a.o.NoPush),
			ExtendedAgentCard: proto.Bool(!a.o.NoExtendedCard),
		},
		DefaultInputModes:  slices.Clone(a.o.InputModes),
		DefaultOutputModes: slices.Clone(outputModes),
	}
	for _, x := range interfaces {
		card.SupportedInterfaces = append(card.SupportedInterfaces, proto.Clone(x).(*pb.AgentInterface))
	}
	if x := a.o.RequiredExtension; x != "" {
		card.Capabilities.Extensions = append(card.Capabilities.Extensions, &pb.AgentExtension{
			Uri: x, Required: true, Description: "Every call must name it.",
		})
	}
	for _, x := range a.o.Extensions {
		card.Capabilities.Extensions = append(card.Capabilities.Extensions, &pb.AgentExtension{
			Uri: x, Description: "Activated when a call names it.",
		})
	}
	for _, c := range commands {
		card.Skills = append(card.Skills, &pb.AgentSkill{
			Id: c.word, Name: c.usage, Description: c.does, Tags: []string{"command"}, Examples: []string{c.example},
		})
	}
	return card
}

// tckSkill is the skill that the extended card has beside the commands.
func tckSkill() *pb.AgentSkill {
	prefixes := make([]string, 0, len(tckCommands))
	for p := range tckCommands {
		prefixes = append(prefixes, p)
	}
	slices.Sort(prefixes)
	return &pb.AgentSkill{
		Id: "tck", Name: "TCK prefixes", Tags: []string{"conformance"},
		Description: "Does what the A2A TCK expects of a message whose messageId begins with: " + strings.Join(prefixes, ", ") + ".",
	}
}
