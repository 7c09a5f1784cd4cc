package strict

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// A converter turns the tree of the YAML library into ours, and collects what
// is YAML but not ours.
type converter struct {
	file   string
	done   map[*yaml.Node]converted // for aliases; without a node while it is being converted
	faults Faults
}

// converted is a node with its measures, aliases expanded, so that a few lines
// that stand for a billion values are never walked.
type converted struct {
	node         *Node
	values, deep int
}

func (c *converter) fault(n *yaml.Node, path, text, hint string) {
	c.faults = append(c.faults, Fault{File: c.file, Line: n.Line, Column: n.Column, Path: path, Text: text, Hint: hint})
}

func (c *converter) convert(n *yaml.Node, path string) converted {
	if n.Kind == yaml.AliasNode {
		return c.alias(n, path)
	}
	out := converted{node: &Node{File: c.file, Line: n.Line, Column: n.Column}, values: 1, deep: 1}
	c.done[n] = converted{}
	if n.Style&yaml.TaggedStyle != 0 {
		c.fault(n, path, "tags are not supported, is "+short(n.Tag), "remove the tag")
	}
	switch n.Kind {
	case yaml.ScalarNode:
		c.scalar(n, out.node)
	case yaml.SequenceNode:
		out.node.Kind = List
		for i, item := range n.Content {
			sub := c.convert(item, joinIndex(path, i))
			out.node.Items = append(out.node.Items, sub.node)
			out.add(sub)
		}
	case yaml.MappingNode:
		out.node.Kind = Mapping
		c.mapping(n, path, &out)
	}
	c.limit(n, path, &out)
	c.done[n] = out
	return out
}

func (c *converter) alias(n *yaml.Node, path string) converted {
	of, ok := c.done[n.Alias]
	if !ok || of.node == nil {
		c.fault(n, path, fmt.Sprintf("alias %s stands inside its own anchor", short("*"+n.Value)), "")
		return converted{node: &Node{File: c.file, Line: n.Line, Column: n.Column}, values: 1, deep: 1}
	}
	return of
}

func (c *converter) scalar(n *yaml.Node, out *Node) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	out.Kind, out.Value, out.Quoted = Scalar, n.Value, n.Style&quoted != 0
	if n.ShortTag() == "!!null" && !out.Quoted {
		out.Kind = Null
		if n.Value == "" {
			out.Kind = Empty
		}
	}
}

func (c *converter) mapping(n *yaml.Node, path string, out *converted) {
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0 || key.Value == "" {
			c.fault(key, path, "a key must be plain text", "")
			continue
		}
		at := joinKey(path, key.Value)
		if key.ShortTag() == "!!merge" {
			c.fault(key, at, "merge keys are not supported", "share a whole value with an alias")
			continue
		}
		if earlier := first[key.Value]; earlier != nil {
			c.fault(key, at, fmt.Sprintf("duplicate key, first given in line %d", earlier.Line), "")
			continue
		}
		first[key.Value] = key
		keyNode := &Node{File: c.file, Line: key.Line, Column: key.Column, Kind: Scalar, Value: key.Value}
		c.done[key] = converted{node: keyNode, values: 1, deep: 1} // a key may have an anchor
		sub := c.convert(value, at)
		out.node.Pairs = append(out.node.Pairs, Pair{Key: keyNode, Value: sub.node})
		out.add(sub)
		out.values++
	}
}

func (of *converted) add(sub converted) {
	of.values += sub.values
	of.deep = max(of.deep, sub.deep+1)
}

// limit reports a tree that has grown too large, once, and cuts it off.
func (c *converter) limit(n *yaml.Node, path string, out *converted) {
	text := ""
	switch {
	case out.values > MaxValues:
		text = fmt.Sprintf("has more than %d values, aliases expanded", MaxValues)
	case out.deep > MaxDepth:
		text = fmt.Sprintf("is nested more than %d deep, aliases expanded", MaxDepth)
	default:
		return
	}
	c.fault(n, path, text, "")
	out.node.Pairs, out.node.Items = nil, nil
	out.values, out.deep = 1, 1
}
