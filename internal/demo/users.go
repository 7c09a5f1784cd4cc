package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/stanch-go/stanch/fallback"
)

// users come to one service, whether or not those before them were answered,
// and wait as long as their patience lasts.
type users struct {
	url      string
	patience time.Duration
	client   *http.Client
	book     *book
	places   chan struct{} // bounds those who are here at once
	here     sync.WaitGroup
}

func newUsers(url string, cfg Config, b *book) *users {
	most := cfg.Rate*int(cfg.Patience/time.Second+1) + cfg.Workers // more cannot wait, since each gives up
	return &users{
		url: url, patience: cfg.Patience, book: b,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: cfg.Rate}},
		places: make(chan struct{}, most),
	}
}

// come lets one user come, who was due at that time: had we been late to send
// him, that would be part of what he waits.
func (u *users) come(ctx context.Context, due time.Time) {
	u.book.came()
	select {
	case u.places <- struct{}{}:
	default:
		u.book.left(time.Now(), failed, due)
		return
	}
	u.here.Go(func() {
		defer func() { <-u.places }()
		how := u.ask(ctx, due)
		u.book.left(time.Now(), how, due)
	})
}

func (u *users) ask(ctx context.Context, due time.Time) ending {
	patient, cancel := context.WithDeadline(ctx, due.Add(u.patience))
	defer cancel()
	source, err := u.get(patient)
	switch {
	case err == nil && source == fallback.Live:
		return live
	case err == nil:
		return degraded
	case ctx.Err() != nil:
		return waiting
	case errors.Is(patient.Err(), context.DeadlineExceeded):
		return gaveUp
	}
	return failed
}

func (u *users) get(ctx context.Context) (source string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url, nil)
	if err != nil {
		return "", err
	}
	resp, err := u.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the service answered %s", resp.Status)
	}
	var p page
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
		return "", err
	}
	_, err = io.Copy(io.Discard, resp.Body) // to its end, so that the connection is used again
	return p.Source, err
}

// leave waits until nobody is here any more.
func (u *users) leave() {
	u.here.Wait()
	u.client.CloseIdleConnections()
}
