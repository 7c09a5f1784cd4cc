package breaker

// events holds the transitions that OnTransition has not been told yet.
type events struct {
	queue      []Transition
	delivering bool
}

func (e *events) add(t Transition) { e.queue = append(e.queue, t) }

func (e *events) waiting() bool { return len(e.queue) > 0 && !e.delivering }

// deliver tells what is waiting, one by one and with no lock held. One
// goroutine at a time does so, which keeps the order. A callback that calls
// the breaker adds to the queue and leaves the delivery to the loop it is in;
// if one panics, what is left waits for the next locked section.
func (b *Breaker) deliver() {
	b.mu.Lock()
	if b.events.delivering {
		b.mu.Unlock()
		return
	}
	b.events.delivering = true
	defer func() {
		b.events.delivering = false
		b.mu.Unlock()
	}()
	for len(b.events.queue) > 0 {
		b.tell()
	}
	b.events.queue = nil
}

// tell takes the first transition off the queue and delivers it. It is called
// with mu held and returns, or panics, with mu held.
func (b *Breaker) tell() {
	t := b.events.queue[0]
	b.events.queue = b.events.queue[1:]
	b.mu.Unlock()
	defer b.mu.Lock()
	b.notify(t)
}
