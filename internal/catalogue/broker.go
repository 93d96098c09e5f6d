package catalogue

import (
	"context"
	"iter"
	"os"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
	"github.com/a2awire/a2awire/mqtt/embedded"
)

// Broker is what a binding through a broker has beside the others.
type Broker struct {
	// Start starts a broker on loopback, for demos and tests.
	Start func() (url string, stop func() error, err error)
	// Cards are the agents at a broker, below an address, or of a pool, as they
	// come, change and go. It has connected when it returns; the loop over what
	// it returns ends the connection.
	Cards func(ctx context.Context, url string, o binding.Options) (iter.Seq2[Card, error], error)
}

// Card is an agent as its broker knows it.
type Card struct {
	// Address is where the agent is: a target.
	Address string
	// Card is nil when the agent has gone.
	Card *pb.AgentCard
	// Online is what the agent, or the broker for it, said last.
	Online bool
}

// Loopback is a URL at which the entry can be served on this machine: a free
// port, or a broker that is started. stop ends what was started.
func (e Entry) Loopback() (url string, stop func() error, err error) {
	if e.Broker == nil {
		return e.Scheme + "://127.0.0.1:0", func() error { return nil }, nil
	}
	return e.Broker.Start()
}

// The environment has what belongs to a broker and not to a call.
const (
	envRoot     = "A2AWIRE_MQTT_ROOT"
	envPool     = "A2AWIRE_MQTT_POOL"
	envUser     = "A2AWIRE_MQTT_USERNAME"
	envPassword = "A2AWIRE_MQTT_PASSWORD" //nolint:gosec // the name of one
)

func mqttOptions(o binding.Options) mqtt.Options {
	return mqtt.Options{Options: o, Root: os.Getenv(envRoot), Pool: os.Getenv(envPool), Username: os.Getenv(envUser), Password: binding.Credential(os.Getenv(envPassword))}
}

var mqttBroker = &Broker{
	Start: func() (string, func() error, error) {
		b, err := embedded.Start(nil)
		if err != nil {
			return "", nil, err
		}
		return b.URL(), b.Close, nil
	},
	Cards: mqttCards,
}

func mqttCards(ctx context.Context, url string, o binding.Options) (iter.Seq2[Card, error], error) {
	broker, path := splitPath(url)
	opts := mqttOptions(o)
	conn, err := mqtt.Connect(ctx, broker, &mqtt.ConnectOptions{Username: opts.Username, Password: opts.Password, TLS: opts.TLS, Logger: opts.Logger})
	if err != nil {
		return nil, err
	}
	return func(yield func(Card, error) bool) {
		defer func() { _ = conn.Close() }()
		filter, pool := mqttFilter(path)
		filter.Root = opts.Root
		members := map[mqtt.Address]bool{}
		for found, err := range mqtt.Discover(ctx, conn, filter) {
			if err != nil {
				yield(Card{}, err)
				return
			}
			if found.Card != nil {
				members[found.Address] = pool == "" || poolOf(found.Card) == pool
			}
			if members[found.Address] && !yield(Card{broker + "/" + found.Address.String(), found.Card, found.Online}, nil) {
				return
			}
			if found.Card == nil {
				delete(members, found.Address)
			}
		}
	}, nil
}

// mqttFilter is what a path below a broker's URL means: org/unit/agent, the
// first of these, or org/unit/pool/name.
func mqttFilter(path string) (f mqtt.Filter, pool string) {
	parts := strings.Split(path, "/")
	if len(parts) == 4 && parts[2] == "pool" {
		parts, pool = parts[:2], parts[3]
	}
	for i, part := range parts {
		if i < 3 {
			*[]*string{&f.Org, &f.Unit, &f.Agent}[i] = part
		}
	}
	return f, pool
}

// poolOf is the pool that an agent says it is a member of.
func poolOf(card *pb.AgentCard) string {
	for _, x := range card.GetCapabilities().GetExtensions() {
		if x.GetUri() == mqtt.Protocol {
			return x.GetParams().GetFields()["pool"].GetStringValue()
		}
	}
	return ""
}

// splitPath takes a URL's path off.
func splitPath(url string) (base, path string) {
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host, strings.Trim(path, "/")
}
