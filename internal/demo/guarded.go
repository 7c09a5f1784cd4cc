package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/stanchhttp"
)

// attempt is the only figure of the policy that depends on the dependency.
const attempt = 200 * time.Millisecond

// guarded makes the call that bare makes, with a policy and a next best answer.
type guarded struct {
	dependency *stanch.Dependency
	client     *http.Client
	url        string
	popular    *fallback.Value[[]string]
	stop       func() // refreshing popular
}

func newGuarded(ctx context.Context, url string) (*guarded, error) {
	d, err := stanch.New("recommend", stanch.Standard(attempt))
	if err != nil {
		return nil, err
	}
	popular, err := fallback.NewValue(fallback.ValueConfig{}, mostRead)
	if err != nil {
		return nil, err
	}
	if err := popular.Refresh(ctx); err != nil { // before the first user comes
		return nil, err
	}
	return &guarded{
		dependency: d,
		client:     &http.Client{Transport: stanchhttp.NewBase(d, stanchhttp.ClientConfig{})},
		url:        url,
		popular:    popular,
		stop:       popular.Start(ctx),
	}, nil
}

// mostRead stands for what a service knows without asking anybody.
func mostRead(context.Context) ([]string, error) {
	return []string{"Weather", "Chess", "Soup"}, nil
}

func (g *guarded) recommend(ctx context.Context) (page, error) {
	answer, err := stanch.Ask(ctx, g.dependency, g.fetch, stanch.Or("popular", g.popular.Load))
	return page{answer.Value, answer.Source}, err
}

func (g *guarded) fetch(ctx context.Context) (articles []string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := stanchhttp.Check(resp); err != nil {
		return nil, err
	}
	return articles, json.NewDecoder(resp.Body).Decode(&articles)
}

func (g *guarded) breaker() string { return g.dependency.Breaker().State().String() }

func (g *guarded) close() {
	g.stop()
	g.client.CloseIdleConnections()
}
