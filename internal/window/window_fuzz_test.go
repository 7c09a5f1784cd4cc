package window

import (
	"encoding/binary"
	"testing"
	"time"
)

// call is one recorded call, as the oracles keep it.
type call struct {
	at           int64
	failed, slow bool
}

func count(calls []call) (c Counts) {
	for _, k := range calls {
		c.add(k.failed, k.slow)
	}
	return c
}

// operations reads pairs of a flag byte and a two-byte step from fuzz data.
func operations(data []byte, do func(flags byte, step int64)) {
	for len(data) >= 3 {
		do(data[0], int64(int16(binary.LittleEndian.Uint16(data[1:]))))
		data = data[3:]
	}
}

// FuzzTime compares Time with the plain statement of what a bucketed window
// is: the calls whose bucket is one of the last ten, counted from the latest
// instant seen.
func FuzzTime(f *testing.F) {
	f.Add(uint16(100), []byte{1, 5, 0, 2, 200, 0, 4, 1, 0, 7, 255, 255})
	f.Add(uint16(7), []byte{1, 1, 0, 1, 1, 0, 8, 0, 0, 1, 90, 0})
	f.Fuzz(func(t *testing.T, span uint16, data []byte) {
		w := NewTime(time.Duration(span))
		width := max(int64(span)/Buckets, 1)
		var calls []call
		now, latest := int64(0), int64(0)
		operations(data, func(flags byte, step int64) {
			now += step
			latest = max(latest, now)
			var got Counts
			switch {
			case flags&8 != 0:
				w.Reset()
				calls = nil
				got = w.Counts(now)
			case flags&1 != 0:
				calls = append(calls, call{latest, flags&2 != 0, flags&4 != 0})
				got = w.Add(now, flags&2 != 0, flags&4 != 0)
			default:
				got = w.Counts(now)
			}
			var recent []call
			for _, k := range calls {
				if latest/width-k.at/width < Buckets {
					recent = append(recent, k)
				}
			}
			if want := count(recent); got != want {
				t.Fatalf("at %d: %+v, want %+v", now, got, want)
			}
		})
	})
}

// FuzzCount compares Count with a plain list of which the last calls count.
func FuzzCount(f *testing.F) {
	f.Add(uint8(3), []byte{2, 0, 0, 4, 0, 0, 6, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, size uint8, data []byte) {
		w := NewCount(int(size))
		keep := max(int(size), 1)
		var calls []call
		operations(data, func(flags byte, _ int64) {
			var got Counts
			if flags&8 != 0 {
				w.Reset()
				calls = nil
				got = w.Counts(0)
			} else {
				calls = append(calls, call{0, flags&2 != 0, flags&4 != 0})
				got = w.Add(0, flags&2 != 0, flags&4 != 0)
			}
			if want := count(calls[max(len(calls)-keep, 0):]); got != want {
				t.Fatalf("after %d calls: %+v, want %+v", len(calls), got, want)
			}
		})
	})
}
