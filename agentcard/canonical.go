package agentcard

import (
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/gowebpki/jcs"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/datamodel"
)

// Canonical is the form of a card that its signatures are of (spec 8.4.1): the
// card's ProtoJSON without signatures, with required fields even where they are
// empty, optional ones where they are set, and no others that have their
// default, as RFC 8785 writes it. Members of a card's JSON that the data model
// does not have are not in it.
func Canonical(card *pb.AgentCard) ([]byte, error) {
	card = proto.Clone(card).(*pb.AgentCard)
	card.Signatures = nil
	text, err := datamodel.Append(nil, card)
	if err == nil {
		text, err = jcs.Transform(text)
	}
	if err != nil {
		return nil, binding.Errorf(binding.InvalidParams, "agentcard: %v", err)
	}
	return text, nil
}
