package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/proxy"
)

// A call to the dependency as it is often written. It is right in every way but
// one: nothing says how long it may take. Both services make it, one directly
// and one through the sidecar, which alone tells where an answer comes from.
type call struct {
	client *http.Client
	url    string
}

func newCall(url string) *call {
	// As http.DefaultClient, with connections of its own.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &call{&http.Client{Transport: transport}, url}
}

func (c *call) recommend() (p page, err error) {
	resp, err := c.client.Get(c.url)
	if err != nil {
		return page{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("the dependency answered %s", resp.Status)
	}
	p.Source = cmp.Or(resp.Header.Get(proxy.HeaderSource), fallback.Live)
	return p, json.NewDecoder(resp.Body).Decode(&p.Articles)
}

func (c *call) close() { c.client.CloseIdleConnections() }
