package strict_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

type guard struct {
	Timeout  time.Duration `yaml:"timeout" strict:"required"`
	Cooldown time.Duration `yaml:"cooldown"`
	Attempts int           `yaml:"attempts"`
}

func (g *guard) Validate() error {
	if g.Cooldown < 0 {
		return errors.New("cooldown: must not be negative, is " + g.Cooldown.String())
	}
	return nil
}

func ExampleDecode() {
	data := []byte(`recommend:
  timeout: 3
  atempts: 2
search:
  timeout: 250ms
  cooldown: -1s
`)
	root, err := strict.Parse("policy.yaml", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	var guards strict.Map[guard]
	faults := strict.Decode(root, &guards)
	fmt.Print(faults.Pretty(map[string][]byte{"policy.yaml": data}))
	// Output:
	// policy.yaml:2:12: recommend.timeout: needs a unit, is 3; e.g. 3s or 3ms
	//     2 |   timeout: 3
	//       |            ^
	// policy.yaml:3:3: recommend.atempts: unknown key; did you mean "attempts"?
	//     3 |   atempts: 2
	//       |   ^
	// policy.yaml:6:13: search.cooldown: must not be negative, is -1s
	//     6 |   cooldown: -1s
	//       |             ^
}

func ExampleMerge() {
	base, _ := strict.Parse("base.yaml", []byte("timeout: 3s\nattempts: 3\n"))
	variant, _ := strict.Parse("variant.yaml", []byte("attempts: 1\ncooldown: soon\n"))
	var g guard
	faults := strict.Decode(strict.Merge(base, variant), &g)
	fmt.Println(g.Timeout, g.Attempts)
	fmt.Println(faults)
	// Output:
	// 3s 1
	// variant.yaml:2:11: cooldown: must be a duration, such as 250ms or 3s, is "soon"
}
