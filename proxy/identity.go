package proxy

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/stanch-go/stanch/policy"
)

// An identity is as whom a listener with TLS appears, and whom it lets in. It is
// chosen anew for each connection, so that a certificate can be renewed.
type identity struct {
	config *tls.Config
	print  [sha256.Size]byte // of the files
}

// identify reads the certificates of the listeners. An identity is the one before
// if its files have the same in them, or if there is none any more: listeners
// stay as they are until the next start.
func (t *table) identify(before *table) error {
	var old table
	if before != nil {
		old = *before
	}
	listen := t.policy.Listen
	var egress, ingress policy.Faults
	t.egressTLS, egress = t.identity("listen.egress_tls.", listen.EgressTLS, old.egressTLS)
	t.ingressTLS, ingress = t.identity("listen.ingress.tls.", listen.Ingress.TLS, old.ingressTLS)
	return append(egress, ingress...).Err()
}

func (t *table) identity(path string, given policy.ServerTLS, old *identity) (*identity, policy.Faults) {
	if !given.On() {
		return old, nil
	}
	var faults policy.Faults
	fault := func(key, text string) { faults = append(faults, t.policy.Fault(path+key, text, "")) }
	digest := sha256.New()
	read := func(key, file string) []byte {
		content, err := os.ReadFile(file)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // which file it is stands there already
		}
		if err != nil {
			fault(key, "cannot be read: "+err.Error())
		}
		fmt.Fprintf(digest, "%d %s", len(content), content)
		return content
	}
	cert, key := read("cert", given.Cert), read("key", given.Key)
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if given.ClientCA != "" {
		authorities := read("client_ca", given.ClientCA)
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !c.ClientCAs.AppendCertsFromPEM(authorities) && authorities != nil {
			fault("client_ca", "has no certificate")
		}
	}
	if cert != nil && key != nil {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			fault("cert", "cannot be used with its key: "+err.Error())
		}
		c.Certificates = []tls.Certificate{pair}
	}
	id := &identity{config: c}
	digest.Sum(id.print[:0])
	if old != nil && old.print == id.print {
		id = old
	}
	return id, faults
}
