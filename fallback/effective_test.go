package fallback_test

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/fallback"
)

func TestEffective(t *testing.T) {
	if got, want := (fallback.Limits{Concurrent: 3}).Effective(), (fallback.Limits{Timeout: 50 * time.Millisecond, Concurrent: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want := fallback.StoreConfig{MaxAge: time.Minute, MaxBytes: 64 << 20, MaxEntries: 10_000, RefreshLease: 10 * time.Second}
	if got := (fallback.StoreConfig{MaxAge: time.Minute}).Effective(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
