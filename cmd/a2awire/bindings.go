package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/internal/catalogue"
)

// named finds an entry by its short name, protocol or alias, in any case.
func named(name string) (catalogue.Entry, error) {
	var names []string
	for _, e := range catalogue.Entries() {
		for _, n := range append([]string{e.Name, e.Protocol()}, e.Aliases...) {
			if strings.EqualFold(n, name) {
				return e, nil
			}
		}
		names = append(names, e.Name)
	}
	return catalogue.Entry{}, usagef("no binding %q; there are %s", name, strings.Join(names, ", "))
}

// addressOf is what a person wrote as an address, with the scheme it leaves out.
func addressOf(e catalogue.Entry, addr string) string {
	if strings.Contains(addr, "://") {
		return addr
	}
	return e.Scheme + "://" + addr
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
			for _, e := range catalogue.Entries() {
				rows = append(rows, row{e.Name, e.Protocol(), e.Aliases, e.Scheme})
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
