package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/grpcbind"
	"github.com/a2awire/a2awire/jsonrpc"
	"github.com/a2awire/a2awire/rest"
)

// entry is one binding of this program: its short name on the command line,
// the scheme of its addresses, and how it is made.
type entry struct {
	short   string
	scheme  string // put before a bare host:port
	aliases []string
	make    func(binding.Options) binding.Binding
}

// catalogue is the list of bindings. A further one is a line here.
var catalogue = []entry{
	{"jsonrpc", "http", nil, func(o binding.Options) binding.Binding {
		return jsonrpc.Binding{Options: jsonrpc.Options{Options: o}}
	}},
	{"rest", "http", nil, func(o binding.Options) binding.Binding {
		return rest.Binding{Options: rest.Options{Options: o}}
	}},
	{"grpc", "grpc", nil, func(o binding.Options) binding.Binding {
		return grpcbind.Binding{Options: grpcbind.Options{Options: o, OnServe: registerServices}}
	}},
}

// registry makes a registry of the catalogue.
func registry(o binding.Options) *binding.Registry {
	r := new(binding.Registry)
	for _, e := range catalogue {
		r.Register(e.make(o), e.aliases...)
	}
	return r
}

// named finds an entry by its short name, protocol or alias, in any case.
func named(name string) (entry, error) {
	shorts := make([]string, 0, len(catalogue))
	for _, e := range catalogue {
		for _, n := range append([]string{e.short, e.make(binding.Options{}).Protocol()}, e.aliases...) {
			if strings.EqualFold(n, name) {
				return e, nil
			}
		}
		shorts = append(shorts, e.short)
	}
	return entry{}, usagef("no binding %q; there are %s", name, strings.Join(shorts, ", "))
}

// url is what a person wrote as an address, with the scheme it leaves out.
func (e entry) url(addr string) string {
	if strings.Contains(addr, "://") {
		return addr
	}
	return e.scheme + "://" + addr
}

func (a *app) bindingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bindings",
		Short: "List the bindings of this program, with their identifiers",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type row struct {
				Name     string   `json:"name"`
				Protocol string   `json:"protocolBinding"`
				Aliases  []string `json:"aliases,omitempty"`
				Scheme   string   `json:"scheme"`
			}
			var rows []row
			for _, e := range catalogue {
				rows = append(rows, row{e.short, e.make(binding.Options{}).Protocol(), e.aliases, e.scheme})
			}
			if a.json {
				return a.out.value(rows)
			}
			for _, r := range rows {
				line := fmt.Sprintf("%-8s %s", r.Name, r.Protocol)
				if len(r.Aliases) > 0 {
					line += " (also " + strings.Join(r.Aliases, ", ") + ")"
				}
				a.out.line("%s", line)
			}
			return nil
		},
	}
}
