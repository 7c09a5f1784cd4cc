package policy

// TLS says whom the sidecar trusts and as whom it appears. The certificate of
// the other side is always verified.
type TLS struct {
	// CA is a file of PEM certificates: those of the authorities to trust instead
	// of the system's. Default none. Paths are relative to the working directory
	// of the sidecar.
	CA string `yaml:"ca"`
	// Cert is a file with the PEM certificate to show. Default none. With Key.
	Cert string `yaml:"cert"`
	// Key is a file with its private key. Default none. With Cert.
	Key string `yaml:"key"`
	// ServerName is the name to ask for and to verify. Default: the URL's host.
	ServerName string `yaml:"server_name"`
}

// Validate returns every fault of the settings. The files are read by the
// sidecar.
func (t TLS) Validate() error {
	var p problems
	p.check(t.Key == "" || t.Cert != "", "cert", "must be given with a key")
	p.check(t.Cert == "" || t.Key != "", "key", "must be given with a cert")
	return p.err()
}

// ServerTLS is as whom a listener of the sidecar appears, and whom it lets in.
// Without a certificate it speaks no TLS, and with one nothing else: TLS 1.2 or
// later, and within it HTTP/2 or HTTP/1.1, whichever the client asks for.
type ServerTLS struct {
	// Cert is a file with the PEM certificate to show, followed by those between
	// it and its authority. Default none: no TLS. With Key. Paths are relative to
	// the working directory of the sidecar.
	Cert string `yaml:"cert"`
	// Key is a file with its private key. Default none. With Cert.
	Key string `yaml:"key"`
	// ClientCA is a file of PEM certificates: those of the authorities one of
	// which must vouch for the client's own. Default none: clients need no
	// certificate. It needs Cert.
	ClientCA string `yaml:"client_ca"`
}

// Validate returns every fault of the settings. The files are read by the
// sidecar.
func (t ServerTLS) Validate() error {
	var p problems
	p.check(t.Cert != "" || t.Key == "", "cert", "must be given with a key")
	p.check(t.Key != "" || t.Cert == "", "key", "must be given with a cert")
	p.check(t.Cert != "" || t.Key != "" || t.ClientCA == "", "client_ca", "has no effect without cert and key")
	return p.err()
}

// On reports whether TLS is spoken at all.
func (t ServerTLS) On() bool { return t.Cert != "" }
