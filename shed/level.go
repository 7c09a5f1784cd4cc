package shed

import "time"

// A Level orders the users within a priority: under overload those of low levels are
// refused first. It is from 1 to [Levels]. The zero Level is unknown: the
// request is given one by chance, and so no other request shares its fate.
type Level uint8

// Levels is the number of levels.
const Levels = 128

// epoch is how long a user keeps a level.
const epoch = time.Hour

// LevelOf returns the level of a user at a time. It is the same in every
// process and on every machine. Once an hour the user is given another one, so
// that nobody is refused for ever; each user at another moment, so that no
// stroke of the hour changes everybody's. An empty user has no level.
func LevelOf(user string, at time.Time) Level {
	if user == "" {
		return 0
	}
	// FNV-1a, then the finaliser of SplitMix64, as FNV alone leaves its high
	// bits alike for names that differ in the last letter.
	h := uint64(14695981039346656037)
	for i := range len(user) {
		h = (h ^ uint64(user[i])) * 1099511628211
	}
	h = mix(h)
	seconds := uint64(epoch / time.Second)
	hour := (uint64(at.Unix()) + h%seconds) / seconds
	return Level(mix(h+hour)%Levels) + 1
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
