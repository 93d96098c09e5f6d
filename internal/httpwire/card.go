package httpwire

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/datamodel"
)

// CardPath is where an Agent Card is found (spec 8.2, 14.3).
const CardPath = "/.well-known/agent-card.json"

// DefaultCardAge is how long a card may be cached where nothing else is said.
const DefaultCardAge = time.Minute

// CardHandler serves a card with what caches need (spec 8.6.1). A nil card is
// 404. The zero value of age is DefaultCardAge.
func CardHandler(card func() *pb.AgentCard, age time.Duration) http.Handler {
	if age == 0 {
		age = DefaultCardAge
	}
	return &cardHandler{card: card, cacheControl: "public, max-age=" + strconv.Itoa(int(age.Seconds()))}
}

type cardHandler struct {
	card         func() *pb.AgentCard
	cacheControl string

	mu       sync.Mutex
	text     []byte
	etag     string
	modified string
}

func (h *cardHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		cardError(w, http.StatusMethodNotAllowed, binding.Errorf(binding.MethodNotFound, "HTTP method %s; a card is read with GET", r.Method))
		return
	}
	card := h.card()
	if card == nil {
		cardError(w, http.StatusNotFound, binding.Errorf(binding.MethodNotFound, "no agent card is served here"))
		return
	}
	text, etag, modified, err := h.render(card)
	if err != nil {
		cardError(w, http.StatusInternalServerError, binding.ErrInternal)
		return
	}
	head := w.Header()
	head.Set("Cache-Control", h.cacheControl)
	head.Set("ETag", etag)
	head.Set("Last-Modified", modified)
	if fresh(r, etag, modified) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Type", "application/json")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(text)
	}
}

// render is the card as text. Last-Modified is when this text was first served.
func (h *cardHandler) render(card *pb.AgentCard) (text []byte, etag, modified string, err error) {
	text, err = datamodel.Append(nil, card)
	if err != nil {
		return nil, "", "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if string(text) != string(h.text) {
		sum := sha256.Sum256(text)
		h.text, h.etag = text, `"`+hex.EncodeToString(sum[:16])+`"`
		h.modified = time.Now().UTC().Format(http.TimeFormat)
	}
	return h.text, h.etag, h.modified, nil
}

// fresh reports whether the caller has this text (RFC 9110, 13.1).
func fresh(r *http.Request, etag, modified string) bool {
	if match := r.Header.Get("If-None-Match"); match != "" {
		for _, e := range binding.SplitList(match) {
			if e == "*" || strings.TrimPrefix(e, "W/") == etag {
				return true
			}
		}
		return false
	}
	since, err1 := http.ParseTime(r.Header.Get("If-Modified-Since"))
	mod, err2 := http.ParseTime(modified)
	return err1 == nil && err2 == nil && !mod.After(since)
}

func cardError(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(errmap.AppendHTTP(nil, status, err))
}
