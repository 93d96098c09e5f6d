package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/agentcard"
	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// remote is where a target leads: a client, and the card if there is one.
type remote struct {
	binding.Client
	card *pb.AgentCard
	tls  *tls.Config // that it was dialed with
}

// splitTarget takes BINDING=URL apart; an address whose scheme only one binding
// has names that. A query of a URL has "=" too, so the
// name must be a plain word or a known URI before it.
func splitTarget(target string) (catalogue.Entry, string, bool, error) {
	if scheme, _, ok := strings.Cut(target, "://"); ok {
		for _, e := range catalogue.Entries() {
			if e.Scheme != "http" && (scheme == e.Scheme || scheme == e.Scheme+"s") {
				return e, target, true, nil
			}
		}
	}
	name, addr, ok := strings.Cut(target, "=")
	if !ok || strings.Contains(name, "://") && strings.Contains(name, "?") {
		return catalogue.Entry{}, "", false, nil
	}
	e, err := named(name)
	if err != nil {
		if strings.Contains(name, "://") {
			return catalogue.Entry{}, "", false, nil
		}
		return catalogue.Entry{}, "", false, err
	}
	return e, addressOf(e, addr), true, nil
}

// dial connects to a target: by its card, or straight to BINDING=URL.
func dial(ctx context.Context, target string, o binding.Options) (*remote, error) {
	e, at, direct, err := splitTarget(target)
	if err != nil {
		return nil, err
	}
	if direct {
		c, err := e.Make(o).Dial(ctx, &pb.AgentInterface{Url: at, Tenant: o.Tenant, ProtocolVersion: binding.Version})
		if err != nil {
			return nil, err
		}
		return &remote{Client: c, tls: o.TLS}, nil
	}
	card, err := fetchCard(ctx, target, o.TLS)
	if err != nil {
		return nil, err
	}
	c, err := catalogue.Registry(o).Dial(ctx, card)
	if err != nil {
		return nil, err
	}
	return &remote{Client: c, card: card, tls: o.TLS}, nil
}

func fetchCard(ctx context.Context, target string, config *tls.Config) (*pb.AgentCard, error) {
	if !strings.Contains(target, "://") {
		return nil, usagef("%q is no target: give a URL or BINDING=URL", target)
	}
	if rest, ok := strings.CutPrefix(target, "ws"); ok { // the listener has the card, too
		u, err := url.Parse("http" + rest)
		if err != nil {
			return nil, usagef("%q is no target: %w", target, err)
		}
		u.Path, u.RawPath, u.RawQuery = "", "", ""
		target = u.String()
	}
	f := agentcard.NewFetcher(config)
	defer f.Close()
	return f.Fetch(ctx, target)
}

// clientTLS is the configuration for dialling, with one more root if a file is given.
func clientTLS(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, usagef("--ca: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, usagef("--ca: %s holds no certificate", caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// serverTLS is the configuration for listening, nil without a certificate.
func serverTLS(certFile, keyFile string) (*tls.Config, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, usagef("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}
