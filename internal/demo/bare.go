package demo

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stanch-go/stanch/fallback"
)

// bare makes the call as it is often written. It is right in every way but one:
// nothing says how long it may take.
type bare struct {
	client *http.Client
	url    string
}

func newBare(url string) *bare {
	// As http.DefaultClient, with connections of its own.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &bare{&http.Client{Transport: transport}, url}
}

func (b *bare) recommend(context.Context) (page, error) {
	resp, err := b.client.Get(b.url)
	if err != nil {
		return page{}, err
	}
	defer resp.Body.Close()
	p := page{Source: fallback.Live}
	return p, json.NewDecoder(resp.Body).Decode(&p.Articles)
}

func (b *bare) breaker() string { return "" }
func (b *bare) close()          { b.client.CloseIdleConnections() }
