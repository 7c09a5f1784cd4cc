package stanchhttp_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchhttp"
)

// Whatever the server does and the caller sends: there is an answer or an error,
// each body is closed, each place is given back, what must not be repeated is
// not, and what is repeated is the same each time.
func TestPropertyTransport(t *testing.T) {
	sent := errors.New("lost after sending")
	unsent := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 5).Draw(t, "attempts")
		d := stanch.Must(stanch.New("shop", guard(nopTB{}, attempts(most), breakerAfter(rapid.IntRange(2, 9).Draw(t, "breaker"))).Config(), stanch.WithSeed(1)))
		method := rapid.SampledFrom([]string{"GET", "PUT", "POST", "HEAD"}).Draw(t, "method")
		content := rapid.SampledFrom([]string{"", "content"}).Draw(t, "content")
		rewinds := rapid.Bool().Draw(t, "rewinds")
		key := rapid.Bool().Draw(t, "key")

		var asked, answered []*tracked
		var arrived int // requests that may have had an effect
		attempts := 0
		tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
			attempts++
			end := rapid.SampledFrom([]string{"200", "404", "500", "503", "large", "breaks", "sent", "unsent"}).Draw(t, "end")
			if end == "unsent" {
				if r.Body != nil {
					r.Body.Close()
				}
				return nil, unsent
			}
			arrived++
			if r.Body != nil {
				if data, _ := io.ReadAll(r.Body); string(data) != content {
					t.Fatalf("attempt %d sends %q instead of %q", attempts, data, content)
				}
				r.Body.Close()
			}
			if end == "sent" {
				return nil, &net.OpError{Op: "read", Err: sent}
			}
			status, b := 503, text("why")
			switch end {
			case "200":
				status = 200
			case "404":
				status = 404
			case "500":
				status = 500
			case "large":
				b = text(strings.Repeat("x", 100_000))
			case "breaks":
				b = &tracked{Reader: io.MultiReader(strings.NewReader("w"), failing{sent})}
			}
			answered = append(answered, b)
			return answer(r, status, b), nil
		}), stanchhttp.Options{})

		open := func() io.ReadCloser {
			b := text(content)
			asked = append(asked, b)
			return b
		}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			attempts, arrived = 0, 0
			r, err := http.NewRequest(method, "http://shop/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if content != "" {
				r.Body = open()
				if rewinds {
					r.GetBody = func() (io.ReadCloser, error) { return open(), nil }
				}
			}
			if key {
				r.Header.Set("Idempotency-Key", "k")
			}
			headers := len(r.Header)
			resp, err := tr.RoundTrip(r)
			if (resp == nil) == (err == nil) {
				t.Fatalf("answer %v and error %v", resp, err)
			}
			if len(r.Header) != headers {
				t.Fatalf("the request was changed: %v", r.Header)
			}
			if err == nil {
				if rapid.Bool().Draw(t, "read") {
					io.Copy(io.Discard, resp.Body)
				}
				resp.Body.Close()
			}
			if attempts > max(1, most) {
				t.Fatalf("%d attempts of at most %d", attempts, most)
			}
			if method == "POST" && !key && arrived > 1 {
				t.Fatalf("a POST arrived %d times", arrived)
			}
			if content != "" && !rewinds && attempts > 1 {
				t.Fatalf("%d attempts with a body that can be sent once", attempts)
			}
			if n := places(d); n != 0 {
				t.Fatalf("%d places taken", n)
			}
			for i, b := range append(asked, answered...) {
				if b.closed.Load() == 0 {
					t.Fatalf("body %d of %d+%d is open", i, len(asked), len(answered))
				}
			}
		}
	})
}

// nopTB lets helpers that take a testing.TB be used inside of a property.
type nopTB struct{ testing.TB }

func (nopTB) Helper() {}
