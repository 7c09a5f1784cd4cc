package proxy

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/stanchhttp"
)

// bases returns the unguarded transports of a dependency.
func (r *route) bases(security *tls.Config) (plain, h2c *http.Transport) {
	base := func() *http.Transport {
		t := stanchhttp.NewBase(r.guard, stanchhttp.ClientConfig{MaxResponseHeaderBytes: maxHeader})
		t.Proxy = nil // which may be this one
		if limit := r.guard.Config().Timeout; limit.Attempt > 0 || limit.Total > 0 {
			t.ResponseHeaderTimeout = 0 // would be a second timer for the same
		}
		t.DisableCompression = true // what comes is what is passed on
		t.TLSClientConfig = security.Clone()
		return t
	}
	plain, h2c = base(), base()
	h2c.Protocols = new(http.Protocols)
	h2c.Protocols.SetUnencryptedHTTP2(true)
	h2c.Protocols.SetHTTP2(true)
	return plain, h2c
}

// filesOf tells apart the contents of the files: certificates are renewed under
// the same name.
func filesOf(t policy.TLS) string {
	digest := sha256.New()
	for _, name := range []string{t.CA, t.Cert, t.Key} {
		if name != "" {
			content, _ := os.ReadFile(name) // whoever needs it tells what is wrong
			fmt.Fprintf(digest, "%d %s", len(content), content)
		}
	}
	return string(digest.Sum(nil))
}

// clientTLS returns the settings for connections to a dependency.
func clientTLS(t policy.TLS) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	var faults []error
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		c.RootCAs = x509.NewCertPool()
		if err == nil && !c.RootCAs.AppendCertsFromPEM(pem) {
			err = errors.New("has no certificate")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("tls.ca: %w", err))
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			faults = append(faults, fmt.Errorf("tls.cert: %w", err))
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, errors.Join(faults...)
}
