//go:build interop

package sdk

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/binding/inproc"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// wire is one of our bindings.
type wire struct {
	name string
	url  string // to serve at
	make func(binding.Options) binding.Binding
}

// wires are those bindings, or all. What needs a broker is served at the one there.
func wires(broker string, names ...string) []wire {
	all := []wire{{"inproc", "", func(o binding.Options) binding.Binding { return here{o} }}}
	for _, e := range catalogue.Entries() {
		w := wire{e.Name, e.Scheme + "://127.0.0.1:0", e.Make}
		switch {
		case e.Broker != nil:
			w.url = broker
		case e.Name == "grpc":
			// Some SDKs give the address to a library that wants it without a scheme.
			w.url = strings.TrimPrefix(w.url, e.Scheme+"://")
		}
		all = append(all, w)
	}
	return slices.DeleteFunc(all, func(w wire) bool { return len(names) > 0 && !slices.Contains(names, w.name) })
}

// newBroker is the URL of a broker that ends with the test.
func newBroker(t *testing.T) string {
	t.Helper()
	for _, e := range catalogue.Entries() {
		if e.Broker != nil {
			url, stop, err := e.Broker.Start()
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, stop()) })
			return url
		}
	}
	require.Fail(t, "no binding has a broker")
	return ""
}

// protocol is the wire's protocolBinding.
func (w wire) protocol() string { return w.make(binding.Options{}).Protocol() }

// registry is a registry of all wires.
func registry() *binding.Registry {
	r := catalogue.Registry(binding.Options{})
	r.Register(here{})
	return r
}

// here is the in-process binding, with clients that reach the servers of all.
type here struct{ o binding.Options }

// met are the bindings of the servers by address.
var met sync.Map

func (here) Protocol() string { return inproc.Protocol }

func (h here) Serve(ctx context.Context, _ *pb.AgentInterface, agent binding.Agent) (binding.Server, error) {
	b := inproc.New(&h.o)
	url := "inproc:" + rand.Text()
	met.Store(url, b)
	return b.Serve(ctx, &pb.AgentInterface{Url: url}, agent)
}

func (here) Dial(ctx context.Context, iface *pb.AgentInterface) (binding.Client, error) {
	b, ok := met.Load(iface.GetUrl())
	if !ok {
		return nil, binding.Errorf(binding.Unavailable, "nobody serves %q", iface.GetUrl())
	}
	return b.(*inproc.Binding).Dial(ctx, iface)
}
