package bulkhead

import "testing"

// FuzzBulkhead plays bytes as a script on the bulkhead and on the oracle.
func FuzzBulkhead(f *testing.F) {
	f.Add([]byte{0, 0, 2, 0, 0, 1, 0, 1, 0, 2, 0, 0, 3, 0, 0})             // alone, a leaver that has been granted
	f.Add([]byte{3, 1, 1, 2, 0, 1, 2, 0, 1, 0, 1, 3, 1, 0, 0, 0, 1, 1, 0}) // two shares
	f.Fuzz(func(t *testing.T, script []byte) {
		choose := func(n int) int {
			if len(script) == 0 {
				return 0
			}
			c := int(script[0]) % n
			script = script[1:]
			return c
		}
		w := newWorld(choose)
		w.start(choose)
		for len(script) > 0 {
			if err := w.step(choose); err != nil {
				t.Fatal(err)
			}
			if err := w.check(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.drain(); err != nil {
			t.Fatal(err)
		}
	})
}
