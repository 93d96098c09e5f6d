package agentcard

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/datamodel"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// MaxBytes bounds a card.
const MaxBytes = 1 << 20

// Fetcher fetches cards over HTTP and keeps them as long as their servers
// allow, asking afterwards whether they have changed (spec 8.6.2). Its methods
// may be called at the same time. Make it with NewFetcher.
type Fetcher struct {
	transport *http.Transport

	mu    sync.Mutex
	cache map[string]*cached
}

type cached struct {
	card           *pb.AgentCard
	etag, modified string
	fresh          time.Time // until when
}

// maxCached bounds the cache; a full one is forgotten.
const maxCached = 1024

// NewFetcher is a fetcher with connections of its own. A nil configuration is
// the system's roots.
func NewFetcher(config *tls.Config) *Fetcher {
	return &Fetcher{transport: httpwire.NewTransport(config), cache: map[string]*cached{}}
}

// Close closes idle connections.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// Locate is the URL of the card for what a person types: the card's own URL,
// or a base URL, whose card is at the well-known path below it.
func Locate(target string) (*url.URL, error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, binding.Errorf(binding.InvalidParams, "agentcard: %q is not an http or https URL", target)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u.Path = strings.TrimSuffix(u.Path, "/") + Path
		u.RawPath = ""
	}
	return u, nil
}

// Fetch is the card at a URL (see [Locate]). The card is the caller's. It
// follows no redirects. An answer that is no card is InvalidAgentResponse, a
// server that cannot be reached Unavailable, a context that ends first Canceled or
// DeadlineExceeded.
func (f *Fetcher) Fetch(ctx context.Context, target string) (*pb.AgentCard, error) {
	u, err := Locate(target)
	if err != nil {
		return nil, err
	}
	key := u.String()
	old := f.lookup(key)
	if old != nil && time.Now().Before(old.fresh) {
		return proto.Clone(old.card).(*pb.AgentCard), nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, key, nil)
	if err != nil {
		return nil, binding.Errorf(binding.InvalidParams, "agentcard: %w", err)
	}
	r.Header.Set("Accept", "application/json, application/a2a+json")
	r.Header.Set("A2A-Version", binding.Version)
	if old != nil && old.etag != "" {
		r.Header.Set("If-None-Match", old.etag)
	} else if old != nil && old.modified != "" {
		r.Header.Set("If-Modified-Since", old.modified)
	}
	resp, err := f.transport.RoundTrip(r)
	if err != nil {
		return nil, binding.DialError(ctx, "agentcard", err)
	}
	defer httpwire.Drain(resp.Body)
	if resp.StatusCode == http.StatusNotModified && old != nil {
		f.keep(key, old.card, resp.Header)
		return proto.Clone(old.card).(*pb.AgentCard), nil
	}
	body, err := httpwire.ReadBody(resp.Body, resp.ContentLength, MaxBytes)
	if err != nil {
		return nil, binding.DialError(ctx, "agentcard", err)
	}
	if resp.StatusCode != http.StatusOK {
		e := errmap.ReadHTTP(resp.StatusCode, resp.Header, body)
		return nil, binding.Errorf(e.Code, "agentcard: %s: %w", key, e)
	}
	if t := httpwire.MediaType(resp.Header); !httpwire.IsJSON(t) {
		return nil, binding.Errorf(binding.InvalidAgentResponse, "agentcard: %s is %q, not a card", key, t)
	}
	card := new(pb.AgentCard)
	v, err := datamodel.TypeOf(card).Unmarshal(body, card)
	if err == nil && v.Missing {
		err = datamodel.TypeOf(card).Missing(card)
	}
	if err != nil {
		return nil, binding.Errorf(binding.InvalidAgentResponse, "agentcard: %s: %w", key, err)
	}
	f.keep(key, card, resp.Header)
	return proto.Clone(card).(*pb.AgentCard), nil
}

func (f *Fetcher) lookup(key string) *cached {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cache[key]
}

func (f *Fetcher) keep(key string, card *pb.AgentCard, h http.Header) {
	age, store := maxAge(h.Get("Cache-Control"))
	f.mu.Lock()
	defer f.mu.Unlock()
	if !store {
		delete(f.cache, key)
		return
	}
	if len(f.cache) >= maxCached {
		clear(f.cache)
	}
	f.cache[key] = &cached{card: card, etag: h.Get("ETag"), modified: h.Get("Last-Modified"), fresh: time.Now().Add(age)}
}

// maxAge reads a Cache-Control: how long an answer is fresh, and whether it may be kept.
func maxAge(v string) (time.Duration, bool) {
	var age time.Duration
	for _, d := range binding.SplitList(strings.ToLower(v)) {
		switch name, value, _ := strings.Cut(d, "="); name {
		case "no-store":
			return 0, false
		case "no-cache":
			return 0, true
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil && n > 0 {
				age = min(time.Duration(n)*time.Second, 24*time.Hour)
			}
		}
	}
	return age, true
}
