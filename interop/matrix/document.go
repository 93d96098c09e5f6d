package matrix

import (
	"fmt"
	"slices"
	"strings"
)

// operations are the columns of the tables: those of the specification (5.3).
var operations = []struct{ name, short string }{
	{"SendMessage", "Send"},
	{"SendStreamingMessage", "Stream"},
	{"GetTask", "Get"},
	{"ListTasks", "List"},
	{"CancelTask", "Cancel"},
	{"SubscribeToTask", "Subscribe"},
	{"CreateTaskPushNotificationConfig", "Push: create"},
	{"GetTaskPushNotificationConfig", "get"},
	{"ListTaskPushNotificationConfigs", "list"},
	{"DeleteTaskPushNotificationConfig", "delete"},
	{"GetExtendedAgentCard", "Card"},
}

// Document is the part of docs/interop.md that is one peer's.
func (m *Matrix) Document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n`%s` %s\n\n", m.Peer, m.Package, m.Version)
	b.WriteString("| its role | transport | ways |")
	for _, op := range operations {
		b.WriteString(" " + op.short + " |")
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(operations)) + "\n")
	for _, g := range m.groups() {
		fmt.Fprintf(&b, "| %s | %s | %s |", g.Role, g.Transport, strings.Join(g.ways, ", "))
		for _, op := range operations {
			b.WriteString(" " + m.mark(g.Operations[op.name]) + " |")
		}
		b.WriteString("\n")
	}
	if len(m.Faults) > 0 {
		b.WriteString("\n")
	}
	for i, f := range m.Faults {
		fmt.Fprintf(&b, "%d. %s (%s)\n", i+1, f.Why, strings.Join(f.Steps, ", "))
	}
	return b.String()
}

// group are rows that came to the same.
type group struct {
	Row
	ways []string
}

func (m *Matrix) groups() (out []group) {
	for _, r := range m.Rows {
		i := slices.IndexFunc(out, func(g group) bool {
			return g.Role == r.Role && g.Transport == r.Transport && m.marks(g.Row) == m.marks(r)
		})
		if i < 0 {
			i = len(out)
			out = append(out, group{Row: r})
		}
		out[i].ways = append(out[i].ways, r.Way)
	}
	return out
}

func (m *Matrix) marks(r Row) string {
	var b strings.Builder
	for _, op := range operations {
		b.WriteString(m.mark(r.Operations[op.name]) + "|")
	}
	return b.String()
}

// mark is a cell: how many steps are right, and which faults there are.
func (m *Matrix) mark(c *Cell) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprint(c.Right)
	for i := range m.Faults {
		n := 0
		for _, fault := range c.Faults {
			if fault == i+1 {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(" + %d<sup>%d</sup>", n, i+1)
		}
	}
	return text
}

// Summary is a table of all peers, with how many steps came to what the
// specification has, of how many.
func Summary(all []*Matrix) string {
	var b strings.Builder
	b.WriteString("| peer | its role | transports | through our bridge, with | steps as specified |\n|---|---|---|---|---|\n")
	for _, m := range all {
		for _, role := range []string{Client, Server} {
			var transports, ways []string
			right, faults := 0, 0
			for _, r := range m.Rows {
				if r.Role != role {
					continue
				}
				transports = add(transports, r.Transport)
				if r.Way != Direct {
					ways = add(ways, r.Way)
				}
				for _, c := range r.Operations {
					right += c.Right
					faults += len(c.Faults)
				}
			}
			if right+faults > 0 {
				fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %d of %d |\n",
					m.Peer, m.Version, role, strings.Join(transports, ", "), strings.Join(ways, ", "), right, right+faults)
			}
		}
	}
	return b.String()
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
