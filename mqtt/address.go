package mqtt

import (
	"net"
	"net/url"
	"strings"

	"github.com/a2awire/a2awire/binding"
)

// Address is the name of an agent, or of a client, at its broker.
type Address struct{ Org, Unit, Agent string }

// String is org/unit/agent.
func (a Address) String() string { return a.Org + "/" + a.Unit + "/" + a.Agent }

// ParseAddress reads org/unit/agent.
func ParseAddress(s string) (Address, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return Address{}, binding.Errorf(binding.InvalidParams, "mqtt: %q is not org/unit/agent", s)
	}
	for _, p := range parts {
		if !validID(p) {
			return Address{}, binding.Errorf(binding.InvalidParams, "mqtt: %q in %q is not of letters, digits, '_', '.' and '-'", p, s)
		}
	}
	return Address{parts[0], parts[1], parts[2]}, nil
}

// maxIDBytes bounds one part of an address.
const maxIDBytes = 128

func validID(s string) bool {
	if s == "" || len(s) > maxIDBytes {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// ports holds the schemes of brokers, and the port of each.
var ports = map[string]string{"mqtt": "1883", "mqtts": "8883"}

// parseBroker reads mqtt[s]://host[:port], and gives the path back.
func parseBroker(s string) (broker *url.URL, path string, err error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, "", binding.Errorf(binding.InvalidParams, "mqtt: not the URL of a broker")
	}
	if u.User != nil || strings.Contains(u.Opaque, "@") {
		return nil, "", binding.Errorf(binding.InvalidParams, "mqtt: the URL holds credentials; put them into the options")
	}
	scheme := strings.ToLower(u.Scheme)
	port, ok := ports[scheme]
	if !ok || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return nil, "", binding.Errorf(binding.InvalidParams, "mqtt: %q is not mqtt[s]://host[:port]/org/unit/agent", s)
	}
	if p := u.Port(); p != "" {
		port = p
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(u.Hostname(), port)}, strings.Trim(u.Path, "/"), nil
}

// target is who a client talks to: an agent, or any member of a pool.
type target struct {
	Address
	pool string // with no Agent
}

// poolSegment stands in a topic, or a URL, where a pool's name follows.
const poolSegment = "pool"

func parseTarget(path string) (target, error) {
	if parts := strings.Split(path, "/"); len(parts) == 4 && parts[2] == poolSegment {
		a, err := ParseAddress(parts[0] + "/" + parts[1] + "/" + parts[3])
		return target{Address{Org: a.Org, Unit: a.Unit}, a.Agent}, err
	}
	a, err := ParseAddress(path)
	return target{Address: a}, err
}

// topics names topics below a root.
type topics struct{ root string }

func (t topics) discovery(a Address) string { return t.root + "/discovery/" + a.String() }
func (t topics) request(a Address) string   { return t.root + "/request/" + a.String() }

func (t topics) requestPool(org, unit, pool string) string {
	return t.root + "/request/" + org + "/" + unit + "/" + poolSegment + "/" + pool
}

// share is the subscription of a pool's members.
func (t topics) share(org, unit, pool string) string {
	return "$share/a2a." + org + "." + unit + "." + pool + "/" + t.requestPool(org, unit, pool)
}

func (t topics) reply(a Address, session string) string {
	return t.root + "/reply/" + a.String() + "/" + session
}

// requester is the requester's name in a reply topic, "" if it has none.
func (t topics) requester(reply string) string {
	path, _ := strings.CutPrefix(reply, t.root+"/reply/")
	for range 2 {
		_, path, _ = strings.Cut(path, "/")
	}
	name, _, _ := strings.Cut(path, "/")
	return name
}

// of is the topic that a target's requests go to.
func (t topics) of(to target) string {
	if to.pool != "" {
		return t.requestPool(to.Org, to.Unit, to.pool)
	}
	return t.request(to.Address)
}

// The bounds of a Response Topic. There are brokers that disconnect who publishes
// to a topic of more than 200 levels, and deliver a request that asks for it.
const (
	maxTopicBytes  = 1024
	maxTopicLevels = 32
)

// checkReply refuses a Response Topic that no reply may go to. An agent that
// does not look would publish wherever a requester says, with its own rights.
func (t topics) checkReply(topic string) error {
	switch {
	case topic == "":
		return binding.Errorf(binding.InvalidRequest, "no Response Topic")
	case len(topic) > maxTopicBytes, strings.ContainsAny(topic, "+#\x00"):
		return binding.Errorf(binding.InvalidRequest, "the Response Topic has wildcards, or is too long")
	case strings.Count(topic, "/") >= maxTopicLevels, !carried(topic):
		return binding.Errorf(binding.InvalidRequest, "the Response Topic has too many levels, or text that brokers refuse")
	case !strings.HasPrefix(topic, t.root+"/reply/"):
		return binding.Errorf(binding.InvalidRequest, "the Response Topic is not below %s/reply/", t.root)
	}
	return nil
}

// matches reports whether a topic filter takes a topic.
func matches(filter, topic string) bool {
	for {
		f, filterRest, moreFilter := strings.Cut(filter, "/")
		if f == "#" {
			return true
		}
		t, topicRest, moreTopic := strings.Cut(topic, "/")
		if f != "+" && f != t || moreFilter != moreTopic {
			return moreFilter && !moreTopic && (f == "+" || f == t) && filterRest == "#"
		}
		if !moreFilter {
			return true
		}
		filter, topic = filterRest, topicRest
	}
}
