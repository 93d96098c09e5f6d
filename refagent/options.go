package refagent

import (
	"log/slog"
	"net/http"
)

// The limits where Options set none.
const (
	DefaultMaxTasks       = 10_000
	DefaultMaxTaskEvents  = 100_000
	DefaultMaxTaskBytes   = 64 << 20
	DefaultMaxPushConfigs = 16
)

// Options are what an Agent can be told. Nil is fine, and so is the zero
// value. They must not change once given.
type Options struct {
	// Name and Description are those of the card. Empty is a name that says
	// what this is.
	Name, Description string

	// NoStreaming, NoPush and NoExtendedCard switch a capability off (spec 3.3.4).
	NoStreaming, NoPush, NoExtendedCard bool
	// RequiredExtension is the URI of an extension that every call must name
	// (spec 4.6.1). Empty is none.
	RequiredExtension string
	// Extensions are URIs that the card declares. A call that names one is
	// told that it was activated; nothing else happens.
	Extensions []string
	// InputModes are the media types of parts that the agent takes, as the card
	// says. "text/*" is all of text, "*/*" all there are. Nil is text, JSON,
	// octets and PNG.
	InputModes []string

	// MaxTasks is how many tasks are kept, of all tenants together.
	MaxTasks int
	// MaxTaskEvents is how many events and messages one task may have.
	MaxTaskEvents int
	// MaxTaskBytes is how many bytes the events and messages of one task may have.
	MaxTaskBytes int
	// MaxPushConfigs is how many push notification configurations one task may have.
	MaxPushConfigs int

	// AllowPrivateWebhooks lets webhooks be at addresses that are not public:
	// loopback, private, link-local. For tests, and for networks of one's own.
	AllowPrivateWebhooks bool
	// WebhookClient calls the webhooks, without following redirects. Nil is a
	// client that connects to public addresses only; a client given here
	// connects where it likes, and AllowPrivateWebhooks rules only what is
	// checked when a configuration is created.
	WebhookClient *http.Client

	// Logger gets webhooks that fail. Nil is silent. No credential, token or
	// URL of a webhook is logged.
	Logger *slog.Logger
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	setDefault(&out.Name, "a2awire reference agent")
	setDefault(&out.Description, "Answers every operation of A2A v1.0 from memory. The first words of a message say what happens; the skills list them.")
	setDefault(&out.MaxTasks, DefaultMaxTasks)
	setDefault(&out.MaxTaskEvents, DefaultMaxTaskEvents)
	setDefault(&out.MaxTaskBytes, DefaultMaxTaskBytes)
	setDefault(&out.MaxPushConfigs, DefaultMaxPushConfigs)
	if out.InputModes == nil {
		out.InputModes = inputModes
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	return out
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
