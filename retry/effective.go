package retry

import "cmp"

// Values lists what a policy file may say.
func (Jitter) Values() []string {
	return []string{string(Full), string(Equal), string(Decorrelated), string(None)}
}

// Values lists what a policy file may say.
func (BudgetKind) Values() []string {
	return []string{string(KindNone), string(KindRatio), string(KindToken), string(KindEarning)}
}

// Effective returns c with every default filled in that has an effect. It waits
// and retries as c does. The zero Config, which does not retry, stays as it is.
func (c Config) Effective() Config {
	if c == (Config{}) {
		return c
	}
	constant := c.Multiplier
	c = c.defaults()
	if c.Jitter == Decorrelated {
		c.Multiplier = constant
	}
	c.Attempts = max(c.Attempts, 1)
	c.Jitter = cmp.Or(c.Jitter, Full)
	return c
}

// Effective returns c with the defaults of its kind filled in. Without a kind,
// which is no budget, it stays as it is.
func (c BudgetConfig) Effective() BudgetConfig {
	full := c.defaults()
	switch c.Kind {
	case KindRatio:
		c.Ratio, c.Window, c.Floor = full.Ratio, full.Window, full.Floor
	case KindToken:
		c.Ratio, c.Max = full.Ratio, full.Max
	case KindEarning:
		c.Max, c.Earn, c.Trickle = full.Max, full.Earn, full.Trickle
	}
	return c
}
