package matrix

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func filled() *Matrix {
	m := New("Some SDK", "some-sdk", "1.2.3")
	for _, way := range []string{"ws", Direct, "mqtt"} {
		m.Add(Route{Client, "rest", way}, "SendMessage", "send", "")
		m.Add(Route{Client, "rest", way}, "SendMessage", "send large", "")
	}
	m.Add(Route{Server, "rest", Direct}, "SendMessage", "send", "")
	m.Add(Route{Server, "rest", Direct}, "SendMessage", "send large", "it reads 100 kB")
	m.Add(Route{Server, "rest", Direct}, "GetTask", "get", "it does not know")
	m.Add(Route{Client, "grpc", Direct}, "GetTask", "get", "it does not ask") // the same step for another reason
	m.sort()
	return m
}

func TestDocument(t *testing.T) {
	const want = `## Some SDK

` + "`some-sdk`" + ` 1.2.3

| its role | transport | ways | Send | Stream | Get | List | Cancel | Subscribe | Push: create | get | list | delete | Card |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| client | grpc | direct |  |  | 0 + 1<sup>1</sup> |  |  |  |  |  |  |  |  |
| client | rest | direct, mqtt, ws | 2 |  |  |  |  |  |  |  |  |  |  |
| server | rest | direct | 1 + 1<sup>3</sup> |  | 0 + 1<sup>2</sup> |  |  |  |  |  |  |  |  |

1. it does not ask (get)
2. it does not know (get)
3. it reads 100 kB (send large)
`
	assert.Equal(t, want, filled().Document())
}

func TestSummary(t *testing.T) {
	assert.Equal(t, `| peer | its role | transports | through our bridge, with | steps as specified |
|---|---|---|---|---|
| Some SDK 1.2.3 | client | grpc, rest | mqtt, ws | 6 of 7 |
| Some SDK 1.2.3 | server | rest |  | 1 of 3 |
`, Summary([]*Matrix{filled()}))
}

// What is read is what was written, and no row takes more than a line.
func TestRead(t *testing.T) {
	m := filled()
	text, err := m.text()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "matrix.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	got, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, m.Document(), got.Document())
	again, err := got.text()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	assert.Contains(t, string(text), "\n"+`{"Role":"server","Transport":"rest","Way":"direct","Operations":{"GetTask":{"Right":0,"Faults":{"get":2}},`)
}
