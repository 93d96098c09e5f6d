package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// slowBroker takes its time to connect, and then has one card.
func slowBroker(takes time.Duration, err error) catalogue.Entry {
	return catalogue.Entry{Broker: &catalogue.Broker{Cards: func(ctx context.Context, url string, _ binding.Options) (iter.Seq2[catalogue.Card, error], error) {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return func(yield func(catalogue.Card, error) bool) {
			if err != nil {
				yield(catalogue.Card{}, err)
				return
			}
			if yield(catalogue.Card{Address: url + "/a/b/c", Card: &pb.AgentCard{Name: "Slow"}, Online: true}, nil) {
				<-ctx.Done()
				yield(catalogue.Card{}, binding.Flatten(ctx.Err()))
			}
		}, nil
	}}}
}

// The time that a broker has to tell of a card begins when it is connected to.
func TestCardsOfASlowBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		a := &app{out: newPrinter(&out), errOut: io.Discard, json: true}
		require.NoError(t, a.brokerCards(t.Context(), slowBroker(2*cardWait, nil), "mqtt://b", binding.Options{}, false))
		var line struct {
			Address, Status string
			Card            struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &line))
		assert.Equal(t, []string{"mqtt://b/a/b/c", "online", "Slow"}, []string{line.Address, line.Status, line.Card.Name})

		got := ""
		stop := followCard(t.Context(), slowBroker(2*cardWait, nil), "mqtt://b", binding.Options{}, func(c *pb.AgentCard) { got = c.GetName() })
		assert.Equal(t, "Slow", got)
		stop()
	})
}

// Why a card is not followed is told, but to who has left.
func TestCardThatCannotBeFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := binding.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		set := func(*pb.AgentCard) {}
		followCard(t.Context(), slowBroker(0, errors.New("it burns")), "mqtt://b", o, set)()
		assert.Contains(t, log.String(), "it burns")
		log.Reset()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		followCard(ctx, slowBroker(time.Hour, nil), "mqtt://b", o, set)()
		assert.Equal(t, time.Second, time.Since(start))
		assert.Empty(t, log.String())
	})
}

// securedBroker is a broker behind TLS: its URL, and a file that trusts it.
func securedBroker(t *testing.T, e catalogue.Entry) (url, ca string) {
	t.Helper()
	broker := strings.TrimPrefix(loopback(t, e), e.Scheme+"://")
	h := httptest.NewTLSServer(nil) // for its certificate
	defer h.Close()
	ca = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600))
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: h.TLS.Certificates, MinVersion: tls.VersionTLS12})
	require.NoError(t, err)
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(func() { _ = l.Close() })
	all.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", broker)
			if !assert.NoError(t, err) {
				return
			}
			all.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() })
			all.Go(func() { _, _ = io.Copy(from, to); _ = from.Close() })
		}
	})
	return e.Scheme + "s://" + l.Addr().String(), ca
}

// Whoever connects to a broker trusts what --ca says: agents and relays, too.
func TestBrokerBehindTLS(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if e.Broker == nil {
			continue
		}
		at, ca := securedBroker(t, e)
		start(t, "agent", "--ca", ca, "--"+e.Name, at+"/acme/edge/agent")
		web := start(t, "agent", "--jsonrpc", "127.0.0.1:0")
		start(t, "relay", "--ca", ca, "--listen", e.Name+"="+at+"/acme/edge/relay", "--to", web["JSONRPC"])
		for _, name := range []string{"agent", "relay"} {
			code, out, stderr := invoke(t, "send", "--ca", ca, at+"/acme/edge/"+name, "echo hi")
			assert.Equal(t, exitOK, code, stderr)
			assert.Contains(t, out, "hi")
		}
		code, _, _ := invoke(t, "send", at+"/acme/edge/agent", "echo hi")
		assert.Equal(t, exitUnreachable, code, "without")
	}
}
