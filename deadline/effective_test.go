package deadline_test

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/deadline"
)

func TestEffective(t *testing.T) {
	for _, step := range []struct{ given, want deadline.Config }{
		{},
		{deadline.Config{Total: time.Second}, deadline.Config{Total: time.Second, Max: deadline.DefaultMax}},
		{deadline.Config{Max: time.Hour}, deadline.Config{Max: time.Hour}},
	} {
		if got := step.given.Effective(); got != step.want {
			t.Errorf("%+v became %+v, want %+v", step.given, got, step.want)
		}
	}
}
