package refagent

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// errNotPublic is why a webhook is not called (spec 13.2).
var errNotPublic = errors.New("the address is not public")

// notPublic are ranges that netip does not tell apart from public ones.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved
	netip.MustParsePrefix("::/96"),           // IPv4 in IPv6, the old way
	netip.MustParsePrefix("64:ff9b::/96"),    // IPv4 behind NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),  // the same, local
	netip.MustParsePrefix("100::/64"),        // discard
	netip.MustParsePrefix("2001::/32"),       // Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4
	netip.MustParsePrefix("fec0::/10"),       // site-local
}

// public reports whether an address is one of the public internet: none that
// is loopback, private, link-local, multicast, unspecified, or stands for such.
func public(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// controlPublic is a net.Dialer's Control: it sees the address after names
// were resolved, so that no name can lead elsewhere later.
func controlPublic(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !public(ap.Addr()) {
		return errNotPublic
	}
	return nil
}

// checkConfig refuses a configuration that could not be called as it asks for.
// The path is that of the configuration, with a dot behind it.
func checkConfig(c *pb.TaskPushNotificationConfig, path string, allowPrivate bool) error {
	if problem := checkURL(c.GetUrl(), allowPrivate); problem != "" {
		return binding.InvalidField(path+"url", "%s", problem)
	}
	if !headerText(c.GetToken()) {
		return binding.InvalidField(path+"token", "has characters that no header can carry")
	}
	auth := c.GetAuthentication()
	if auth == nil {
		return nil
	}
	if s := auth.GetScheme(); s == "" || strings.Trim(s, schemeChars) != "" {
		return binding.InvalidField(path+"authentication.scheme", "is not the name of an HTTP authentication scheme")
	}
	if !headerText(auth.GetCredentials()) {
		return binding.InvalidField(path+"authentication.credentials", "has characters that no header can carry")
	}
	return nil
}

// schemeChars are those of an RFC 9110 token.
const schemeChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func checkURL(s string, allowPrivate bool) (problem string) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "is required"
	case err != nil:
		return "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must be an http or https URL"
	case u.Hostname() == "":
		return "has no host"
	case u.User != nil:
		return "must not have credentials in it: they belong into authentication"
	case allowPrivate:
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "must be at a public address"
	}
	if addr, err := netip.ParseAddr(host); err == nil && !public(addr) {
		return "must be at a public address"
	}
	return ""
}

// headerText reports whether a text is printable ASCII.
func headerText(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}
