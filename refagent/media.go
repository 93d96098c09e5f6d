package refagent

import (
	"fmt"
	"mime"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// The media types of the card; input modes where Options have none.
var (
	inputModes  = []string{"text/plain", "text/*", "application/json", "application/octet-stream", "image/png"}
	outputModes = []string{"text/plain", "application/json"}
)

// checkMedia refuses the first part whose mediaType is not one of the input
// modes (spec 3.1.1). A part without a mediaType is accepted.
func (a *Agent) checkMedia(m *pb.Message) error {
	for i, p := range m.GetParts() {
		t := p.GetMediaType()
		if t == "" || accepted(t, a.o.InputModes) {
			continue
		}
		return binding.Errorf(binding.ContentTypeNotSupported, "message.parts[%d].mediaType: %q is not accepted", i, t).
			WithInfo("field", fmt.Sprintf("message.parts[%d].mediaType", i)).
			WithInfo("accepted", strings.Join(a.o.InputModes, ", "))
	}
	return nil
}

// accepted reports whether a media type is one of the modes, or of a family of
// theirs: "text/*", or "*/*", which is all.
func accepted(mediaType string, modes []string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil || !strings.Contains(t, "/") {
		return false
	}
	for _, mode := range modes {
		if family, ok := strings.CutSuffix(mode, "*"); t == mode || mode == "*/*" || ok && strings.HasPrefix(t, family) {
			return true
		}
	}
	return false
}
