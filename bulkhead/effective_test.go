package bulkhead_test

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/bulkhead"
)

func TestEffective(t *testing.T) {
	queue := bulkhead.Config{Limit: 1, Queue: 1, MaxWait: time.Second}
	ordered := queue
	ordered.Order = bulkhead.FIFO
	if got := queue.Effective(); got != ordered {
		t.Errorf("%+v", got)
	}
	for _, same := range []bulkhead.Config{{}, {Limit: 1}, {Limit: 1, Queue: 1, MaxWait: time.Second, Order: bulkhead.LIFO}} {
		if got := same.Effective(); got != same {
			t.Errorf("%+v became %+v", same, got)
		}
	}
}
