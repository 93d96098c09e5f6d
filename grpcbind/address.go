package grpcbind

import (
	"net"
	"net/url"
	"strings"

	"github.com/a2awire/a2awire/binding"
)

// address is an interface's URL, understood.
type address struct {
	scheme string // as it was written, "" for none
	host   string
	port   string
	secure bool
}

// schemes holds, by scheme, whether TLS is used; where it is not said, the host decides.
var schemes = map[string]struct{ said, secure bool }{
	"":      {},
	"dns":   {},
	"http":  {said: true},
	"grpc":  {said: true},
	"https": {said: true, secure: true},
	"grpcs": {said: true, secure: true},
}

// parseAddress reads an interface's URL, or host:port. See the package's comment.
func parseAddress(s string) (address, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "", s
	}
	scheme = strings.ToLower(scheme)
	rule, known := schemes[scheme]
	if scheme == "dns" {
		rest, known = strings.CutPrefix(rest, "/") // with the system's resolver, no other
	}
	u, err := url.Parse("//" + rest)
	if !known || err != nil || u.Hostname() == "" {
		return address{}, binding.Errorf(binding.InvalidParams, "%q is not the address of a gRPC server", s)
	}
	if u.User != nil {
		return address{}, binding.Errorf(binding.InvalidParams, "the address holds credentials; put them into Call.Credential")
	}
	a := address{scheme: scheme, host: u.Hostname(), port: u.Port(), secure: rule.secure}
	if !rule.said {
		a.secure = !a.loopback()
	}
	if a.port == "" {
		a.port = "80"
		if a.secure {
			a.port = "443"
		}
	}
	return a, nil
}

func (a address) loopback() bool {
	if a.host == "localhost" {
		return true
	}
	ip := net.ParseIP(a.host)
	return ip != nil && ip.IsLoopback()
}

func (a address) hostPort() string { return net.JoinHostPort(a.host, a.port) }

// target is the address as grpc-go takes it.
func (a address) target() string {
	if a.loopback() {
		return "passthrough:///" + a.hostPort()
	}
	return "dns:///" + a.hostPort()
}

// shown is the address for a card: host:port, which every gRPC client takes,
// unless that would say another thing about TLS.
func (a address) shown() string {
	if bare, err := parseAddress(a.hostPort()); err == nil && bare.secure == a.secure {
		return a.hostPort()
	}
	return a.String()
}

// String is the address as it was written, with its port.
func (a address) String() string {
	switch a.scheme {
	case "":
		return a.hostPort()
	case "dns":
		return "dns:///" + a.hostPort()
	}
	return a.scheme + "://" + a.hostPort()
}
