package ws

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
	"github.com/a2awire/a2awire/internal/httpwire"
)

// Handler serves an agent on every path it is mounted at. It keeps its
// connections, which http.Server.Shutdown does not know of: end it with
// Shutdown or Close. All methods may be called at the same time.
type Handler struct {
	in   *binding.Inbound
	o    *Options
	pool buffers

	mu         sync.Mutex
	closed     bool
	sessions   map[*session]struct{}
	identities map[string]int
	gone       sync.WaitGroup
}

var _ http.Handler = (*Handler)(nil)

// NewHandler serves an agent. Options that cannot be meant panic: a pattern
// that lets every origin in.
func NewHandler(agent binding.Agent, o *Options) *Handler {
	opts := o.resolve()
	for _, pattern := range opts.Origins {
		checkOrigin(pattern)
	}
	return newHandler(binding.NewInbound(agent, &opts.Options, binding.CarriesJSON), opts)
}

func newHandler(in *binding.Inbound, o *Options) *Handler {
	return &Handler{in: in, o: o, sessions: map[*session]struct{}{}, identities: map[string]int{}}
}

// ServeHTTP upgrades a connection and returns. The connection is served on,
// until it ends or the Handler does; what net/http holds for a request is free.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, status, err := h.admit(r)
	if err != nil {
		errmap.SetHeader(w.Header(), err)
		if status == http.StatusUpgradeRequired {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "websocket")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(errmap.AppendHTTP(nil, status, err))
		return
	}
	hijacked := &hijackable{ResponseWriter: w}
	sock, err := websocket.Accept(hijacked, r, &websocket.AcceptOptions{
		Subprotocols:       s.subprotocols(),
		InsecureSkipVerify: true, // admit has looked at the Origin
		OnPingReceived:     func(_ context.Context, payload []byte) bool { return !s.out.pong(payload) },
	})
	if err != nil {
		h.leave(s)
		return // Accept has answered
	}
	sock.SetReadLimit(int64(httpwire.BodyLimit(h.o.MaxMessageBytes)))
	go func() {
		defer h.leave(s)
		s.run(sock, hijacked.conn)
	}()
}

// admit decides whether a request may become a connection, and registers it.
// The error comes with its HTTP status.
func (h *Handler) admit(r *http.Request) (*session, int, error) {
	if !headerHas(r.Header, "Upgrade", "websocket") || !headerHas(r.Header, "Connection", "Upgrade") {
		return nil, http.StatusUpgradeRequired, binding.Errorf(binding.InvalidRequest, "this is a WebSocket endpoint: the request must be an upgrade")
	}
	if !h.ourHost(r) {
		return nil, http.StatusForbidden, binding.Errorf(binding.PermissionDenied, "host %q is not served here", r.Host)
	}
	if !h.ourOrigin(r) {
		return nil, http.StatusForbidden, binding.Errorf(binding.PermissionDenied, "pages of %q may not connect", r.Header.Get("Origin"))
	}
	offered := offers(r.Header)
	if !slices.ContainsFunc(h.o.subprotocols(), func(p string) bool { return slices.ContainsFunc(offered, equalFold(p)) }) {
		return nil, http.StatusBadRequest, binding.Errorf(binding.InvalidRequest, "no subprotocol is offered that is spoken here: %s", strings.Join(h.o.subprotocols(), ", "))
	}
	id := &Identity{}
	if h.o.Authenticate != nil {
		var err error
		if id, err = h.o.Authenticate(r.Context(), h.trusted(r)); err != nil {
			e := binding.Flatten(err)
			return nil, errmap.HTTPStatus(e), e
		}
		if id == nil {
			id = &Identity{}
		}
	}
	s := newSession(h, r, id, offered)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, http.StatusServiceUnavailable, binding.Errorf(binding.Unavailable, "the server is shutting down")
	case len(h.sessions) >= h.o.MaxConnections,
		id.Name != "" && h.identities[id.Name] >= h.o.MaxPerIdentity:
		return nil, http.StatusServiceUnavailable, binding.Errorf(binding.Unavailable, "too many connections")
	}
	h.sessions[s] = struct{}{}
	h.identities[id.Name]++
	h.gone.Add(1)
	return s, 0, nil
}

