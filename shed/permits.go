package shed

import "github.com/stanch-go/stanch/internal/permit"

// A Permit is the right to one request. It resolves once: of several calls of Done
// with it only the first counts, also after its place was given to somebody
// else. The zero Permit, which comes with a refusal, resolves nothing.
type Permit = permit.Permit
