package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/coder/websocket"
)

// Messages pass both ways, of any size, at once, and so does how it ends.
func TestWebSocket(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"echo"}})
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(2 << 20)
		for {
			kind, text, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if string(text) == "end" {
				c.Close(websocket.StatusPolicyViolation, "as you like")
				return
			}
			if err := c.Write(r.Context(), kind, text); err != nil {
				return
			}
		}
	}))
	s := guard(t, fmt.Sprintf("chat: {url: %q, timeout: {attempt: 2s}}", url))
	for _, way := range []struct {
		name, url string
		client    *http.Client
	}{
		{"base URL", s.URL + "/chat/", &http.Client{Transport: new(http.Transport)}},
		{"proxy", url, &http.Client{Transport: s.client().Transport}}, // a time limit would end it
	} {
		t.Run(way.name, func(t *testing.T) {
			ctx := within(t, bound)
			c, resp, err := websocket.Dial(ctx, way.url, &websocket.DialOptions{HTTPClient: way.client, Subprotocols: []string{"echo"}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			if c.Subprotocol() != "echo" || resp.Header.Get("Stanch-Source") != "live" {
				t.Errorf("protocol %q, %v", c.Subprotocol(), resp.Header)
			}
			c.SetReadLimit(2 << 20)
			for n := range 40 {
				sent := bytes.Repeat([]byte{byte(n)}, 1<<min(n, 20))
				if err := c.Write(ctx, websocket.MessageBinary, sent); err != nil {
					t.Fatal(err)
				}
				if kind, got, err := c.Read(ctx); err != nil || kind != websocket.MessageBinary || !bytes.Equal(got, sent) {
					t.Fatalf("message %d of %d bytes: %d bytes, %v", n, len(sent), len(got), err)
				}
			}
			if err := c.Write(ctx, websocket.MessageText, []byte("end")); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Read(ctx)
			if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Error(err)
			}
		})
	}
}
