package quota

import (
	"strconv"
	"sync/atomic"
)

// ids makes the IDs of one instance's takes: random for the instance, so that one
// which is started anew does not repeat those of its earlier life, and counted
// within it.
type ids struct {
	prefix string
	count  atomic.Uint64
}

func prefix(random func() uint64) string {
	return strconv.FormatUint(random(), 36) + strconv.FormatUint(random(), 36) + "."
}

func (i *ids) next() string { return i.prefix + strconv.FormatUint(i.count.Add(1), 36) }
