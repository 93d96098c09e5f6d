package grpcbind

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden compares a request and an answer with a file in the form of txtar.
func golden(t *testing.T, file, request, response string) {
	t.Helper()
	got := archive("request", request) + archive("response", response)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	have := files(string(want))
	assert.Equal(t, strings.TrimRight(request, "\n"), have["request"])
	assert.Equal(t, strings.TrimRight(response, "\n"), have["response"])
}

func archive(name, text string) string {
	return "-- " + name + " --\n" + strings.TrimRight(text, "\n") + "\n"
}

// files reads the files of a txtar, without the line breaks at their ends.
func files(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(n, " --\n") {
			name = strings.TrimSuffix(n, " --\n")
			continue
		}
		out[name] += line
	}
	for name, body := range out {
		out[name] = strings.TrimRight(body, "\n")
	}
	return out
}
