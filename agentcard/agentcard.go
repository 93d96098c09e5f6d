// Package agentcard finds, serves and rewrites Agent Cards (spec 8).
package agentcard

import (
	"net/http"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/internal/httpwire"
)

// Path is where a card is found below its agent's base URL (spec 8.2).
const Path = httpwire.CardPath

// Handler serves a card at any path it is mounted at, with ETag, Cache-Control
// and Last-Modified, and answers conditional requests (spec 8.6.1). maxAge 0
// is one minute. The function gives the card as it is now; nil is 404.
func Handler(card func() *pb.AgentCard, maxAge time.Duration) http.Handler {
	return httpwire.CardHandler(card, maxAge)
}
