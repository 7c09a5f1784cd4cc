package direct

// A set of bytes.
type set [256]bool

// What may be in the name of a header and in its value, RFC 9110 sections 5.5 and
// 5.6.2; in the target of a request; and in a host, where we need only what names
// and addresses have.
var inName, inValue, inTarget, inHost = sets()

func sets() (name, value, target, host set) {
	for c := range len(value) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		name[c], host[c] = letter, letter
		target[c] = c > ' ' && c != 0x7f
		value[c] = target[c] || c == ' ' || c == '\t'
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		name[c] = true
	}
	for _, c := range []byte(".-_:[]") {
		host[c] = true
	}
	return name, value, target, host
}

func (s *set) all(in string) bool {
	for i := range len(in) {
		if !s[in[i]] {
			return false
		}
	}
	return true
}
