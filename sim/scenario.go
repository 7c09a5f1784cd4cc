package sim

import (
	"os"
)

// A Scenario is an incident to be played: the same load against several
// variants of the world, side by side, and what is expected of each.
type Scenario struct {
	// Name is what it is called in results.
	Name string `yaml:"scenario" strict:"required"`
	// Title says in one line what it shows.
	Title string `yaml:"title"`
	// About says what the scenario shows and where its parameters come from.
	About string `yaml:"about"`
	// Expect are lines such as "full: latency_ms.max <= 250".
	Expect []Expected `yaml:"expect"`
	// Variants are the worlds, in the order in which they are shown.
	Variants []Variant `yaml:"-"`

	// File and Text are where the scenario was read from.
	File string `yaml:"-"`
	Text []byte `yaml:"-"`
}

// A Variant is one world of a scenario.
type Variant struct {
	// Name is what it is called in results and expectations; no two have the same.
	Name string `yaml:"name" strict:"required"`
	// Published are the figures that others printed for it, by the path of the
	// figure, to be shown beside ours.
	Published Map[float64] `yaml:"published"`
	Model     Model        `yaml:"-"`
}

// ReadFile reads a scenario file. The error lists every fault with its place.
func ReadFile(path string) (*Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}
