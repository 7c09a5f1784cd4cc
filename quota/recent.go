package quota

import "time"

// recent remembers the answers to takes, so that one that arrives again is not
// charged again. It has two halves: the younger becomes the older when it is as
// old as Remember or full, so an answer is known for at least that long unless
// there are very many.
type recent struct {
	young, old map[mark]Grant
	turned     int64
	keep       time.Duration // the longest Remember so far
}

type mark struct{ key, id string }

const maxRecent = 1 << 13 // of each half: 16 shards have at most about 40 MB

func (r *recent) get(now int64, key, id string) (Grant, bool) {
	r.turn(now)
	m := mark{key, id}
	if g, ok := r.young[m]; ok {
		return g, true
	}
	g, ok := r.old[m]
	return g, ok
}

func (r *recent) put(now int64, t *Take, g Grant) {
	r.turn(now)
	if r.young == nil {
		r.young, r.turned = map[mark]Grant{}, now
	}
	r.young[mark{t.Key, t.ID}] = g
	r.keep = max(r.keep, t.Remember)
}

func (r *recent) turn(now int64) {
	age := now - r.turned
	if r.young == nil || age < int64(r.keep) && len(r.young) < maxRecent {
		return
	}
	if age >= 2*int64(r.keep) {
		r.young = nil // all of it is older than keep
	}
	r.young, r.old, r.turned = map[mark]Grant{}, r.young, now
}
