package demo

import "fmt"

// policyText is the policy of the sidecar: what runs and what is shown.
func policyText(egress, admin, url string) string {
	return fmt.Sprintf(`version: 1
service: {name: guarded, workers: 20}
listen: {egress: "%s", admin: "%s"}
dependencies:
  recommend:
    class: standard
    url: %s
    timeout: {attempt: 200ms, total: 600ms}
    fallback:
      static:
        body: '["Weather", "Chess", "Soup"]'
        content_type: application/json
`, egress, admin, url)
}

// PolicyGo is the same policy for a service that uses the library instead.
const PolicyGo = `rec, err := stanch.New("recommend", stanch.Standard(200*time.Millisecond))
answer, err := stanch.Ask(ctx, rec, fetch, stanch.Or("popular", popular.Load))
`
