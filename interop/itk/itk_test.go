//go:build interop

package itk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/interop/leg"
)

// python is the interpreter that has the SDK, whose version is that of interop/python.
var python string

const sdkVersion = "1.3.0"

func TestMain(m *testing.M) {
	var err error
	python, err = leg.Python("../python", "a2a-sdk", sdkVersion)
	if err = errors.Join(err, leg.Node("../js")); err != nil {
		fmt.Fprintf(os.Stderr, "interop/itk: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// parties are ours and those of others.
func parties(t *testing.T) (us party, others []party) {
	return ours(t), []party{gosdk(t), script(t, "js", "node", "../js/traveller.mjs"), script(t, "python", python, "../python/traveller.py")}
}

func TestJourneys(t *testing.T) {
	us, others := parties(t)
	journeys(t, us, others)
}

// The same, with every agent behind our bridge.
func TestJourneysThroughBridge(t *testing.T) {
	us, others := parties(t)
	for i, p := range others {
		others[i] = bridged(t, p)
	}
	journeys(t, bridged(t, us), others)
}

// journeys are those of ours and every two others, in each order, by each edge.
func journeys(t *testing.T, us party, others []party) {
	h := newHooks(t)
	for i, a := range others {
		for _, b := range others[i+1:] {
			for _, way := range orders(us, a, b) {
				for transport := range protocols {
					for _, behaviour := range behaviours {
						t.Run(fmt.Sprintf("%s-%s-%s/%s-%s", way[0].name, way[1].name, way[2].name, transport, behaviour), func(t *testing.T) {
							travel(t, way, next{Transport: transport, Behaviour: behaviour, Hook: hook{h.url, t.Name()}}, h)
						})
					}
				}
			}
		}
	}
}

// orders are all orders of three.
func orders(a, b, c party) [][]party {
	return [][]party{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}}
}

// travel sends the first party on a journey to the others.
func travel(t *testing.T, way []party, edge next, h *hooks) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var cards []string
	for _, p := range way {
		cards = append(cards, p.card)
	}
	edge.Hook.Token = strings.NewReplacer("/", ".").Replace(edge.Hook.Token)
	e, want := journey(cards, edge)
	got, err := callOurs(ctx, next{Card: cards[0], Transport: edge.Transport, Behaviour: "send", Errand: e})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	if edge.Behaviour == "push" {
		notified(ctx, t, h, edge.Hook.Token, len(way)-1)
	}
}

// notified waits until the last status of each task with a webhook was told.
func notified(ctx context.Context, t *testing.T, h *hooks, token string, n int) {
	for done := map[string]bool{}; len(done) < n; {
		select {
		case d := <-h.take:
			assert.True(t, strings.HasPrefix(d.token, "Bearer "+token+"-"), "%q", d.token)
			ev := leg.As(t, d.body, new(pb.StreamResponse))
			state := ev.GetStatusUpdate().GetStatus().GetState()
			if task := ev.GetTask(); task != nil {
				state = task.GetStatus().GetState()
			}
			if state == pb.TaskState_TASK_STATE_COMPLETED {
				done[d.token] = true
			}
		case <-ctx.Done():
			require.Fail(t, "webhooks were not told of the end", "%d of %d", len(done), n)
		}
	}
}
