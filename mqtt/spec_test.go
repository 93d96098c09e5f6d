package mqtt

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/errmap"
)

// SPEC.md says what the code does: every error, property, and error of the transport.
func TestSpecIsComplete(t *testing.T) {
	text, err := os.ReadFile("SPEC.md")
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	row := func(cells ...string) bool {
		want := strings.Join(cells, " | ") + " |"
		return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "| ") && strings.HasSuffix(l, want) })
	}
	for _, r := range errmap.Table() {
		assert.True(t, row(fmt.Sprintf("`%s`", r.Code), fmt.Sprint(r.JSONRPC)), r.Code)
	}
	for name, e := range transportErrors {
		assert.True(t, row(fmt.Sprintf("`%s`", name), fmt.Sprint(e.number), fmt.Sprintf("`%s`", e.code)), name)
	}
	for _, p := range []string{
		propVersion, propExtensions, propAuthorization, propRequester, propResponder, propRequestID, propTimeout, propMaxReply,
		propWindow, propSeq, propEnd, propHeartbeat, propControl, propAck, propStatus, propStatusSource, propInstance,
		controlCredit, controlResend, controlCancel, controlProbe,
	} {
		assert.Contains(t, string(text), "| `"+p+"` |", p)
	}
	assert.Contains(t, string(text), "Identifier: `"+Protocol+"`")
	assert.Contains(t, string(text), "`"+DefaultRoot+"`")
}
