package proxy

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/stanch-go/stanch/policy"
)

const (
	// quietTime is waited for after a change: an editor makes several.
	quietTime = 100 * time.Millisecond
	// lookAgain is how often the files are read although nothing told of a
	// change: some file systems tell nothing.
	lookAgain = 30 * time.Second
)

// Watch puts the policy in force again whenever one of its files has changed,
// and at each signal, until ctx ends. A policy that is faulty is refused as a
// whole and told by Status, events and log; the one before stays in force.
//
// The directories are watched, not the files: editors and Kubernetes replace
// files, and links to them, rather than write into them.
func (p *Proxy) Watch(ctx context.Context, load func() (*policy.Policy, error), signals <-chan os.Signal) {
	w := &watcher{proxy: p, load: load, hash: p.Policy().Hash, seen: map[string]bool{}}
	if notify, err := fsnotify.NewWatcher(); err == nil {
		defer notify.Close()
		w.notify = notify
	} else {
		p.options.Log.Warn("changes of the policy are looked for, not told", "every", lookAgain, "error", err)
	}
	w.follow(p.Policy().Files)
	w.run(ctx, signals)
}

// A watcher notices that the policy's files have changed.
type watcher struct {
	proxy  *Proxy
	load   func() (*policy.Policy, error)
	notify *fsnotify.Watcher // nil where there is none
	seen   map[string]bool   // directories
	hash   string            // of the last policy that was read, good or not
}

func (w *watcher) run(ctx context.Context, signals <-chan os.Signal) {
	var changed <-chan fsnotify.Event
	var faults <-chan error
	if w.notify != nil {
		changed, faults = w.notify.Events, w.notify.Errors
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	settled := time.NewTimer(quietTime) // it may have changed since it was read
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			settled.Reset(quietTime)
		case <-faults: // some changes were missed
			settled.Reset(quietTime)
		case <-settled.C:
			w.reload(false)
		case <-look.C:
			w.reload(false)
		case <-signals:
			w.reload(true)
		}
	}
}

// reload reads the policy and puts it in force, if it is another one or somebody
// asks for it.
func (w *watcher) reload(asked bool) {
	pol, err := w.load()
	if pol != nil {
		w.follow(pol.Files)
		if pol.Hash == w.hash && !asked {
			return
		}
		w.hash = pol.Hash
	}
	if err != nil {
		w.proxy.Reject(err)
		return
	}
	w.proxy.Swap(pol) // which tells of its faults itself
}

// follow watches the directories of the files, and those that links lead to.
func (w *watcher) follow(files []string) {
	for _, f := range files {
		w.watch(filepath.Dir(f))
		if real, err := filepath.EvalSymlinks(f); err == nil {
			w.watch(filepath.Dir(real))
		}
	}
}

func (w *watcher) watch(dir string) {
	if w.notify == nil || w.seen[dir] {
		return
	}
	w.seen[dir] = true
	if err := w.notify.Add(dir); err != nil {
		w.seen[dir] = false // it may come to be
	}
}
