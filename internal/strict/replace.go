package strict

// Replace returns a copy of the tree with each Scalar exchanged for what replace
// makes of it. Keys stay. at is a fault without text, placed at the value, for
// what replace finds wrong with it. Where an anchor is used more than once,
// replace sees each use.
func Replace(n *Node, replace func(n *Node, at Fault) *Node) *Node {
	return n.spot("").replace(replace)
}

func (s spot) replace(with func(*Node, Fault) *Node) *Node {
	if s.node == nil {
		return nil
	}
	out := *s.node
	switch out.Kind {
	case Scalar:
		return with(s.node, s.fault("", ""))
	case List:
		out.Items = make([]*Node, len(s.node.Items))
		for i, item := range s.node.Items {
			out.Items[i] = s.item(i, item).replace(with)
		}
	case Mapping:
		out.Pairs = make([]Pair, len(s.node.Pairs))
		for i, p := range s.node.Pairs {
			out.Pairs[i] = Pair{Key: p.Key, Value: s.pair(p).replace(with)}
		}
	}
	return &out
}
