package sim

// fifo is a queue that uses its memory again.
type fifo[T any] struct {
	items []*T
	head  int
}

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(x *T) {
	if q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, x)
}

// pop returns the first, nil when there is none.
func (q *fifo[T]) pop() *T {
	if q.head == len(q.items) {
		return nil
	}
	x := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	return x
}
