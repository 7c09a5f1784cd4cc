package shed

// A Permit is the right to one request. It resolves once: of several calls of
// Done with it only the first counts, also after its place was given to somebody
// else. The zero Permit, which comes with a refusal, resolves nothing.
type Permit struct {
	ticket uint64
	place  uint32
}

// permits are the places of the requests in flight. A place that is in use carries
// the ticket of the permit that has it, and no two permits have the same ticket.
type permits struct {
	places  []uint64 // the ticket of each, 0 if it is free
	free    []uint32
	tickets uint64
	used    int
}

func (p *permits) take() Permit {
	if len(p.free) == 0 {
		p.free = append(p.free, uint32(len(p.places)))
		p.places = append(p.places, 0)
	}
	last := len(p.free) - 1
	i := p.free[last]
	p.free = p.free[:last]
	p.tickets++
	p.places[i] = p.tickets
	p.used++
	return Permit{p.tickets, i}
}

// give frees the place of the permit, and reports whether it still had one.
func (p *permits) give(permit Permit) bool {
	if permit.ticket == 0 || int(permit.place) >= len(p.places) || p.places[permit.place] != permit.ticket {
		return false
	}
	p.places[permit.place] = 0
	p.free = append(p.free, permit.place)
	p.used--
	return true
}