// trusted is a request without its cookies, unless somebody has said whose
// pages may send them.
func (h *Handler) trusted(r *http.Request) *http.Request {
	if len(h.o.Origins) > 0 || r.Header.Get("Cookie") == "" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Cookie")
	return r
}

func (h *Handler) leave(s *session) {
	h.mu.Lock()
	delete(h.sessions, s)
	if h.identities[s.name]--; h.identities[s.name] == 0 {
		delete(h.identities, s.name)
	}
	h.mu.Unlock()
	h.gone.Done()
}

// Connections is how many there are.
func (h *Handler) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// Shutdown refuses connections and calls, waits until the calls in flight have
// ended or the context has, closes all connections with 1001, and waits until
// they are gone. The error is the context's.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.refuse()
	err := h.in.Shutdown(ctx)
	h.drop(ctx)
	return err
}

// Close ends the calls in flight, closes all connections with 1001, and waits
// until they are gone. It does not close the agent.
func (h *Handler) Close() error {
	h.refuse()
	_ = h.in.Close()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	h.drop(ended)
	return nil
}

func (h *Handler) refuse() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
}

// drop closes all connections, each behind its answers or the context's end.
func (h *Handler) drop(ctx context.Context) {
	h.mu.Lock()
	all := make([]*session, 0, len(h.sessions))
	for s := range h.sessions {
		all = append(all, s)
	}
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() { s.shutdown(ctx) })
	}
	wg.Wait()
	h.gone.Wait()
}

// ourHost keeps out pages whose own name resolves to a loopback address.
func (h *Handler) ourHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost") || slices.ContainsFunc(h.o.Hosts, equalFold(host))
}

// ourOrigin lets pages of the host that serves connect, and those that a
// pattern names. What is no page sends no Origin.
func (h *Handler) ourOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) || slices.ContainsFunc(h.o.Origins, func(pattern string) bool { return matchesOrigin(pattern, u) })
}

// checkOrigin panics with a pattern that cannot be meant: one that lets every
// page of a scheme or a port in, and one that is none.
func checkOrigin(pattern string) {
	if _, err := path.Match(pattern, ""); err != nil {
		panic("ws: the origin pattern " + pattern + " is none")
	}
	for _, scheme := range []string{"http", "https"} {
		for _, host := range []string{"anything.invalid", "anything.invalid:1"} {
			if matchesOrigin(pattern, &url.URL{Scheme: scheme, Host: host}) {
				panic("ws: the origin pattern " + pattern + " lets every page in; name the hosts")
			}
		}
	}
}

func matchesOrigin(pattern string, origin *url.URL) bool {
	name := origin.Host
	if strings.Contains(pattern, "://") {
		name = origin.Scheme + "://" + origin.Host
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return err == nil && ok
}

func equalFold(a string) func(string) bool {
	return func(b string) bool { return strings.EqualFold(a, b) }
}

func headerHas(h http.Header, name, token string) bool {
	for _, v := range h.Values(name) {
		if slices.ContainsFunc(binding.SplitList(v), equalFold(token)) {
			return true
		}
	}
	return false
}

func offers(h http.Header) []string {
	var out []string
	for _, v := range h.Values("Sec-WebSocket-Protocol") {
		out = append(out, binding.SplitList(v)...)
	}
	return out
}

// hijackable is a ResponseWriter whose connection, once hijacked, can be corked.
type hijackable struct {
	http.ResponseWriter
	conn *corked
}

// writeBytes is the size of a connection's own buffer, which holds little more
// than headers: frames gather in the cork.
const writeBytes = 512

var errNoHijack = errors.New("the connection cannot be taken over")

func (w *hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, errors.Join(errNoHijack, err)
	}
	w.conn = newCorked(conn)
	return w.conn, bufio.NewReadWriter(rw.Reader, bufio.NewWriterSize(w.conn, writeBytes)), nil
}
