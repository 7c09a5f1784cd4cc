package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// maxStreams bounds the streams of events at one time.
const maxStreams = 32

// events answers with the events that are kept, or, to those who accept an event
// stream, with them and each new one as it happens.
func (a *Admin) events(w http.ResponseWriter, req *http.Request) {
	after := uint64(0)
	for field, text := range map[string]string{"after": req.URL.Query().Get("after"), "Last-Event-ID": req.Header.Get("Last-Event-ID")} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			refuseFields(w, req, fieldFault{Field: field, Fault: "must be the number of an event, is " + strconv.Quote(text)})
			return
		}
		after = max(after, n)
	}
	if strings.Contains(req.Header.Get("Accept"), "text/event-stream") {
		a.stream(w, req, after)
		return
	}
	all := a.proxy.Events().Since(after)
	if all == nil {
		all = []proxy.Event{}
	}
	sendJSON(w, struct {
		Events []proxy.Event `json:"events"`
	}{all})
}

// breath is how often a stream without news says that it is there.
const breath = 15 * time.Second

func (a *Admin) stream(w http.ResponseWriter, req *http.Request, after uint64) {
	select {
	case a.streams <- struct{}{}:
		defer func() { <-a.streams }()
	default:
		refuse(w, req, problem{Status: http.StatusServiceUnavailable, Detail: fmt.Sprintf("There are %d streams of events already.", maxStreams)})
		return
	}
	news, stop := a.proxy.Events().Listen() // before looking at the old ones, so that none is missed
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	tick := time.NewTicker(breath)
	defer tick.Stop()
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(breath)) // not every writer has one
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	for ok := send(": the events of a sidecar\n\n"); ok; {
		for _, e := range a.proxy.Events().Since(after) { // also those that the channel had no place for
			after = e.Number
			data, _ := json.Marshal(e) // texts and numbers
			if ok = send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Number, e.Kind, data)); !ok {
				return
			}
		}
		select {
		case <-news:
		case <-tick.C:
			ok = send(":\n\n")
		case <-req.Context().Done():
			return
		}
	}
}
