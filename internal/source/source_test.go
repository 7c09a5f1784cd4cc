package source

import (
	"maps"
	"reflect"
	"testing"

	"github.com/stanch-go/stanch/internal/durations"
)

func TestComments(t *testing.T) {
	got := Comments(t, "../..", reflect.TypeFor[durations.Counter]())
	if want := map[string]string{"buckets": "", "sum": ""}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = Comments(t, "../..", reflect.TypeFor[example]())
	if len(got) > 0 {
		t.Errorf("a type of a test has comments: %v", got)
	}
	if got := Comments(t, "../..", reflect.TypeFor[testing.T]()); len(got) > 0 {
		t.Errorf("a type of another module has comments: %v", got)
	}
}

type example struct{ A int }
