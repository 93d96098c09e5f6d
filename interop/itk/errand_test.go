//go:build interop

package itk_test

import (
	"fmt"
	"strings"
)

// errand is what an agent is sent on: the data of a message's first part. The
// agent's task works, and ends with a status message of its token and, in lines
// below it, those of the next. One that is to be held does not end: its status
// message says so in held, and it waits until it is canceled.
type errand struct {
	Token string `json:"token"`
	Hold  bool   `json:"hold,omitempty"`
	Next  *next  `json:"next,omitempty"`
}

// next is whom to call, and how.
type next struct {
	Card      string `json:"card"`
	Transport string `json:"transport"`
	Behaviour string `json:"behaviour"`
	Hook      hook   `json:"hook"`
	Errand    errand `json:"errand"`
}

// hook is a webhook, and the bearer token to call it with.
type hook struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// held is the end of a status message of a task that waits to be canceled.
const held = " (held)"

var behaviours = []string{"send", "stream", "push", "resubscribe"}

// journey is the errand of going to agents one after another, by the same edge
// each time, and what is to come back.
func journey(cards []string, edge next) (errand, string) {
	out := errand{Token: fmt.Sprintf("at %d", len(cards))}
	said := []string{out.Token}
	for i := len(cards) - 1; i > 0; i-- {
		out.Hold = edge.Behaviour == "resubscribe"
		on := edge
		on.Card, on.Errand = cards[i], out
		on.Hook.Token = fmt.Sprintf("%s-%d", edge.Hook.Token, i)
		out = errand{Token: fmt.Sprintf("at %d", i), Next: &on}
		said = append([]string{out.Token}, said...)
	}
	return out, strings.Join(said, "\n")
}
