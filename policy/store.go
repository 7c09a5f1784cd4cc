package policy

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// A StoreURL is the URL of a Redis or Valkey. It may have a password, which
// nothing prints: its text is that of String.
type StoreURL string

// String is the URL without its user and its password.
func (s StoreURL) String() string {
	at := strings.LastIndexByte(string(s), '@')
	if at < 0 {
		return string(s)
	}
	scheme, _, ok := strings.Cut(string(s[:at]), "://")
	if !ok {
		return "xxxxx" + string(s[at:])
	}
	return scheme + "://xxxxx" + string(s[at:])
}

// fault returns what is wrong with the URL. It allows less than clients do: how
// long they wait and how many connections they have is not the URL's to say.
func (s StoreURL) fault() error {
	u, err := url.Parse(string(s))
	switch {
	case err != nil: // whose text has the URL in it
		return errors.New("must be a URL, such as redis://host:6379/0; in a password # and / are written %23 and %2F")
	case !strings.HasPrefix(string(s), u.Scheme+"://"): // or upper case
		return errors.New("must be redis://HOST:PORT/DB, rediss:// with TLS, or unix:///PATH")
	case strings.Contains(u.EscapedPath()+u.RawQuery, "@"): // String takes what is before it for a password
		return errors.New("must write an @ in a path as %40")
	case u.Fragment != "":
		return errors.New("must not have a fragment; in a password # is written %23")
	case u.Scheme == "unix":
		db := u.Query()["db"]
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			return errors.New("must have the path of a socket, such as unix:///run/redis.sock")
		}
		if len(db) == 1 && u.RawQuery == "db="+db[0] && database(db[0]) || u.RawQuery == "" {
			return nil
		}
		return errors.New("must have no query but ?db=NUMBER")
	case u.Scheme != "redis" && u.Scheme != "rediss" || u.Host == "":
		return errors.New("must be redis://HOST:PORT/DB, rediss:// with TLS, or unix:///PATH")
	case u.RawQuery != "" || u.ForceQuery:
		return errors.New("must not have a query")
	}
	if port, err := strconv.Atoi(u.Port()); u.Port() != "" && (err != nil || port < 1 || port > 65535) || u.Hostname() == "" {
		return errors.New("must have a host, and a port between 1 and 65535 if any")
	}
	if path := strings.Trim(u.Path, "/"); path != "" && !database(path) {
		return errors.New("must have no path but the number of a database, such as /0")
	}
	return nil
}

func database(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0
}
