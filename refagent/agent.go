package refagent

import (
	"context"
	"slices"
	"sync"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// Agent is the reference agent. Make it with New; all its methods may be
// called at the same time.
type Agent struct {
	o        Options
	store    *store
	webhooks *sender
	lacks    map[binding.Capability]error

	ctx    context.Context // ends with Close; bounds every goroutine
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	interfaces []*pb.AgentInterface
}

var _ binding.Agent = (*Agent)(nil)

// New is an agent without tasks. Nil Options are fine.
func New(o *Options) *Agent {
	a := &Agent{o: o.withDefaults(), lacks: map[binding.Capability]error{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.store = newStore(a.o.MaxTasks)
	a.webhooks = newSender(&a.o)
	if a.o.NoStreaming {
		a.lacks[binding.CapabilityStreaming] = binding.Errorf(binding.UnsupportedOperation, "the agent does not support streaming")
	}
	if a.o.NoPush {
		a.lacks[binding.CapabilityPushNotifications] = binding.ErrPushNotificationNotSupported
	}
	if a.o.NoExtendedCard {
		a.lacks[binding.CapabilityExtendedAgentCard] = binding.Errorf(binding.UnsupportedOperation, "the agent has no extended card")
	}
	return a
}

// errClosed is why calls end when their agent is closed.
var errClosed = binding.Errorf(binding.Unavailable, "the agent is closed")

// Close stops the tasks at work and the webhook deliveries, and waits until
// they have stopped. Calls in flight, and later ones, fail with Unavailable. It may be
// called more than once, at any time.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.wg.Wait()
	a.webhooks.close()
	return nil
}

// spawn runs f in a goroutine that Close waits for, and reports whether it
// does: a closed agent starts nothing.
func (a *Agent) spawn(f func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.wg.Go(f)
	return true
}

// begin is what every operation starts with: the agent's own answer to
// capabilities it lacks and extensions it requires (spec 3.3.4).
func (a *Agent) begin(ctx context.Context, call *binding.Call, op *binding.Op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.ctx.Err() != nil {
		return errClosed
	}
	named := call.Extensions()
	if x := a.o.RequiredExtension; x != "" && !slices.Contains(named, x) {
		return binding.Errorf(binding.ExtensionSupportRequired, "extension %s is required", x).WithInfo("extension", x)
	}
	if err := a.lacks[op.Capability]; err != nil {
		return err
	}
	call.ActivateExtensions(a.activated(named)...)
	return nil
}

// activated are those of the named extensions that the agent has, each once.
func (a *Agent) activated(named []string) []string {
	var out []string
	for _, x := range named {
		if (x == a.o.RequiredExtension || slices.Contains(a.o.Extensions, x)) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
