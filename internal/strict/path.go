package strict

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A path is written as people write it: retry.attempts, events[2].at, and for
// keys that would be mistaken for something else, dependencies["a.b"].timeout.

func joinKey(path, key string) string {
	switch {
	case !plainKey(key):
		return path + "[" + short(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func joinIndex(path string, i int) string {
	return fmt.Sprintf("%s[%d]", path, i)
}

func plainKey(key string) bool {
	for _, r := range key {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '_', r == '-', r == '/':
		default:
			return false
		}
	}
	return key != "" && len(key) <= longestPlain
}

// longestPlain bounds paths and guesses, and so what a file of few huge values
// costs in memory and time.
const longestPlain = 100

// A step is one level down: by key, or by index when key is empty.
type step struct {
	key   string
	index int
}

// parsePath is the inverse of joinKey and joinIndex; ok is false when the text
// is no path.
func parsePath(path string) (steps []step, ok bool) {
	for rest := path; rest != ""; {
		switch {
		case rest[0] == '[':
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err == nil && quoted[0] == '"' {
				key, err := strconv.Unquote(quoted)
				after, closed := strings.CutPrefix(rest[1+len(quoted):], "]")
				if err != nil || !closed || key == "" {
					return nil, false
				}
				steps, rest = append(steps, step{key: key}), after
				break
			}
			digits, after, closed := strings.Cut(rest[1:], "]")
			index, err := strconv.Atoi(digits)
			if !closed || err != nil || index < 0 {
				return nil, false
			}
			steps, rest = append(steps, step{index: index}), after
		default:
			if steps != nil {
				if rest[0] != '.' {
					return nil, false
				}
				rest = rest[1:]
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if !plainKey(rest[:end]) {
				return nil, false
			}
			steps, rest = append(steps, step{key: rest[:end]}), rest[end:]
		}
	}
	return steps, len(steps) > 0
}

// short quotes a text from the file, cut when it is long.
func short(text string) string {
	const most = 40
	if len(text) <= most {
		return strconv.Quote(text)
	}
	text = text[:most-3]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1] // the half of a character
	}
	return strconv.Quote(text + "...")
}
