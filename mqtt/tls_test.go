package mqtt_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/mqtt"
)

// secured puts TLS in front of a broker. It is the URL, and what trusts it.
func secured(t *testing.T, url string) (string, *tls.Config) {
	t.Helper()
	h := httptest.NewTLSServer(nil) // for its certificate
	defer h.Close()
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
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
			to, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "mqtt://"))
			if !assert.NoError(t, err) {
				return
			}
			all.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() })
			all.Go(func() { _, _ = io.Copy(from, to); _ = from.Close() })
		}
	})
	return "mqtts://" + l.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS12}
}

func TestTLS(t *testing.T) {
	url, config := secured(t, broker(t).URL())
	o := mqtt.Options{Options: binding.Options{TLS: config}}
	s, err := mqtt.Binding{Options: o}.Serve(t.Context(), &pb.AgentInterface{Url: url + "/acme/edge/secure"}, scripted{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	assert.Equal(t, url+"/acme/edge/secure", s.Interface().GetUrl())
	client, err := mqtt.Binding{Options: o}.Dial(t.Context(), s.Interface())
	require.NoError(t, err)
	defer client.Close()
	large := message(strings.Repeat("m", 1<<20)) // more than a TLS record
	resp, err := client.SendMessage(within(t), nil, large)
	require.NoError(t, err)
	assert.Equal(t, large.GetMessage().GetMessageId(), resp.GetMessage().GetMessageId())
	_, err = mqtt.Dial(t.Context(), s.Interface().GetUrl(), nil)
	require.ErrorIs(t, err, binding.ErrUnavailable, "the certificate is not the system's")
}
