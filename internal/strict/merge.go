package strict

// Merge lays over on base and returns the result: mappings are merged key by
// key, anything else in over replaces what base has, and an explicit null in
// over removes the key. Either may be nil.
//
// Every value keeps the place in its own file; a mapping that both have keeps
// that of base. A null for a key that base does not have stays, so that Decode
// still finds a misspelt one. Merge changes neither input; the result shares
// nodes with them.
func Merge(base, over *Node) *Node {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.Kind != Mapping || over.Kind != Mapping:
		return over
	}
	merged := *base
	merged.Pairs = make([]Pair, 0, len(base.Pairs)+len(over.Pairs))
	overrides := make(map[string]Pair, len(over.Pairs))
	for _, p := range over.Pairs {
		overrides[p.Key.Value] = p
	}
	known := make(map[string]bool, len(base.Pairs))
	for _, p := range base.Pairs {
		known[p.Key.Value] = true
		o, ok := overrides[p.Key.Value]
		switch {
		case !ok:
			merged.Pairs = append(merged.Pairs, p)
		case o.Value.Kind == Null:
		case o.Value.Kind == Mapping && p.Value.Kind == Mapping:
			merged.Pairs = append(merged.Pairs, Pair{Key: p.Key, Value: Merge(p.Value, o.Value)})
		default:
			merged.Pairs = append(merged.Pairs, o)
		}
	}
	for _, p := range over.Pairs {
		if !known[p.Key.Value] {
			merged.Pairs = append(merged.Pairs, p)
		}
	}
	return &merged
}
