package demo

// PolicyYAML and PolicyGo are the policy of the guarded service, as a file and
// as Go. A test holds both against what runs.
const (
	PolicyYAML = `recommend:
  class: standard
  timeout: {attempt: 200ms, total: 600ms}
  alternative: popular
`
	PolicyGo = `rec, err := stanch.New("recommend", stanch.Standard(200*time.Millisecond))
answer, err := stanch.Ask(ctx, rec, fetch, stanch.Or("popular", popular.Load))
`
)
