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
	in    *binding.Inbound
	http  *http.Server
	done  chan error
}

var _ binding.Server = (*Server)(nil)

// Serve listens at the interface's URL and serves handler there, and the
// agent's card at its well-known path. A https URL needs Options.TLS with a
// certificate.
func Serve(ctx context.Context, pkg string, iface *pb.AgentInterface, protocol string, o binding.Options, in *binding.Inbound, handler http.Handler) (*Server, error) {
	u, err := url.Parse(iface.GetUrl())
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s: serve: %q is not an http or https URL", pkg, iface.GetUrl())
	}
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: serve: %w", pkg, err)
	}
	if u.Scheme == "https" {
		if o.TLS == nil {
			_ = l.Close()
			return nil, fmt.Errorf("%s: serve: %s needs Options.TLS with a certificate", pkg, iface.GetUrl())
		}
		config := o.TLS.Clone()
		config.NextProtos = []string{"h2", "http/1.1"}
		l = tls.NewListener(l, config)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	u.Host = net.JoinHostPort(host, port)

	bound := proto.Clone(iface).(*pb.AgentInterface)
	bound.Url, bound.ProtocolBinding, bound.ProtocolVersion = u.String(), protocol, binding.Version
	handler = withCard(handler, u.Path, o)
	s := &Server{iface: bound, in: in, http: NewHTTPServer(handler, o.Logger), done: make(chan error, 1)}
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

// Shutdown waits for calls in flight until the context ends.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.in.Shutdown(ctx)
	if err == nil {
		err = s.http.Shutdown(ctx)
	}
	return errors.Join(err, s.Close())
}

// Close ends calls in flight and waits until what the server started is gone.
func (s *Server) Close() error {
	_ = s.in.Close()
	// Calls that heed their context still get their answer out.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.http.Shutdown(ctx)
	err := s.http.Close()
	s.in.Wait()
	if serr, ok := <-s.done; ok {
		close(s.done)
		if !errors.Is(serr, http.ErrServerClosed) {
			err = errors.Join(err, serr)
		}
	}
	return err
}
