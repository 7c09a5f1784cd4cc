package sim

// fifo is a queue of requests that uses its memory again.
type fifo struct {
	items []*request
	head  int
}

func (q *fifo) len() int { return len(q.items) - q.head }

func (q *fifo) push(r *request) {
	if q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, r)
}

func (q *fifo) pop() *request {
	if q.head == len(q.items) {
		return nil
	}
	r := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	return r
}
