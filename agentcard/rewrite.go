package agentcard

import (
	"slices"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// Front is what a bridge says of itself in the card of the agent behind it.
type Front struct {
	// Interfaces are those that the bridge serves. They replace the agent's:
	// nothing of the agent's own addresses remains (spec 8.3.1).
	Interfaces []*pb.AgentInterface
	// KeepSecurity keeps the agent's security schemes, for a bridge that
	// forwards credentials. Without it they are dropped, since what a caller
	// sends by them would reach nobody.
	KeepSecurity bool
}

// Rewrite is the card of an agent as its bridge shows it. The card given does
// not change. Signatures are dropped: they are of another card. So are the
// extensions named after a binding of the agent: they say where it is on that wire.
func Rewrite(card *pb.AgentCard, front Front) *pb.AgentCard {
	out := proto.Clone(card).(*pb.AgentCard)
	out.SupportedInterfaces = nil
	for _, i := range front.Interfaces {
		out.SupportedInterfaces = append(out.SupportedInterfaces, proto.Clone(i).(*pb.AgentInterface))
	}
	out.Signatures = nil
	if caps := out.GetCapabilities(); caps != nil {
		caps.Extensions = slices.DeleteFunc(caps.GetExtensions(), func(x *pb.AgentExtension) bool {
			return slices.ContainsFunc(card.GetSupportedInterfaces(), func(i *pb.AgentInterface) bool {
				return i.GetProtocolBinding() == x.GetUri()
			})
		})
	}
	if !front.KeepSecurity {
		out.SecuritySchemes, out.SecurityRequirements = nil, nil
		for _, s := range out.GetSkills() {
			s.SecurityRequirements = nil
		}
	}
	return out
}
