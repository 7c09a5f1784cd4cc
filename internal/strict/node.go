package strict

import "strings"

// Kind says what a Node is.
type Kind uint8

const (
	Empty   Kind = iota // nothing stands after the key
	Null                // an explicit null or ~
	Scalar              // a single value
	List                // a sequence
	Mapping             // keys and values
)

// A Node is a value in a file. The places where an anchor is used share the
// node of the anchor. Nodes are for reading: no one may change them once
// Parse or Merge has returned them.
type Node struct {
	File         string
	Line, Column int

	Kind   Kind
	Value  string  // of a Scalar, unquoted
	Quoted bool    // whether a Scalar stands in quotes or as a block of text
	Pairs  []Pair  // of a Mapping, in the order of the file, each key once
	Items  []*Node // of a List
}

// A Pair is a key and its value in a Mapping.
type Pair struct {
	Key   *Node // a Scalar
	Value *Node
}

// Get returns the value of a key of a Mapping, nil when it is not there.
func (n *Node) Get(key string) *Node {
	if p := n.pair(key); p != nil {
		return p.Value
	}
	return nil
}

func (n *Node) pair(key string) *Pair {
	if n == nil {
		return nil
	}
	for i := range n.Pairs {
		if n.Pairs[i].Key.Value == key {
			return &n.Pairs[i]
		}
	}
	return nil
}

// Where returns the line and column of what stands at a path, or of the
// nearest value around it when it is not in the tree. A value that begins on
// the line of its key has a place of its own; any other has that of its key.
func (n *Node) Where(path string) (line, column int) {
	f := n.Fault(path, "")
	return f.Line, f.Column
}

// Fault returns a fault at a path below n, placed as by Where.
func (n *Node) Fault(path, text string) Fault {
	steps, _ := parsePath(path)
	return n.spot("").walk(steps).faultAt(path, text, "")
}

// spot returns n as the place where a walk begins.
func (n *Node) spot(path string) spot { return spot{path: path, node: n} }

// A spot is a value with the way to it.
type spot struct {
	path string
	key  *Node // nil for the root and the items of a list
	node *Node
}

func (s spot) pair(p Pair) spot {
	return spot{path: joinKey(s.path, p.Key.Value), key: p.Key, node: p.Value}
}

func (s spot) item(i int, n *Node) spot {
	return spot{path: joinIndex(s.path, i), node: n}
}

// walk goes down as far as there are nodes.
func (s spot) walk(steps []step) spot {
	for _, next := range steps {
		p := s.node.pair(next.key)
		switch {
		case p != nil:
			s = s.pair(*p)
		case next.key == "" && s.node != nil && next.index < len(s.node.Items):
			s = s.item(next.index, s.node.Items[next.index])
		default:
			return s
		}
	}
	return s
}

// place returns the node to point at: the value, unless it begins elsewhere
// than its key, as blocks and aliases do.
func (s spot) place() *Node {
	if s.key != nil && (s.node == nil || s.node.Line != s.key.Line) {
		return s.key
	}
	return s.node
}

func (s spot) fault(text, hint string) Fault { return s.faultAt(s.path, text, hint) }

func (s spot) faultAt(path, text, hint string) Fault {
	f := Fault{Path: path, Text: text, Hint: hint}
	if at := s.place(); at != nil {
		f.File, f.Line, f.Column = at.File, at.Line, at.Column
	}
	return f
}

// is says what a node is, for messages of the form "must be a list, is ...".
func (n *Node) is() string {
	switch n.Kind {
	case Scalar:
		if strings.ContainsRune(n.Value, '\n') {
			return "a block of text"
		}
		if n.Quoted {
			return "the text " + short(n.Value)
		}
		if decimal(n.Value) {
			return n.Value
		}
		return short(n.Value)
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	}
	return "null"
}
