package fallback

import "testing"

// FuzzStore plays a script of steps on the store and on its model: four bytes
// a step, which are what to do, how time moves, the key and the size.
func FuzzStore(f *testing.F) {
	f.Add(uint8(5), uint8(20), uint8(3), []byte{0, 1, 1, 4, 2, 1, 1, 0, 3, 1, 1, 0})
	f.Add(uint8(1), uint8(1), uint8(1), []byte{0, 250, 1, 0, 0, 3, 2, 0, 2, 9, 1, 0})
	f.Fuzz(func(t *testing.T, maxAge, maxBytes, maxEntries uint8, script []byte) {
		p := newPair(t, 1+int64(maxAge), 1+int64(maxBytes), 1+int(maxEntries)%16)
		value := make([]byte, 256)
		var now int64
		for ; len(script) >= 4; script = script[4:] {
			now += int64(int8(script[1]))
			p.step(t, script[0], now, string('a'+rune(script[2]%20)), string(value[:script[3]]))
		}
	})
}
