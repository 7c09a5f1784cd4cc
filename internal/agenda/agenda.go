// Package agenda plays what happens in explicit time, for tests that model a
// world around a mechanism. What waits as a real program does is for the
// simulator.
package agenda

import "container/heap"

// An Agenda is what is to happen, by its instants; what has the same instant
// happens in the order in which it was asked for. The zero value is empty. It is
// for one goroutine.
type Agenda struct {
	events events
	serial int
}

// At does something at an instant.
func (a *Agenda) At(at int64, do func()) {
	a.serial++
	heap.Push(&a.events, event{at, a.serial, do})
}

// Run does all that is to happen until the instant, that included, and sets now to
// the instant of each before.
func (a *Agenda) Run(until int64, now *int64) {
	for len(a.events) > 0 && a.events[0].at <= until {
		e := heap.Pop(&a.events).(event)
		*now = e.at
		e.do()
	}
}

type event struct {
	at     int64
	serial int
	do     func()
}

// events are a heap.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
