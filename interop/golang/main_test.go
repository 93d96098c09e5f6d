//go:build interop

package golang_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// programs are what this test is when it is called as one.
var programs = map[string]func(ctx context.Context, args []string) error{"client": client, "server": server}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := programs[os.Args[1]](ctx, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func TestSDK(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	peer.Client, peer.Server = []string{self, "client"}, []string{self, "server"}
	peer.Test(t)
}

// The known faults are of one version: those of another may be none.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	assert.Contains(t, string(text), peer.Package+" v"+peer.Version+"\n")
}
