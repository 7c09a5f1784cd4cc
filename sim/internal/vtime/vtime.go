// Package vtime is virtual time: a scheduler that runs many waiting processes
// on one goroutine at a time, in an order that depends on nothing but the
// program and its instants. It is the simulator's clock.
//
// A process is a coroutine. It runs until it waits on the scheduler's Clock,
// and goes on when the virtual time it asked for has come or another process
// wakes it. Whatever happens at the same instant happens in the order in which
// it was asked for. Nothing here sleeps, and nothing runs in parallel.
package vtime

import (
	"iter"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Scheduler owns one virtual time. It is not safe for concurrent use: it is
// used by its creator between runs, and by its processes and tasks during one.
type Scheduler struct {
	now     int64
	seq     uint64
	events  []event // binary heap by (at, seq)
	current *process
	idle    []*process
	all     []*process
	failure any // a process's panic, passed on by Run
}

// A Task is something to do at an instant. It must not wait.
type Task interface{ Fire() }

// A Body is what a process does. It may wait.
type Body interface{ Run() }

// event is a task, or the resumption of a process that has been waiting since
// its park number was given out.
type event struct {
	at   int64
	seq  uint64
	task Task
	proc *process
	park uint64
}

// Now returns the virtual instant.
func (s *Scheduler) Now() int64 { return s.now }

// At runs t when the instant has come; an instant that is past is now.
func (s *Scheduler) At(at int64, t Task) { s.push(event{at: at, task: t}) }

// Go runs body as a process, as soon as what is running now waits.
func (s *Scheduler) Go(body Body) {
	p := s.process()
	p.body = body
	s.push(event{at: s.now, proc: p, park: p.park})
}

// Run plays until nothing is left to happen, until the instant, or until halt
// reports true (asked about every thousand events; nil is never).
func (s *Scheduler) Run(until int64, halt func() bool) {
	for n := 0; len(s.events) > 0 && s.events[0].at <= until; n++ {
		if halt != nil && n%1024 == 0 && halt() {
			return
		}
		e := s.pop()
		s.now = e.at
		if e.task != nil {
			e.task.Fire()
			continue
		}
		if e.proc.park != e.park {
			continue // it has been woken by something else meanwhile
		}
		e.proc.park++
		s.current = e.proc
		e.proc.resume()
		s.current = nil
		if s.failure != nil {
			panic(s.failure)
		}
	}
}

// Idle reports whether nothing is left to happen.
func (s *Scheduler) Idle() bool { return len(s.events) == 0 }

// Next returns the instant of the next event.
func (s *Scheduler) Next() (int64, bool) {
	if len(s.events) == 0 {
		return 0, false
	}
	return s.events[0].at, true
}

// Close ends all processes, unwinding those that still wait. The scheduler must
// not be used afterwards.
func (s *Scheduler) Close() {
	for _, p := range s.all {
		p.stop()
	}
	s.all, s.idle, s.events = nil, nil, nil
}

// process is a coroutine that is used again for another body when its body ends.
type process struct {
	s       *Scheduler
	body    Body
	park    uint64 // counts resumptions; an event of an earlier one is stale
	ended   clock.Ended
	sleeper Waiter
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
}

func (s *Scheduler) process() *process {
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p
	}
	p := &process{s: s}
	p.resume, p.stop = iter.Pull(p.loop)
	s.all = append(s.all, p)
	return p
}

// unwound is the panic that takes a closed process down its stack.
type unwound struct{}

func (p *process) loop(yield func(struct{}) bool) {
	p.yield = yield
	defer func() {
		if r := recover(); r != nil && r != (unwound{}) {
			p.s.failure = r
		}
	}()
	for {
		p.body.Run()
		p.body = nil
		p.s.idle = append(p.s.idle, p)
		if !yield(struct{}{}) {
			return
		}
	}
}

// wait parks the process until the instant or a wake.
func (p *process) wait(until int64) clock.Ended {
	p.ended = clock.Expired
	if until != clock.Never {
		p.s.push(event{at: until, proc: p, park: p.park})
	}
	if !p.yield(struct{}{}) {
		panic(unwound{})
	}
	return p.ended
}

// wake lets a process that waits go on.
func (p *process) wake(why clock.Ended) {
	p.ended = why
	p.s.push(event{at: p.s.now, proc: p, park: p.park})
}

func (s *Scheduler) push(e event) {
	if e.at < s.now {
		e.at = s.now
	}
	e.seq = s.seq
	s.seq++
	h := append(s.events, e)
	hole := len(h) - 1
	for hole > 0 {
		up := (hole - 1) / 2
		if !e.before(&h[up]) {
			break
		}
		h[hole] = h[up]
		hole = up
	}
	h[hole] = e
	s.events = h
}

func (s *Scheduler) pop() event {
	h := s.events
	top := h[0]
	last := len(h) - 1
	e := h[last]
	h[last] = event{}
	h = h[:last]
	hole := 0
	for {
		low := 2*hole + 1
		if low >= last {
			break
		}
		if right := low + 1; right < last && h[right].before(&h[low]) {
			low = right
		}
		if !h[low].before(&e) {
			break
		}
		h[hole] = h[low]
		hole = low
	}
	if last > 0 {
		h[hole] = e
	}
	s.events = h
	return top
}

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.seq < f.seq
}
