package httpwire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// Server is a binding.Server over HTTP.
type Server struct {
	iface *pb.AgentInterface
	also  []string
	calls Calls
	http  *http.Server
	done  chan error
}

var _ binding.Server = (*Server)(nil)

// Calls are those in flight at a server; a binding.Inbound is one.
type Calls interface {
	// Shutdown refuses new ones and waits for those there are, until the context ends.
	Shutdown(context.Context) error
	// Close refuses new ones and ends those there are.
	Close() error
	// Wait waits until there are none.
	Wait()
}

// Wire is what a binding serves over HTTP.
type Wire struct {
	// Package begins errors.
	Package string
	// Protocol is the protocolBinding.
	Protocol string
	// Aliases are other names that a card should list too.
	Aliases []string
	// Scheme is that of its URLs, and with an s behind it, of those with TLS.
	Scheme string
	// HTTP2 is offered to clients that speak TLS.
	HTTP2 bool

	Handler http.Handler
	Calls   Calls
}

// Serve listens at the interface's URL and serves the wire there, and the
// agent's card at its well-known path. A URL with TLS needs Options.TLS with a
// certificate.
func Serve(ctx context.Context, w Wire, iface *pb.AgentInterface, o binding.Options) (*Server, error) {
	u, err := url.Parse(iface.GetUrl())
	if err != nil || u.Scheme != w.Scheme && u.Scheme != w.Scheme+"s" || u.Host == "" {
		return nil, fmt.Errorf("%s: serve: %q is not a %s or %ss URL", w.Package, iface.GetUrl(), w.Scheme, w.Scheme)
	}
	secure := u.Scheme != w.Scheme
	if secure && o.TLS == nil {
		return nil, fmt.Errorf("%s: serve: %s needs Options.TLS with a certificate", w.Package, iface.GetUrl())
	}
	host, port := u.Hostname(), u.Port()
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: serve: %w", w.Package, err)
	}
	if secure {
		config := o.TLS.Clone()
		config.NextProtos = []string{"http/1.1"}
		if w.HTTP2 {
			config.NextProtos = []string{"h2", "http/1.1"}
		}
		l = tls.NewListener(l, config)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	u.Host = net.JoinHostPort(host, port)

	bound := proto.Clone(iface).(*pb.AgentInterface)
	bound.Url, bound.ProtocolBinding, bound.ProtocolVersion = u.String(), w.Protocol, binding.Version
	s := &Server{iface: bound, also: w.Aliases, calls: w.Calls, http: NewHTTPServer(withCard(w.Handler, u.Path, o), o.Logger), done: make(chan error, 1)}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// withCard mounts calls at the interface's path and the agent's card at its
// well-known one.
func withCard(calls http.Handler, path string, o binding.Options) http.Handler {
	if path = trimSlash(path); path != "" && path != "/" {
		calls = http.StripPrefix(path, calls)
	}
	card := CardHandler(o.Card, 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == CardPath {
			card.ServeHTTP(w, r)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

func trimSlash(path string) string {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

// NewHTTPServer is an http.Server that bounds how long headers may take and
// connections may idle, and cuts no long answer. HTTP/2 comes with TLS.
func NewHTTPServer(h http.Handler, logger *slog.Logger) *http.Server {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if logger != nil {
		s.ErrorLog = slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
	}
	return s
}

// Interface is the entry for a card, with the port that was bound.
func (s *Server) Interface() *pb.AgentInterface { return proto.Clone(s.iface).(*pb.AgentInterface) }

// Aliases are the other names of its protocol.
func (s *Server) Aliases() []string { return s.also }

// Shutdown waits for calls in flight until the context ends.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.calls.Shutdown(ctx)
	if err == nil {
		err = s.http.Shutdown(ctx)
	}
	return errors.Join(err, s.Close())
}

// Close ends calls in flight and waits until what the server started is gone.
func (s *Server) Close() error {
	_ = s.calls.Close()
	// Calls that heed their context still get their answer out.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.http.Shutdown(ctx)
	err := s.http.Close()
	s.calls.Wait()
	if serr, ok := <-s.done; ok {
		close(s.done)
		if !errors.Is(serr, http.ErrServerClosed) {
			err = errors.Join(err, serr)
		}
	}
	return err
}
