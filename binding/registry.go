package binding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// Registry holds bindings by their protocolBinding. It is filled once, by
// whoever lists the bindings of a program, and read at any time after.
type Registry struct {
	bindings []Binding
	names    map[string]Binding
}

// NewRegistry is a registry of some bindings, without aliases.
func NewRegistry(bindings ...Binding) *Registry {
	r := new(Registry)
	for _, b := range bindings {
		r.Register(b)
	}
	return r
}

// Register adds a binding under its protocol and under aliases, other
// identifiers that cards use for the same wire. A name that is taken panics.
func (r *Registry) Register(b Binding, aliases ...string) {
	if r.names == nil {
		r.names = map[string]Binding{}
	}
	names := append([]string{b.Protocol()}, aliases...)
	for i, name := range names {
		if name == "" {
			panic("binding: empty protocol binding")
		}
		if _, ok := r.names[name]; ok || slices.Contains(names[:i], name) {
			panic("binding: " + name + " is registered already")
		}
	}
	for _, name := range names {
		r.names[name] = b
	}
	r.bindings = append(r.bindings, b)
}

// Lookup is the binding of a protocolBinding. A miss names what is registered.
func (r *Registry) Lookup(protocol string) (Binding, error) {
	if b, ok := r.names[protocol]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("binding: no binding for %q; registered are %s", protocol, strings.Join(r.Names(), ", "))
}

// Bindings are the bindings in the order of their registration.
func (r *Registry) Bindings() []Binding { return slices.Clone(r.bindings) }

// Aliases are the other names of a binding, sorted.
func (r *Registry) Aliases(b Binding) []string {
	var out []string
	for name, other := range r.names {
		if other.Protocol() == b.Protocol() && name != b.Protocol() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Names are all names, aliases too, sorted.
func (r *Registry) Names() []string {
	out := make([]string, 0, len(r.names))
	for name := range r.names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Dial connects to an agent by its card: to the first of its
// supportedInterfaces that is registered and speaks 1.0, or to the next such
// one when that cannot be reached (spec 5.2, 8.3.2). The tenant of the entry
// goes on every request. The error says what was tried and why it failed.
func (r *Registry) Dial(ctx context.Context, card *pb.AgentCard) (Client, error) {
	var failures []error
	for _, iface := range card.GetSupportedInterfaces() {
		b, err := r.Lookup(iface.GetProtocolBinding())
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if v := iface.GetProtocolVersion(); MajorMinor(v) != Version {
			failures = append(failures, fmt.Errorf("binding: %s speaks %q, not %s", iface.GetProtocolBinding(), v, Version))
			continue
		}
		c, err := b.Dial(ctx, iface)
		if err == nil {
			return c, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	if len(failures) == 0 {
		return nil, Errorf(Unavailable, "binding: the card names no interface")
	}
	err := errors.Join(failures...)
	if ctx.Err() != nil {
		return nil, DialError(ctx, "binding: dial", err)
	}
	return nil, &Error{Code: Unavailable, Message: "binding: no interface of the card could be dialed: " + strings.ReplaceAll(err.Error(), "\n", "; "), Cause: err}
}
