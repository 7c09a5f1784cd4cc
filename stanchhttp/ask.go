package stanchhttp

import (
	"net/http"

	"github.com/stanch-go/stanch"
)

// Ask is RoundTrip with next best answers, as stanch.Ask has them: when the
// server gave no answer, or one that is a failure, the alternatives are asked in
// order, and the answer says which one gave it. When none has an answer either,
// it is what RoundTrip returns: the server's answer if there is one, else the
// error, joined with each alternative's.
func (t *Transport) Ask(req *http.Request, alternatives ...stanch.Alternative[*http.Response]) (stanch.Answer[*http.Response], error) {
	x := t.exchange(req)
	defer x.close()
	answer, err := stanch.Ask(&x.room, t.d, x.attempt, alternatives...)
	if err == nil && answer.Degraded() {
		return answer, nil
	}
	resp, err := x.end(err)
	return stanch.Answer[*http.Response]{Value: resp, Source: "live"}, err
}
