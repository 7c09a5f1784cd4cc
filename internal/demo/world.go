package demo

import (
	"errors"
	"sync/atomic"
	"time"
)

// A world has two sides that do not touch each other.
type world struct {
	cfg   Config
	began time.Time
	sides []*side      // bare, guarded
	late  atomic.Int64 // the most nanoseconds by which users came too late
}

// A side is one service with all that belongs to it.
type side struct {
	dependency *dependency
	below      *server  // of the dependency
	sidecar    *sidecar // between the service and the dependency, or nil
	service    *service
	front      *server // of the service
	users      *users
	book       *book
}

func (w *world) guarded() *side    { return w.sides[1] }
func (w *world) sidecar() *sidecar { return w.guarded().sidecar }

func (w *world) build() error {
	if err := w.add(nil); err != nil {
		return err
	}
	return w.add(startSidecar)
}

// add builds a side, whose service calls the dependency by what between starts,
// if anything. What came to be before an error is closed with the world.
func (w *world) add(between func(url string) (*sidecar, error)) (err error) {
	s := &side{dependency: &dependency{cfg: w.cfg, began: w.began, ending: make(chan struct{})}}
	w.sides = append(w.sides, s)
	if s.below, err = serve(s.dependency); err != nil {
		return err
	}
	url := s.below.url
	if between != nil {
		if s.sidecar, err = between(url); err != nil {
			return err
		}
		url = s.sidecar.url
	}
	s.service = newService(w.cfg.Workers, newCall(url))
	if s.front, err = serve(s.service); err != nil {
		return err
	}
	s.book = newBook(w.cfg, w.began)
	s.users = newUsers(s.front.url, w.cfg, s.book)
	return nil
}

func (w *world) close() error {
	var faults []error
	for _, s := range w.sides {
		faults = append(faults, s.close())
	}
	return errors.Join(faults...)
}

// close ends what the dependency is still busy with, and then everything in the
// direction of the calls.
func (s *side) close() error {
	close(s.dependency.ending)
	var front, between, below error
	if s.front != nil {
		front = s.front.close()
	}
	if s.service != nil {
		s.service.call.close()
	}
	if s.sidecar != nil {
		between = s.sidecar.close()
	}
	if s.below != nil {
		below = s.below.close()
	}
	return errors.Join(front, between, below)
}
