package refagent

import (
	"fmt"
	"mime"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// inputModes and outputModes are the media types of the card.
var (
	inputModes  = []string{"text/plain", "text/*", "application/json", "application/octet-stream", "image/png"}
	outputModes = []string{"text/plain", "application/json"}
)

// checkMedia refuses the first part whose mediaType is not one of the input
// modes (spec 3.1.1). A part without a mediaType is accepted.
func checkMedia(m *pb.Message) error {
	for i, p := range m.GetParts() {
		t := p.GetMediaType()
		if t == "" || accepted(t) {
			continue
		}
		return binding.Errorf(binding.ContentTypeNotSupported, "message.parts[%d].mediaType: %q is not accepted", i, t).
			WithInfo("field", fmt.Sprintf("message.parts[%d].mediaType", i)).
			WithInfo("accepted", strings.Join(inputModes, ", "))
	}
	return nil
}

func accepted(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	for _, mode := range inputModes {
		if family, ok := strings.CutSuffix(mode, "*"); t == mode || ok && strings.HasPrefix(t, family) {
			return true
		}
	}
	return false
}
